/**
 * What is kept of one output stream: its first bytes for good, its last bytes rolling (contract 4.4).
 *
 * Offsets are absolute positions in the stream. Kept are `[0, headBytes)` and `[tailStart, total)`, which overlap
 * while nothing was dropped; then the head is not stored a second time.
 */

/** First allocation of a stream; most commands write less. */
const FIRST_CAPACITY_BYTES = 4 * 1024;

/** Bytes that are still kept, at their place in the stream. */
export interface StoredRange {
  /** Position of the first byte. */
  readonly offset: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Never holds more than its budget; memory grows with the output up to it. */
export class HeadTailBuffer {
  /** Largest number of bytes kept for good. */
  readonly headLimitBytes: number;
  /** Largest number of rolling bytes. */
  readonly tailLimitBytes: number;
  #head: Uint8Array<ArrayBuffer> | null = null;
  /** Byte `offset` lies at `offset % tailLimitBytes`; grows to that size before anything wraps. */
  #ring: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #total = 0;

  /** @param budgetBytes kept at most; an eighth of it is the head */
  constructor(budgetBytes: number) {
    this.headLimitBytes = Math.floor(budgetBytes / 8);
    this.tailLimitBytes = budgetBytes - this.headLimitBytes;
  }

  /** Bytes ever produced. */
  get total(): number {
    return this.#total;
  }

  /** Bytes of the head that are there. */
  get headBytes(): number {
    return Math.min(this.#total, this.headLimitBytes);
  }

  get tailBytes(): number {
    return Math.min(this.#total, this.tailLimitBytes);
  }

  /** Position of the first byte of the tail; 0 until something was dropped from it. */
  get tailStart(): number {
    return this.#total - this.tailBytes;
  }

  /** Bytes that fell out of the tail, those that the head still holds included. */
  get droppedBytes(): number {
    return this.tailStart;
  }

  /** Bytes between head and tail that are lost. */
  get gapBytes(): number {
    return Math.max(0, this.tailStart - this.headBytes);
  }

  /** Distinct bytes kept. */
  get retainedBytes(): number {
    return this.tailBytes + Math.min(this.headBytes, this.tailStart);
  }

  /** Copies `chunk` to the end. */
  append(chunk: Uint8Array): void {
    const end = this.#total + chunk.length;
    if (end > this.tailLimitBytes && this.#head === null) this.#keepHead(chunk);
    this.#grow(Math.min(end, this.tailLimitBytes));
    const rest = chunk.subarray(Math.max(0, chunk.length - this.tailLimitBytes));
    const at = (end - rest.length) % this.tailLimitBytes;
    const first = this.tailLimitBytes - at;
    this.#ring.set(rest.subarray(0, first), at);
    this.#ring.set(rest.subarray(first), 0);
    this.#total = end;
  }

  /**
   * Copies at most `limitBytes` from `offset` on. Inside the gap the tail's start is served instead; a read that
   * begins in the head goes on into the tail where they touch, and never crosses a gap; behind the end it is empty.
   */
  read(offset: number, limitBytes: number): StoredRange {
    if (offset < this.tailStart && offset < this.headBytes) {
      const headEnd = Math.min(this.headBytes, offset + limitBytes);
      const end = this.gapBytes > 0 ? headEnd : Math.min(this.#total, offset + limitBytes);
      const bytes = new Uint8Array(end - offset);
      bytes.set((this.#head as Uint8Array<ArrayBuffer>).subarray(offset, headEnd));
      bytes.set(this.#copy(headEnd, end), headEnd - offset);
      return { offset, bytes };
    }
    const start = Math.max(offset, this.tailStart);
    return { offset: start, bytes: this.#copy(start, Math.max(start, Math.min(this.#total, start + limitBytes))) };
  }

  #copy(start: number, end: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(end - start);
    const at = start % this.tailLimitBytes;
    const first = Math.min(bytes.length, this.tailLimitBytes - at);
    bytes.set(this.#ring.subarray(at, at + first));
    bytes.set(this.#ring.subarray(0, bytes.length - first), first);
    return bytes;
  }

  /** Called once, just before the first byte is dropped: everything so far still lies unwrapped in the ring. */
  #keepHead(chunk: Uint8Array): void {
    const head = new Uint8Array(this.headLimitBytes);
    const stored = Math.min(this.#total, head.length);
    head.set(this.#ring.subarray(0, stored));
    head.set(chunk.subarray(0, head.length - stored), stored);
    this.#head = head;
  }

  #grow(neededBytes: number): void {
    if (neededBytes <= this.#ring.length) return;
    let capacity = Math.max(FIRST_CAPACITY_BYTES, this.#ring.length);
    while (capacity < neededBytes) capacity *= 2;
    const larger = new Uint8Array(Math.min(capacity, this.tailLimitBytes));
    larger.set(this.#ring);
    this.#ring = larger;
  }
}

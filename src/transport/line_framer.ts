/** Splits a byte stream into LF-terminated lines of bounded length (contract 2.6, O-17). */

/** Longest line, terminator not counted. 16 MiB: a patch or a file of a few megabytes in JSON fits many times. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** A line without its LF, or the news that one was longer than the limit; its rest is dropped. */
export type Framed = { readonly kind: "line"; readonly bytes: Uint8Array } | { readonly kind: "too_long" };

const LF = 10;

/** Takes one stream, chunk by chunk; holds at most one line. */
export class LineFramer {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #length = 0;
  /** True while the rest of an over-long line is dropped. */
  #dropping = false;

  constructor(maxBytes: number = MAX_LINE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Takes the next bytes. Incomplete ones are copied, so the caller may reuse the buffer; a yielded line is valid until the generator goes on. */
  *push(chunk: Uint8Array): Generator<Framed> {
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      const rest = chunk.subarray(start, end);
      start = end + 1;
      if (this.#dropping) {
        this.#dropping = false;
      } else if (this.#length + rest.length > this.#maxBytes) {
        this.#reset();
        yield { kind: "too_long" };
      } else {
        const bytes = this.#join(rest);
        this.#reset();
        yield { kind: "line", bytes };
      }
    }
    const tail = chunk.subarray(start);
    if (this.#dropping || tail.length === 0) return;
    if (this.#length + tail.length > this.#maxBytes) {
      this.#reset();
      this.#dropping = true;
      yield { kind: "too_long" };
    } else {
      this.#parts.push(tail.slice());
      this.#length += tail.length;
    }
  }

  /** What came after the last LF: a client that closes its end right behind a whole message is still answered. Null when nothing did. */
  end(): Uint8Array | null {
    if (this.#dropping || this.#length === 0) return null;
    const bytes = this.#join(new Uint8Array(0));
    this.#reset();
    return bytes;
  }

  #join(last: Uint8Array): Uint8Array {
    if (this.#parts.length === 0) return last;
    const whole = new Uint8Array(this.#length + last.length);
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
    }
    whole.set(last, at);
    return whole;
  }

  #reset(): void {
    this.#parts = [];
    this.#length = 0;
  }
}

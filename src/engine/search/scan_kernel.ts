/** The compiled inner loops and their memory: where needles, automaton and file contents lie. */

import type { TableMemory } from "./regex/lazy_automaton.ts";
import type { Needle } from "./regex/required_literals.ts";
import { SCAN_KERNEL_BASE64 } from "./scan_kernel_code.ts";

interface KernelExports {
  readonly memory: WebAssembly.Memory;
  readonly stoppedState: WebAssembly.Global;
  findByte(at: number, end: number, byte: number): number;
  startAfter(start: number, at: number, byte: number): number;
  countByte(at: number, end: number, byte: number): number;
  countCharacters(at: number, end: number): number;
  findNeedles(at: number, end: number, needles: number, count: number): number;
  runStates(at: number, end: number, state: number, classes: number): number;
}

/** Layout, in bytes. Records of needles are 1,024 bytes (scan_kernel.as). */
const NEEDLES_AT = 65_536;
const OUTSIDERS_AT = NEEDLES_AT + 8 * 1_024;
const CLASSES_AT = OUTSIDERS_AT + 2 * 1_024;
const ROWS_AT = 2 * 65_536;
/** 2 MiB of automaton: some 8,000 states, of which real patterns use a few dozen. Untouched pages cost nothing. */
const ROWS_BYTES = 2 * 1_048_576;
const BUFFER_AT = ROWS_AT + ROWS_BYTES;
/** What the SIMD loops may read past an end. */
const SLACK_BYTES = 1_024;
const PAGE_BYTES = 65_536;

/** First and greatest size of the buffer that holds a piece of a file. */
const BUFFER_BYTES = 1_048_576;
const MAX_BUFFER_BYTES = 8 * 1_048_576;

/** One per thread. Offsets in its methods count from the start of the buffer. */
export class ScanKernel {
  readonly #exports: KernelExports;
  #bytes: Uint8Array<ArrayBuffer>;
  #buffer: Uint8Array<ArrayBuffer>;
  #capacity = 0;
  #needleCount = 0;
  #owner: unknown;

  constructor() {
    const code = Uint8Array.from(atob(SCAN_KERNEL_BASE64), (character) => character.charCodeAt(0));
    this.#exports = new WebAssembly.Instance(new WebAssembly.Module(code)).exports as unknown as KernelExports;
    this.#bytes = this.#buffer = new Uint8Array(0);
    this.#reserve(BUFFER_BYTES);
    this.#writeNeedles(OUTSIDERS_AT, OUTSIDERS);
  }

  /** The buffer, as long as `grow` is not called. */
  get buffer(): Uint8Array<ArrayBuffer> {
    return this.#buffer;
  }

  /** Makes `owner` the one whose needles and automaton lie here; true when they have to be laid anew. */
  claim(owner: unknown): boolean {
    const isNew = this.#owner !== owner;
    this.#owner = owner;
    return isNew;
  }

  /** Doubles the buffer, content kept; false once it has its greatest size. Views of its memory are void afterwards, and nobody owns it. */
  grow(): boolean {
    if (this.#capacity >= MAX_BUFFER_BYTES) return false;
    this.#reserve(this.#capacity * 2);
    this.#owner = undefined;
    return true;
  }

  /** Memory for an automaton; there is one at a time. Fetch it again after `grow`. */
  get table(): TableMemory {
    return {
      classes: this.#bytes.subarray(CLASSES_AT, CLASSES_AT + 256),
      rows: new Int32Array(this.#bytes.buffer, ROWS_AT, ROWS_BYTES / 4),
      address: ROWS_AT,
    };
  }

  setNeedles(needles: readonly Needle[]): void {
    this.#needleCount = needles.length;
    this.#writeNeedles(NEEDLES_AT, needles);
  }

  /** First offset in [at, end) where a needle is, or `end`. */
  findNeedles(at: number, end: number): number {
    return this.#exports.findNeedles(BUFFER_AT + at, BUFFER_AT + end, NEEDLES_AT, this.#needleCount) - BUFFER_AT;
  }

  /** True when U+212A or U+017F is in [at, end). */
  hasOutsiders(at: number, end: number): boolean {
    return this.#exports.findNeedles(BUFFER_AT + at, BUFFER_AT + end, OUTSIDERS_AT, OUTSIDERS.length) - BUFFER_AT < end;
  }

  findByte(at: number, end: number, byte: number): number {
    return this.#exports.findByte(BUFFER_AT + at, BUFFER_AT + end, byte) - BUFFER_AT;
  }

  /** Offset of the start of the line that holds `at`, not before `start`. */
  lineStart(start: number, at: number): number {
    return this.#exports.startAfter(BUFFER_AT + start, BUFFER_AT + at, 0x0a) - BUFFER_AT;
  }

  countByte(at: number, end: number, byte: number): number {
    return this.#exports.countByte(BUFFER_AT + at, BUFFER_AT + end, byte);
  }

  /** Characters in [at, end), which must be UTF-8. */
  countCharacters(at: number, end: number): number {
    return this.#exports.countCharacters(BUFFER_AT + at, BUFFER_AT + end);
  }

  /** Runs the automaton from `row`; `row` in the answer is the state at `at`, before that byte's transition. */
  runStates(at: number, end: number, row: number): { at: number; row: number } {
    const stopped = this.#exports.runStates(BUFFER_AT + at, BUFFER_AT + end, row, CLASSES_AT) - BUFFER_AT;
    return { at: stopped, row: this.#exports.stoppedState.value as number };
  }

  #reserve(capacity: number): void {
    const needed = BUFFER_AT + capacity + SLACK_BYTES;
    const missing = Math.ceil((needed - this.#exports.memory.buffer.byteLength) / PAGE_BYTES);
    if (missing > 0) this.#exports.memory.grow(missing);
    this.#bytes = new Uint8Array(this.#exports.memory.buffer as ArrayBuffer);
    this.#buffer = this.#bytes.subarray(BUFFER_AT, BUFFER_AT + capacity);
    this.#capacity = capacity;
  }

  #writeNeedles(address: number, needles: readonly Needle[]): void {
    needles.forEach((needle, index) => this.#writeNeedle(address + index * 1_024, needle));
  }

  #writeNeedle(address: number, { bytes, isFolded }: Needle): void {
    const values = Array.from(bytes, (byte, at) => isFolded[at] ? byte & 0xdf : byte);
    const masks = isFolded.map((folded) => folded ? 0xdf : 0xff);
    const [first, second] = rarestTwo(bytes);
    const view = new DataView(this.#bytes.buffer, address, 1_024);
    view.setUint32(0, bytes.length, true);
    view.setUint32(4, first, true);
    view.setUint32(8, second, true);
    const record = this.#bytes.subarray(address, address + 1_024);
    record.fill(masks[first] as number, 16, 32);
    record.fill(values[first] as number, 32, 48);
    record.fill(masks[second] as number, 48, 64);
    record.fill(values[second] as number, 64, 80);
    record.set(values, 256);
    record.set(masks, 512);
  }
}

/** Offsets of the two bytes of a needle that text holds least often; the same one twice for a single byte. */
function rarestTwo(bytes: Uint8Array): [number, number] {
  const order = Array.from(bytes, (_, at) => at).sort((a, b) =>
    commonness(bytes[a] as number) - commonness(bytes[b] as number)
  );
  const first = order[0] as number;
  return [first, order.find((at) => bytes[at] !== bytes[first]) ?? order[1] ?? first];
}

/** Letters, digits and signs by how often source code holds them, the most frequent last; others are rare. */
const BY_FREQUENCY =
  "~`^%@$?#!&|QZJXKYV+*{}[]<>\\WHGUBzjqDFOMPLNRAIECST9876543;:'\"=_/,-().2\txkwvybg10hmfpdulcsainorte \n";

function commonness(byte: number): number {
  return BY_FREQUENCY.indexOf(String.fromCharCode(byte));
}

/** UTF-8 of U+212A and U+017F. */
const OUTSIDERS: readonly Needle[] = [
  { bytes: Uint8Array.of(0xe2, 0x84, 0xaa), isFolded: [false, false, false] },
  { bytes: Uint8Array.of(0xc5, 0xbf), isFolded: [false, false] },
];

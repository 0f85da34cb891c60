/** Bounds-checked reading of untrusted bytes. */

import { ImageFault } from "./image_fault.ts";

/** Reads numbers out of `bytes`; every read past the end is an {@link ImageFault} of kind `truncated`. */
export class ByteView {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #what: string;

  /** `what` names the data in messages, such as "PNG". */
  constructor(bytes: Uint8Array, what: string) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#what = what;
  }

  get length(): number {
    return this.bytes.length;
  }

  u8(at: number): number {
    this.need(at, 1);
    return this.#view.getUint8(at);
  }

  /** Big-endian. */
  u16be(at: number): number {
    this.need(at, 2);
    return this.#view.getUint16(at);
  }

  /** Big-endian. */
  u32be(at: number): number {
    this.need(at, 4);
    return this.#view.getUint32(at);
  }

  /** Little-endian. */
  u16le(at: number): number {
    this.need(at, 2);
    return this.#view.getUint16(at, true);
  }

  /** Little-endian. */
  u24le(at: number): number {
    return this.u16le(at) | (this.u8(at + 2) << 16);
  }

  /** Little-endian. */
  u32le(at: number): number {
    this.need(at, 4);
    return this.#view.getUint32(at, true);
  }

  /** Little-endian, signed. */
  i32le(at: number): number {
    this.need(at, 4);
    return this.#view.getInt32(at, true);
  }

  /** Four ASCII characters, as container formats name their parts. */
  tag(at: number): string {
    this.need(at, 4);
    return String.fromCharCode(...this.bytes.subarray(at, at + 4));
  }

  /** @throws ImageFault unless `count` bytes follow `at` */
  need(at: number, count: number): void {
    if (!(at >= 0) || at + count > this.bytes.length) throw this.truncated();
  }

  /** The fault of data that ends too early. */
  truncated(): ImageFault {
    return new ImageFault("truncated", `the ${this.#what} data ends before its end (the file is truncated)`);
  }

  /** The fault of data that contradicts itself; `fact` completes "the … data is damaged: ". */
  corrupt(fact: string): ImageFault {
    return new ImageFault("corrupt", `the ${this.#what} data is damaged: ${fact}`);
  }
}

/** Reads the entropy-coded data of one JPEG scan (ITU-T T.81 F.2.2.5 and G.1.2). */

import { ImageFault } from "../image_fault.ts";
import { type HuffmanTable, LOOK_BITS } from "./huffman_table.ts";
import { ZIGZAG } from "./jpeg_tables.ts";

/** Zero bytes made up behind the data before it counts as cut: a reader looks at most 4 bytes ahead. */
const MAX_PADDING_BYTES = 64;

/** Takes stuffed zeros out and stops at a marker; beyond it zeros are made up and counted. */
export class JpegBits {
  readonly #bytes: Uint8Array;
  #at: number;
  #buffer = 0;
  #count = 0;
  /** Zero bytes that were made up because a marker came. */
  #padding = 0;

  /** Starts at the first entropy-coded byte. */
  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  /** Offset of the next byte; at a marker once the scan has been read. */
  get offset(): number {
    return this.#at;
  }

  /** Skips to behind the restart marker RSTn. @throws ImageFault when another marker is there */
  restart(n: number): void {
    this.requireReal();
    const bytes = this.#bytes;
    while (bytes[this.#at] === 0xff && bytes[this.#at + 1] === 0xff) this.#at++;
    if (bytes[this.#at] !== 0xff || bytes[this.#at + 1] !== 0xd0 + n) throw damaged("a restart marker is missing");
    this.#at += 2;
    this.#buffer = 0;
    this.#count = 0;
    this.#padding = 0;
  }

  /** @throws ImageFault when bits were used that the data does not hold */
  requireReal(): void {
    if (this.#count < this.#padding * 8) throw damaged("a scan ends too early");
  }

  /** Next `n` bits (0–16). */
  bits(n: number): number {
    if (n === 0) return 0;
    if (this.#count < n) this.#refill();
    this.#count -= n;
    return (this.#buffer >>> this.#count) & ((1 << n) - 1);
  }

  /** Next signed value of `size` bits (F.2.2.1, EXTEND). */
  value(size: number): number {
    if (size === 0) return 0;
    const raw = this.bits(size);
    return raw < 1 << (size - 1) ? raw - (1 << size) + 1 : raw;
  }

  symbol(table: HuffmanTable): number {
    if (this.#count < 16) this.#refill();
    const entry = table.look[(this.#buffer >>> (this.#count - LOOK_BITS)) & ((1 << LOOK_BITS) - 1)]!;
    if (entry !== 0) {
      this.#count -= entry >> 8;
      return entry & 255;
    }
    return this.#longSymbol(table);
  }

  /**
   * Reads one block of a sequential scan into `block`, each coefficient multiplied by its entry of `factors` (both
   * row-major), and returns the zigzag index of the last one that is not zero. `block` must be zero before.
   * `difference` of the DC coefficient is handled by the caller.
   */
  acCoefficients(block: Float64Array, table: HuffmanTable, factors: Float64Array): number {
    // State lives in locals: this loop runs once for each coefficient of the picture.
    const bytes = this.#bytes;
    const { look, whole } = table;
    let at = this.#at;
    let buffer = this.#buffer;
    let count = this.#count;
    let last = 0;
    for (let k = 1; k < 64;) {
      while (count <= 24) {
        const byte = at < bytes.length ? bytes[at]! : 0xff;
        if (byte === 0xff && bytes[at + 1] !== 0) {
          buffer <<= 8;
          this.#pad();
        } else {
          buffer = buffer << 8 | byte;
          at += byte === 0xff ? 2 : 1;
        }
        count += 8;
      }
      const next = (buffer >>> (count - LOOK_BITS)) & ((1 << LOOK_BITS) - 1);
      const entry = whole[next]!;
      if (entry !== 0) {
        k += (entry >> 8) & 15;
        count -= entry & 255;
        if (k > 63) throw damaged("a block holds too many coefficients");
        const position = ZIGZAG[k]!;
        block[position] = (entry >> 16) * factors[position]!;
        last = k++;
        continue;
      }
      let symbol = look[next]!;
      if (symbol !== 0) {
        count -= symbol >> 8;
        symbol &= 255;
      } else {
        this.#buffer = buffer;
        this.#count = count;
        symbol = this.#longSymbol(table);
        count = this.#count;
      }
      const size = symbol & 15;
      if (size === 0) {
        if (symbol !== 0xf0) break;
        k += 16;
        continue;
      }
      k += symbol >> 4;
      if (k > 63) throw damaged("a block holds too many coefficients");
      this.#at = at;
      this.#buffer = buffer;
      this.#count = count;
      const value = this.value(size);
      at = this.#at;
      buffer = this.#buffer;
      count = this.#count;
      const position = ZIGZAG[k]!;
      block[position] = value * factors[position]!;
      last = k++;
    }
    this.#at = at;
    this.#buffer = buffer;
    this.#count = count;
    return last;
  }

  #refill(): void {
    const bytes = this.#bytes;
    while (this.#count <= 24) {
      const byte = this.#at < bytes.length ? bytes[this.#at]! : 0xff;
      if (byte === 0xff && bytes[this.#at + 1] !== 0) {
        this.#buffer <<= 8;
        this.#pad();
      } else {
        this.#buffer = this.#buffer << 8 | byte;
        this.#at += byte === 0xff ? 2 : 1;
      }
      this.#count += 8;
    }
  }

  #longSymbol(table: HuffmanTable): number {
    const next = (this.#buffer >>> (this.#count - 16)) & 0xffff;
    let length = LOOK_BITS + 1;
    while (length <= 16 && next >= table.limit[length]!) length++;
    if (length > 16) throw damaged("an impossible code");
    this.#count -= length;
    return table.symbols[(next >> (16 - length)) + table.delta[length]!]!;
  }

  #pad(): void {
    if (++this.#padding > MAX_PADDING_BYTES) throw damaged("a scan ends too early");
  }
}

function damaged(fact: string): ImageFault {
  return new ImageFault("corrupt", `the JPEG data is damaged: ${fact}`);
}

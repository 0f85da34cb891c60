/** Huffman tables of JPEG in the form that decodes fastest (ITU-T T.81 annex C and F.2.2.3). */

import { ImageFault } from "../image_fault.ts";

/** Bits that one look-up decides; longer codes are rare. */
export const LOOK_BITS = 10;

/** One table; the decoder reads its arrays directly, because it does so for every symbol. */
export class HuffmanTable {
  /** By the next {@link LOOK_BITS} bits: `length << 8 | symbol`, 0 when the code is longer. */
  readonly look = new Uint16Array(1 << LOOK_BITS);
  /**
   * By the same bits, where code and following value fit into them: `value << 16 | run << 8 | all bits`, else 0.
   * Only for AC tables; end of block and runs without a value are not in it.
   */
  readonly whole = new Int32Array(1 << LOOK_BITS);
  /** By code length: one more than the largest code of that length, shifted to 16 bits. */
  readonly limit = new Int32Array(17);
  /** By code length: index of its first symbol minus its first code. */
  readonly delta = new Int32Array(17);
  readonly symbols: Uint8Array;

  /** `counts` holds the number of codes of each length 1–16. @throws ImageFault when the codes do not fit */
  constructor(counts: Uint8Array, symbols: Uint8Array) {
    this.symbols = symbols;
    let code = 0;
    let index = 0;
    for (let length = 1; length <= 16; length++) {
      const count = counts[length - 1]!;
      this.delta[length] = index - code;
      if (code + count > 1 << length) throw new ImageFault("corrupt", "the JPEG data is damaged: a bad Huffman table");
      for (let i = 0; i < count; i++) this.#add(code++, length, symbols[index++]!);
      this.limit[length] = code << (16 - length);
      code <<= 1;
    }
    this.#fillWhole();
  }

  #add(code: number, length: number, symbol: number): void {
    if (length > LOOK_BITS) return;
    const first = code << (LOOK_BITS - length);
    this.look.fill(length << 8 | symbol, first, first + (1 << (LOOK_BITS - length)));
  }

  #fillWhole(): void {
    for (let bits = 0; bits < 1 << LOOK_BITS; bits++) {
      const entry = this.look[bits]!;
      const length = entry >> 8;
      const size = entry & 15;
      if (length === 0 || size === 0 || length + size > LOOK_BITS) continue;
      const raw = (bits >> (LOOK_BITS - length - size)) & ((1 << size) - 1);
      const value = raw < 1 << (size - 1) ? raw - (1 << size) + 1 : raw;
      this.whole[bits] = value << 16 | ((entry >> 4) & 15) << 8 | (length + size);
    }
  }
}

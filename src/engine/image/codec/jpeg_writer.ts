/** Writes the segments and the entropy-coded data of a baseline JPEG (ITU-T T.81 annexes B, F and K). */

import { AAN_SCALES, ZIGZAG } from "./jpeg_tables.ts";
import type { Raster } from "./row_sink.ts";

/** Tables K.1 and K.2, row-major. */
const LUMA_QUANTISER: readonly number[] = [
  ...[16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56],
  ...[14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92],
  ...[49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99],
];
const CHROMA_QUANTISER: readonly number[] = [
  ...[17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99],
  ...[47, 66, 99, 99, 99, 99, 99, 99],
  ...new Array<number>(32).fill(99),
];

interface HuffmanSpec {
  /** Number of codes of each length 1–16. */
  readonly counts: readonly number[];
  readonly symbols: readonly number[];
}

/** Tables K.3–K.6. */
const DC_SYMBOLS: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const LUMA_DC: HuffmanSpec = { counts: [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], symbols: DC_SYMBOLS };
const CHROMA_DC: HuffmanSpec = { counts: [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], symbols: DC_SYMBOLS };
const LUMA_AC: HuffmanSpec = {
  counts: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7d],
  symbols: hex(
    "01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a" +
      "434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aa" +
      "b2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa",
  ),
};
const CHROMA_AC: HuffmanSpec = {
  counts: [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77],
  symbols: hex(
    "000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738393a" +
      "434445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aa" +
      "b2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa",
  ),
};

/** Codes by symbol: `code << 5 | length`. */
type HuffmanCodes = Int32Array;

/** Grows its bytes as blocks are added; one writer per picture. */
export class JpegWriter {
  #bytes = new Uint8Array(1 << 16);
  #length = 0;
  #buffer = 0;
  #count = 0;
  readonly #colour: boolean;
  /** Row-major; what a coefficient of the fast transform is multiplied with. */
  readonly #factors: readonly Float64Array[];
  readonly #dc = [makeCodes(LUMA_DC), makeCodes(CHROMA_DC)];
  readonly #ac = [makeCodes(LUMA_AC), makeCodes(CHROMA_AC)];
  readonly #predictions = [0, 0, 0];
  readonly #quantised = new Int32Array(64);

  /** Writes everything before the first block. */
  constructor({ width, height, channels }: Raster, quality: number) {
    this.#colour = channels !== 1;
    const tables = [scaleQuantiser(LUMA_QUANTISER, quality), scaleQuantiser(CHROMA_QUANTISER, quality)];
    this.#factors = tables.map(factorsOf);
    this.#put(0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0);
    const used = this.#colour ? 2 : 1;
    for (let i = 0; i < used; i++) {
      this.#put(0xff, 0xdb, 0, 67, i, ...Array.from(ZIGZAG, (position) => tables[i]![position]!));
    }
    this.#put(0xff, 0xc0, 0, this.#colour ? 17 : 11, 8, height >> 8, height & 255, width >> 8, width & 255);
    this.#put(...(this.#colour ? [3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1] : [1, 1, 0x11, 0]));
    for (const [kind, specs] of [[0, [LUMA_DC, CHROMA_DC]], [0x10, [LUMA_AC, CHROMA_AC]]] as const) {
      for (let i = 0; i < used; i++) {
        const { counts, symbols } = specs[i]!;
        this.#put(0xff, 0xc4, 0, 19 + symbols.length, kind | i, ...counts, ...symbols);
      }
    }
    this.#put(0xff, 0xda, 0, this.#colour ? 12 : 8);
    this.#put(...(this.#colour ? [3, 1, 0, 2, 0x11, 3, 0x11] : [1, 1, 0]), 0, 63, 0);
  }

  /** Quantises and writes the transformed `block` of component 0 (luma), 1 or 2. */
  block(block: Float64Array, component: number): void {
    const kind = component === 0 ? 0 : 1;
    const factors = this.#factors[kind]!;
    const quantised = this.#quantised;
    let last = 0;
    for (let k = 0; k < 64; k++) {
      const position = ZIGZAG[k]!;
      const scaled = block[position]! * factors[position]!;
      const value = (scaled < 0 ? scaled - 0.5 : scaled + 0.5) | 0;
      quantised[k] = value;
      if (value !== 0) last = k;
    }
    this.#reserve(512);
    const difference = quantised[0]! - this.#predictions[component]!;
    this.#predictions[component] = quantised[0]!;
    const dcSize = sizeOf(difference);
    this.#code(this.#dc[kind]![dcSize]!);
    this.#value(difference, dcSize);
    const codes = this.#ac[kind]!;
    let run = 0;
    for (let k = 1; k <= last; k++) {
      const value = quantised[k]!;
      if (value === 0) {
        run++;
        continue;
      }
      for (; run > 15; run -= 16) this.#code(codes[0xf0]!);
      const size = sizeOf(value);
      this.#code(codes[run << 4 | size]!);
      this.#value(value, size);
      run = 0;
    }
    if (last < 63) this.#code(codes[0]!);
  }

  /** Writes the end marker and returns the file. */
  finish(): Uint8Array {
    this.#reserve(16);
    if (this.#count > 0) this.#bits((1 << (8 - this.#count)) - 1, 8 - this.#count);
    this.#put(0xff, 0xd9);
    return this.#bytes.slice(0, this.#length);
  }

  #put(...bytes: number[]): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(this.#bytes.length * 2);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }

  #code(entry: number): void {
    this.#bits(entry >> 5, entry & 31);
  }

  #value(value: number, size: number): void {
    if (size > 0) this.#bits((value < 0 ? value - 1 : value) & ((1 << size) - 1), size);
  }

  /** At most 16 bits, and never more than 7 wait, so 32-bit integers do. */
  #bits(value: number, count: number): void {
    let buffer = this.#buffer << count | value;
    let waiting = this.#count + count;
    while (waiting >= 8) {
      waiting -= 8;
      const byte = (buffer >>> waiting) & 255;
      this.#bytes[this.#length++] = byte;
      if (byte === 255) this.#bytes[this.#length++] = 0;
    }
    buffer &= 255;
    this.#buffer = buffer;
    this.#count = waiting;
  }
}

function sizeOf(value: number): number {
  return 32 - Math.clz32(value < 0 ? -value : value);
}

/** The scale of the Independent JPEG Group: 50 keeps the table, 100 makes it all ones. */
function scaleQuantiser(table: readonly number[], quality: number): number[] {
  const percent = quality < 50 ? 5000 / quality : 200 - quality * 2;
  return table.map((value) => Math.min(255, Math.max(1, Math.floor((value * percent + 50) / 100))));
}

function factorsOf(table: readonly number[]): Float64Array {
  return Float64Array.from(table, (value, i) => 1 / (value * 8 * AAN_SCALES[i >> 3]! * AAN_SCALES[i & 7]!));
}

function makeCodes({ counts, symbols }: HuffmanSpec): HuffmanCodes {
  const codes = new Int32Array(256);
  let code = 0;
  let index = 0;
  for (let length = 1; length <= 16; length++) {
    for (let i = 0; i < counts[length - 1]!; i++) codes[symbols[index++]!] = code++ << 5 | length;
    code <<= 1;
  }
  return codes;
}

function hex(text: string): number[] {
  return (text.match(/[0-9a-f]{2}/g) ?? []).map((pair) => parseInt(pair, 16));
}

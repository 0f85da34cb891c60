/**
 * Turns a block of 64 dequantised coefficients into 8×8, 4×4, 2×2 or 1×1 samples.
 *
 * The small forms use only the lowest frequencies, which is an exact box-free reduction of the block: a picture that is
 * to be shown at half its size is decoded at half its size.
 */

import { AAN_SCALES } from "./jpeg_tables.ts";

/** Samples a side that one block gives. */
export type BlockSize = 1 | 2 | 4 | 8;

/** Factors by which coefficients (row-major) are to be multiplied beside their quantiser, for {@link inverseDct} of that size. */
export function idctFactors(size: BlockSize): Float64Array {
  const factors = new Float64Array(64);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) factors[row * 8 + column] = axis(size, row) * axis(size, column);
  }
  return factors;
}

/** Writes `size × size` samples at `at` of `out` with `stride`; `last` is 0 only when no coefficient but the first is there. */
export function inverseDct(
  block: Float64Array,
  target: { out: Uint8ClampedArray; at: number; stride: number; size: BlockSize; last: number },
): void {
  const { out, at, stride, size, last } = target;
  if (last === 0 || size === 1) fill(block[0]! + 128, out, at, stride, size);
  else if (size === 8) full(block, out, at, stride);
  else if (size === 4) quarter(block, out, at, stride);
  else pair(block, out, at, stride);
}

/** Scale of frequency k: 1/√8 of the 8-point transform for each axis, and what the fast forms leave out. */
function axis(size: BlockSize, k: number): number {
  if (size === 8) return AAN_SCALES[k]! / Math.sqrt(8);
  return (k === 0 ? 1 : Math.SQRT2) / Math.sqrt(8);
}

function fill(value: number, out: Uint8ClampedArray, at: number, stride: number, size: number): void {
  for (let y = 0, line = at; y < size; y++, line += stride) out.fill(value, line, line + size);
}

function pair(block: Float64Array, out: Uint8ClampedArray, at: number, stride: number): void {
  const c = Math.SQRT1_2;
  const dc = block[0]! + 128;
  const across = block[1]! * c;
  const down = block[8]! * c;
  const both = block[9]! * 0.5;
  out[at] = dc + across + down + both;
  out[at + 1] = dc - across + down - both;
  out[at + stride] = dc + across - down - both;
  out[at + stride + 1] = dc - across - down + both;
}

const COS_1_8 = Math.cos(Math.PI / 8);
const COS_3_8 = Math.cos(3 * Math.PI / 8);

function quarter(block: Float64Array, out: Uint8ClampedArray, at: number, stride: number): void {
  for (let column = 0; column < 4; column++) {
    const b0 = block[column]! + (column === 0 ? 128 : 0);
    const b1 = block[column + 8]!;
    const b2 = block[column + 16]! * Math.SQRT1_2;
    const b3 = block[column + 24]!;
    const even = b0 + b2;
    const odd = b0 - b2;
    const outer = b1 * COS_1_8 + b3 * COS_3_8;
    const inner = b1 * COS_3_8 - b3 * COS_1_8;
    block[column] = even + outer;
    block[column + 8] = odd + inner;
    block[column + 16] = odd - inner;
    block[column + 24] = even - outer;
  }
  for (let row = 0, line = at; row < 32; row += 8, line += stride) {
    const b1 = block[row + 1]!;
    const b2 = block[row + 2]! * Math.SQRT1_2;
    const b3 = block[row + 3]!;
    const even = block[row]! + b2;
    const odd = block[row]! - b2;
    const outer = b1 * COS_1_8 + b3 * COS_3_8;
    const inner = b1 * COS_3_8 - b3 * COS_1_8;
    out[line] = even + outer;
    out[line + 1] = odd + inner;
    out[line + 2] = odd - inner;
    out[line + 3] = even - outer;
  }
}

/** Arai, Agui and Nakajima's flow graph, columns then rows; written out, because it runs for every block of a picture. */
function full(block: Float64Array, out: Uint8ClampedArray, at: number, stride: number): void {
  block[0]! += 128;
  for (let column = 0; column < 8; column++) {
    const s1 = block[column + 8]!;
    const s2 = block[column + 16]!;
    const s3 = block[column + 24]!;
    const s4 = block[column + 32]!;
    const s5 = block[column + 40]!;
    const s6 = block[column + 48]!;
    const s7 = block[column + 56]!;
    const s0 = block[column]!;
    if (s1 === 0 && s2 === 0 && s3 === 0 && s4 === 0 && s5 === 0 && s6 === 0 && s7 === 0) {
      for (let row = 8; row < 64; row += 8) block[column + row] = s0;
      continue;
    }
    const e0 = s0 + s4;
    const e1 = s0 - s4;
    const e3 = s2 + s6;
    const e2 = (s2 - s6) * Math.SQRT2 - e3;
    const even0 = e0 + e3;
    const even3 = e0 - e3;
    const even1 = e1 + e2;
    const even2 = e1 - e2;
    const z13 = s5 + s3;
    const z10 = s5 - s3;
    const z11 = s1 + s7;
    const z12 = s1 - s7;
    const odd7 = z11 + z13;
    const z5 = (z10 + z12) * 1.847759065;
    const odd6 = z5 - z10 * 2.613125930 - odd7;
    const odd5 = (z11 - z13) * Math.SQRT2 - odd6;
    const odd4 = z5 - z12 * 1.082392200 - odd5;
    block[column] = even0 + odd7;
    block[column + 56] = even0 - odd7;
    block[column + 8] = even1 + odd6;
    block[column + 48] = even1 - odd6;
    block[column + 16] = even2 + odd5;
    block[column + 40] = even2 - odd5;
    block[column + 24] = even3 + odd4;
    block[column + 32] = even3 - odd4;
  }
  for (let row = 0, line = at; row < 64; row += 8, line += stride) {
    const s0 = block[row]!;
    const s4 = block[row + 4]!;
    const s2 = block[row + 2]!;
    const s6 = block[row + 6]!;
    const e0 = s0 + s4;
    const e1 = s0 - s4;
    const e3 = s2 + s6;
    const e2 = (s2 - s6) * Math.SQRT2 - e3;
    const even0 = e0 + e3;
    const even3 = e0 - e3;
    const even1 = e1 + e2;
    const even2 = e1 - e2;
    const z13 = block[row + 5]! + block[row + 3]!;
    const z10 = block[row + 5]! - block[row + 3]!;
    const z11 = block[row + 1]! + block[row + 7]!;
    const z12 = block[row + 1]! - block[row + 7]!;
    const odd7 = z11 + z13;
    const z5 = (z10 + z12) * 1.847759065;
    const odd6 = z5 - z10 * 2.613125930 - odd7;
    const odd5 = (z11 - z13) * Math.SQRT2 - odd6;
    const odd4 = z5 - z12 * 1.082392200 - odd5;
    out[line] = even0 + odd7;
    out[line + 7] = even0 - odd7;
    out[line + 1] = even1 + odd6;
    out[line + 6] = even1 - odd6;
    out[line + 2] = even2 + odd5;
    out[line + 5] = even2 - odd5;
    out[line + 3] = even3 + odd4;
    out[line + 4] = even3 - odd4;
  }
}

/** Forward transform of a block of 8×8 samples by the flow graph of Arai, Agui and Nakajima, in place. */

/** Leaves coefficients that are `8 · scale[row] · scale[column]` (AAN_SCALES) times the standard's. */
export function forwardDct(block: Float64Array): void {
  for (let row = 0; row < 64; row += 8) pass(block, row, 1);
  for (let column = 0; column < 8; column++) pass(block, column, 8);
}

function pass(block: Float64Array, at: number, step: number): void {
  const d0 = block[at]!;
  const d1 = block[at + step]!;
  const d2 = block[at + 2 * step]!;
  const d3 = block[at + 3 * step]!;
  const d4 = block[at + 4 * step]!;
  const d5 = block[at + 5 * step]!;
  const d6 = block[at + 6 * step]!;
  const d7 = block[at + 7 * step]!;
  const s07 = d0 + d7;
  const s16 = d1 + d6;
  const s25 = d2 + d5;
  const s34 = d3 + d4;
  const m07 = d0 - d7;
  const m16 = d1 - d6;
  const m25 = d2 - d5;
  const m34 = d3 - d4;
  const e0 = s07 + s34;
  const e3 = s07 - s34;
  const e1 = s16 + s25;
  const e2 = s16 - s25;
  block[at] = e0 + e1;
  block[at + 4 * step] = e0 - e1;
  const turned = (e2 + e3) * Math.SQRT1_2;
  block[at + 2 * step] = e3 + turned;
  block[at + 6 * step] = e3 - turned;
  const o0 = m34 + m25;
  const o1 = m25 + m16;
  const o2 = m16 + m07;
  const z5 = (o0 - o2) * 0.382683433;
  const z2 = 0.541196100 * o0 + z5;
  const z4 = 1.306562965 * o2 + z5;
  const z3 = o1 * Math.SQRT1_2;
  const z11 = m07 + z3;
  const z13 = m07 - z3;
  block[at + 5 * step] = z13 + z2;
  block[at + 3 * step] = z13 - z2;
  block[at + step] = z11 + z4;
  block[at + 7 * step] = z11 - z4;
}

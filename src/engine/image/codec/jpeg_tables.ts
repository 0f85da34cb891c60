/** Tables that decoding and encoding of JPEG share (ITU-T T.81). */

/** Row-major position of the k-th coefficient in zigzag order (figure 5). */
export const ZIGZAG = Uint8Array.of(
  ...[0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5],
  ...[12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28],
  ...[35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51],
  ...[58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63],
);

/** Scale of row and column k of the fast DCT of Arai, Agui and Nakajima: cos(kπ/16)·√2, 1 for k = 0. */
export const AAN_SCALES: readonly number[] = Array.from(
  { length: 8 },
  (_, k) => k === 0 ? 1 : Math.cos(k * Math.PI / 16) * Math.SQRT2,
);

/** Turns unfiltered PNG rows into grey, RGB or RGBA of 8 bits a sample. */

import type { PngInfo } from "./decode_png.ts";

/** Reads `width` pixels from a line whose first byte is its filter type. The result is reused by the next call. */
export type PngRowReader = (line: Uint8Array, width: number) => Uint8Array;

/** The reader for the storage that `info` describes. */
export function pngRowReader(info: PngInfo): PngRowReader {
  const { colourType, depth, channels } = info;
  const samples = [1, 0, 3, 1, 2, 0, 4][colourType]!;
  if (depth === 8 && samples === channels && colourType !== 3) {
    return (line, width) => line.subarray(1, 1 + width * channels);
  }
  const out = new Uint8Array(info.width * channels);
  if (colourType === 3) return paletteReader(info, out);
  if (channels === 4 && samples !== 4) return expandingReader(info, { samples, out });
  const read = sampleReader(depth, depth < 8 ? 255 / mostOf(depth) : 1);
  return (line, width) => {
    for (let i = 0; i < width * samples; i++) out[i] = read(line, i);
    return out;
  };
}

/** Largest sample of `depth` bits. */
function mostOf(depth: number): number {
  return (1 << depth) - 1;
}

/** Reads sample `index`: of 16 bits the upper 8, of fewer than 8 the value times `factor`. */
function sampleReader(depth: number, factor: number): (line: Uint8Array, index: number) => number {
  if (depth === 8) return (line, index) => line[1 + index]!;
  if (depth === 16) return (line, index) => line[1 + index * 2]!;
  const most = mostOf(depth);
  const shift = Math.log2(8 / depth);
  const within = (1 << shift) - 1;
  return (line, index) => ((line[1 + (index >> shift)]! >> ((within - (index & within)) * depth)) & most) * factor;
}

function paletteReader({ depth, channels, palette, transparency }: PngInfo, out: Uint8Array): PngRowReader {
  const read = sampleReader(depth, 1);
  // 256 entries, so that an index behind the palette is black instead of undefined.
  const colours = new Uint8Array(256 * channels);
  for (let i = 0; i < 256; i++) {
    for (let c = 0; c < 3; c++) colours[i * channels + c] = palette?.[i * 3 + c] ?? 0;
    if (channels === 4) colours[i * 4 + 3] = transparency?.[i] ?? 255;
  }
  return (line, width) => {
    for (let x = 0, to = 0; x < width; x++) {
      const from = read(line, x) * channels;
      for (let c = 0; c < channels; c++) out[to++] = colours[from + c]!;
    }
    return out;
  };
}

/** Grey or RGB with one transparent colour, and grey with alpha, to RGBA. */
function expandingReader(
  { depth, colourType, transparency }: PngInfo,
  { samples, out }: { samples: number; out: Uint8Array },
): PngRowReader {
  const read = sampleReader(depth, depth < 8 ? 255 / mostOf(depth) : 1);
  const keyed = colourType < 4;
  const colours = keyed ? samples : samples - 1;
  const isKey = keyed ? keyTest(depth, samples, transparency!) : () => false;
  return (line, width) => {
    for (let x = 0, to = 0; x < width; x++, to += 4) {
      const from = x * samples;
      for (let c = 0; c < 3; c++) out[to + c] = read(line, from + (colours === 1 ? 0 : c));
      out[to + 3] = keyed ? (isKey(line, from) ? 0 : 255) : read(line, from + colours);
    }
    return out;
  };
}

/** Compares whole samples with the transparent colour: all 16 bits of them (section 11.3.1.1). */
function keyTest(depth: number, samples: number, key: Uint8Array): (line: Uint8Array, from: number) => boolean {
  const exact = sampleReader(depth === 16 ? 8 : depth, 1);
  const at = (line: Uint8Array, index: number) =>
    depth === 16 ? exact(line, index * 2) << 8 | exact(line, index * 2 + 1) : exact(line, index);
  return (line, from) => {
    for (let c = 0; c < samples; c++) {
      if (at(line, from + c) !== (key[c * 2]! << 8 | key[c * 2 + 1]!)) return false;
    }
    return true;
  };
}

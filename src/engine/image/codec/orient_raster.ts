/** Turns a raster upright, and takes away alpha that says nothing. */

import type { Raster } from "./row_sink.ts";

/** `raster` as Exif orientation 1–8 says it is to be seen (Exif 2.32 section 4.6.4). */
export function orientRaster(raster: Raster, orientation: number): Raster {
  if (orientation === 1) return raster;
  const { width, height, channels, data } = raster;
  const turned = orientation >= 5;
  const outWidth = turned ? height : width;
  const outHeight = turned ? width : height;
  // Stored row and column that the first upright row and column come from: bottom for 3, 4, 7, 8; right for 2, 3, 6, 7.
  const fromRight = turned ? orientation === 7 || orientation === 8 : orientation === 2 || orientation === 3;
  const fromBottom = turned ? orientation === 6 || orientation === 7 : orientation === 3 || orientation === 4;
  const out = new Uint8Array(data.length);
  for (let y = 0, to = 0; y < outHeight; y++) {
    for (let x = 0; x < outWidth; x++) {
      const column = turned ? y : x;
      const row = turned ? x : y;
      const storedX = fromRight ? width - 1 - column : column;
      const storedY = fromBottom ? height - 1 - row : row;
      const from = (storedY * width + storedX) * channels;
      for (let c = 0; c < channels; c++) out[to++] = data[from + c]!;
    }
  }
  return { width: outWidth, height: outHeight, channels, data: out };
}

/** `raster` as RGB when all of it is opaque, else as it is. */
export function withoutIdleAlpha(raster: Raster): Raster {
  if (raster.channels !== 4) return raster;
  for (let at = 3; at < raster.data.length; at += 4) if (raster.data[at] !== 255) return raster;
  const { width, height, data } = raster;
  const out = new Uint8Array(width * height * 3);
  for (let from = 0, to = 0; to < out.length; from += 4, to += 3) {
    out[to] = data[from]!;
    out[to + 1] = data[from + 1]!;
    out[to + 2] = data[from + 2]!;
  }
  return { width, height, channels: 3, data: out };
}

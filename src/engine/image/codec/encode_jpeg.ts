/**
 * Encodes a raster as baseline JPEG: grey, or YCbCr with chroma at half size, and the typical Huffman tables
 * (ITU-T T.81 annexes F and K; JFIF 1.02).
 */

import { forwardDct } from "./forward_dct.ts";
import { JpegWriter } from "./jpeg_writer.ts";
import type { Raster } from "./row_sink.ts";

/** Rows and columns of pixels that one MCU of a colour picture covers. */
const COLOUR_MCU = 16;

/** A complete JPEG file of `raster`, which has no alpha; `quality` 1–100 in the scale of the Independent JPEG Group. */
export function encodeJpeg(raster: Raster, quality: number): Uint8Array {
  const writer = new JpegWriter(raster, quality);
  if (raster.channels === 1) encodeGrey(raster, writer);
  else encodeColour(raster, writer);
  return writer.finish();
}

function encodeGrey({ width, height, data }: Raster, writer: JpegWriter): void {
  const block = new Float64Array(64);
  for (let top = 0; top < height; top += 8) {
    for (let left = 0; left < width; left += 8) {
      for (let y = 0, to = 0; y < 8; y++) {
        const line = Math.min(top + y, height - 1) * width;
        for (let x = 0; x < 8; x++) block[to++] = data[line + Math.min(left + x, width - 1)]! - 128;
      }
      forwardDct(block);
      writer.block(block, 0);
    }
  }
}

/** Samples of one line of MCUs; its size is rounded up to whole MCUs. */
interface Planes {
  readonly stride: number;
  readonly luma: Float32Array;
  readonly blue: Float32Array;
  readonly red: Float32Array;
}

function encodeColour(raster: Raster, writer: JpegWriter): void {
  const stride = Math.ceil(raster.width / COLOUR_MCU) * COLOUR_MCU;
  const size = stride * COLOUR_MCU;
  const planes = { stride, luma: new Float32Array(size), blue: new Float32Array(size), red: new Float32Array(size) };
  const block = new Float64Array(64);
  for (let top = 0; top < raster.height; top += COLOUR_MCU) {
    convert(raster, top, planes);
    for (let left = 0; left < stride; left += COLOUR_MCU) {
      for (const at of [left, left + 8, left + 8 * stride, left + 8 * stride + 8]) {
        take(planes.luma, at, { block, stride });
        writer.block(block, 0);
      }
      takeHalved(planes.blue, left, { block, stride });
      writer.block(block, 1);
      takeHalved(planes.red, left, { block, stride });
      writer.block(block, 2);
    }
  }
}

/** Converts {@link COLOUR_MCU} rows from `top` on; rows and columns behind the border repeat the last one. */
function convert({ width, height, data }: Raster, top: number, { stride, luma, blue, red }: Planes): void {
  for (let y = 0; y < COLOUR_MCU; y++) {
    let from = Math.min(top + y, height - 1) * width * 3;
    let to = y * stride;
    for (let x = 0; x < width; x++, from += 3, to++) {
      const r = data[from]!;
      const g = data[from + 1]!;
      const b = data[from + 2]!;
      luma[to] = 0.299 * r + 0.587 * g + 0.114 * b - 128;
      blue[to] = -0.168736 * r - 0.331264 * g + 0.5 * b;
      red[to] = 0.5 * r - 0.418688 * g - 0.081312 * b;
    }
    for (const plane of [luma, blue, red]) plane.fill(plane[to - 1]!, to, (y + 1) * stride);
  }
}

function take(plane: Float32Array, at: number, { block, stride }: { block: Float64Array; stride: number }): void {
  for (let y = 0, to = 0, line = at; y < 8; y++, line += stride) {
    for (let x = 0; x < 8; x++) block[to++] = plane[line + x]!;
  }
  forwardDct(block);
}

function takeHalved(plane: Float32Array, at: number, { block, stride }: { block: Float64Array; stride: number }): void {
  for (let y = 0, to = 0, line = at; y < 8; y++, line += stride * 2) {
    for (let x = 0, from = line; x < 8; x++, from += 2) {
      block[to++] = (plane[from]! + plane[from + 1]! + plane[from + stride]! + plane[from + stride + 1]!) * 0.25;
    }
  }
  forwardDct(block);
}

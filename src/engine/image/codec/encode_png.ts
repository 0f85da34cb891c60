/** Encodes a raster as PNG of 8 bits a sample (PNG third edition). */

import { crc32, deflateSync } from "node:zlib";
import { giveBack } from "./give_back.ts";
import { paeth } from "./paeth.ts";
import type { Raster } from "./row_sink.ts";

/** Compression level of zlib(3): the default of most programs; higher ones cost much more time for 1–2 % of size. */
const LEVEL = 6;

/** A complete PNG file of `raster`. */
export function encodePng(raster: Raster): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, raster.width);
  view.setUint32(4, raster.height);
  header[8] = 8;
  header[9] = raster.channels === 1 ? 0 : raster.channels === 3 ? 2 : 6;
  const rows = filterRows(raster);
  const data = deflateSync(rows, { level: LEVEL, chunkSize: 1 << 20 });
  giveBack(rows);
  const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  return join([signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", new Uint8Array(0))]);
}

/** Each row with the filter whose bytes, read as signed, promise the smallest sum (section 12.7). */
function filterRows({ width, height, channels, data }: Raster): Uint8Array {
  const lineBytes = width * channels;
  const out = new Uint8Array((lineBytes + 1) * height);
  const zero = new Uint8Array(lineBytes);
  for (let y = 0; y < height; y++) {
    const line = data.subarray(y * lineBytes, (y + 1) * lineBytes);
    const above = y === 0 ? zero : data.subarray((y - 1) * lineBytes, y * lineBytes);
    const at = y * (lineBytes + 1);
    const filter = chooseFilter(line, above, channels);
    out[at] = filter;
    applyFilter(out.subarray(at + 1, at + 1 + lineBytes), { line, above, pixelBytes: channels, filter });
  }
  return out;
}

type Bytes = Uint8Array | Uint8ClampedArray;

/** Filter types; Average is left out: it seldom wins and costs as much as Paeth. */
type Filter = 0 | 1 | 2 | 4;

/** Of this many pixels one is looked at to choose a filter: enough to tell, at a third of the time. */
const SAMPLED_PIXELS = 3;

function chooseFilter(line: Bytes, above: Bytes, pixelBytes: number): Filter {
  let none = 0;
  let sub = 0;
  let up = 0;
  let best = 0;
  for (let pixel = pixelBytes; pixel < line.length; pixel += pixelBytes * SAMPLED_PIXELS) {
    for (let i = pixel; i < pixel + pixelBytes; i++) {
      const byte = line[i]!;
      const left = line[i - pixelBytes]!;
      const over = above[i]!;
      none += magnitude(byte);
      sub += magnitude(byte - left);
      up += magnitude(byte - over);
      best += magnitude(byte - paeth(left, over, above[i - pixelBytes]!));
    }
  }
  const least = Math.min(none, sub, up, best);
  if (least === none) return 0;
  if (least === up) return 2;
  return least === sub ? 1 : 4;
}

/** Absolute value of the lowest 8 bits, read as signed. */
function magnitude(difference: number): number {
  const signed = (difference << 24) >> 24;
  return (signed ^ (signed >> 31)) - (signed >> 31);
}

function applyFilter(
  out: Uint8Array,
  { line, above, pixelBytes, filter }: { line: Bytes; above: Bytes; pixelBytes: number; filter: Filter },
): void {
  if (filter === 0) {
    out.set(line);
  } else if (filter === 1) {
    for (let i = 0; i < line.length; i++) out[i] = line[i]! - (i < pixelBytes ? 0 : line[i - pixelBytes]!);
  } else if (filter === 2) {
    for (let i = 0; i < line.length; i++) out[i] = line[i]! - above[i]!;
  } else {
    for (let i = 0; i < pixelBytes; i++) out[i] = line[i]! - above[i]!;
    for (let i = pixelBytes; i < line.length; i++) {
      out[i] = line[i]! - paeth(line[i - pixelBytes]!, above[i]!, above[i - pixelBytes]!);
    }
  }
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const out = new Uint8Array(12 + data.length);
  const view = new DataView(out.buffer);
  view.setUint32(0, data.length);
  for (let i = 0; i < 4; i++) out[4 + i] = type.charCodeAt(i);
  out.set(data, 8);
  view.setUint32(8 + data.length, crc32(out.subarray(4, 8 + data.length)));
  return out;
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

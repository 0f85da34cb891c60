/** Small pictures made in the test itself, and ImageMagick as the other program that pictures are compared with. */

import { execFileSync, spawnSync } from "node:child_process";
import { crc32, deflateSync } from "node:zlib";
import type { Channels, Raster } from "../../src/engine/image/codec/row_sink.ts";

/** 16×8 JPEG, left half black, right half white, Exif orientation 6: upright it is 8×16, black above white. */
export const ORIENTED_JPEG = Uint8Array.from(
  atob(
    "/9j/4QAiRXhpZgAATU0AKgAAAAgAAQESAAMAAAABAAYAAAAAAAD/2wBDAAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI" +
      "CAgICAgICAgICAgICAgICAgICAgICAj/wAALCAAIABABAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAI" +
      "AQEAAD8AP5/v/9k=",
  ),
  (character) => character.charCodeAt(0),
);

/** 24×16 progressive JPEG of ten scans, a gradient from red to blue. */
export const PROGRESSIVE_JPEG = Uint8Array.from(
  atob(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5a" +
      "YVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wgAR" +
      "CAAQABgDASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAMF/8QAFQEBAQAAAAAAAAAAAAAAAAAAAAT/2gAMAwEAAhADEAAAActBZfdA" +
      "f//EABUQAQEAAAAAAAAAAAAAAAAAAAAR/9oACAEBAAEFAqqqqv/EABURAQEAAAAAAAAAAAAAAAAAAAAU/9oACAEDAQE/AbVr/8QAFREBAQAA" +
      "AAAAAAAAAAAAAAAAABT/2gAIAQIBAT8BgQP/xAAUEAEAAAAAAAAAAAAAAAAAAAAg/9oACAEBAAY/Al//xAAUEAEAAAAAAAAAAAAAAAAAAAAg" +
      "/9oACAEBAAE/IV//AP/aAAwDAQACAAMAAAAQxx//xAAVEQEBAAAAAAAAAAAAAAAAAAAAcf/aAAgBAwEBPxClP//EABURAQEAAAAAAAAAAAAA" +
      "AAAAAABx/9oACAECAQE/EIQ//8QAFhABAQEAAAAAAAAAAAAAAAAAcQAg/9oACAEBAAE/EFKWB//Z",
  ),
  (character) => character.charCodeAt(0),
);

/** A smooth picture with edges, so that scaling, chroma and filters all have something to do. */
export function sampleRaster(width: number, height: number, channels: Channels = 3): Raster {
  const data = new Uint8Array(width * height * channels);
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const inside = (x - width / 2) ** 2 + (y - height / 2) ** 2 < (Math.min(width, height) / 3) ** 2;
      const pixel = [255 * x / width, 255 * y / height, inside ? 200 : 60, inside ? 255 : 255 * x / width];
      if (channels === 1) data[to++] = (pixel[0]! + pixel[1]!) / 2;
      else for (let c = 0; c < channels; c++) data[to++] = pixel[c]!;
    }
  }
  return { width, height, channels, data };
}

/** A PNG with whatever its header says, valid checksums, and `data` as its compressed stream. */
export function rawPng(
  { width, height, depth = 8, colourType = 0 }: { width: number; height: number; depth?: number; colourType?: number },
  data: Uint8Array = new Uint8Array(deflateSync(new Uint8Array(0))),
): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header[8] = depth;
  header[9] = colourType;
  const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  return joinBytes([signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", new Uint8Array(0))]);
}

/** The same PNG with the checksum of every chunk made right, so that damage reaches what reads the chunks. */
export function withRightChecksums(png: Uint8Array): Uint8Array {
  const out = png.slice();
  const view = new DataView(out.buffer);
  for (let at = 8; at + 12 <= out.length;) {
    const end = at + 8 + view.getUint32(at);
    if (end + 4 > out.length) break;
    view.setUint32(end, crc32(out.subarray(at + 4, end)));
    at = end + 4;
  }
  return out;
}

/** An animated GIF whose frames are 8×8 squares of one colour on a canvas of `size`×`size`. */
export function animatedGif(frames: number, size: number): Uint8Array {
  const head = joinBytes([
    new TextEncoder().encode("GIF89a"),
    Uint8Array.of(size & 255, size >> 8, size & 255, size >> 8, 0x81, 0, 0),
    Uint8Array.of(255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255),
  ]);
  const frame = joinBytes([
    Uint8Array.of(0x21, 0xf9, 4, 0, 5, 0, 0, 0),
    Uint8Array.of(0x2c, 0, 0, 0, 0, 8, 0, 8, 0, 0),
    lzwSquare(),
  ]);
  return joinBytes([head, ...Array.from({ length: frames }, () => frame), Uint8Array.of(0x3b)]);
}

/** 64 pixels of index 0 in codes of 3 bits, with a clear code before every second one so that they never grow. */
function lzwSquare(): Uint8Array {
  const codes = Array.from({ length: 32 }, () => [4, 0, 0]).flat().concat(5);
  const bytes: number[] = [];
  let buffer = 0;
  let count = 0;
  for (const code of codes) {
    buffer |= code << count;
    for (count += 3; count >= 8; count -= 8, buffer >>= 8) bytes.push(buffer & 255);
  }
  bytes.push(buffer & 255);
  return Uint8Array.of(2, bytes.length, ...bytes, 0);
}

/** Why ImageMagick cannot be used here; null when it can. */
export function magickMissing(): string | null {
  const probe = spawnSync("convert", ["-version"], { encoding: "utf8" });
  return probe.status === 0 && probe.stdout.includes("ImageMagick") ? null : "ImageMagick (convert) is not installed";
}

/** Runs `convert` on `bytes` with `args` between the input and the output `to`; returns what it writes. */
export function convert(bytes: Uint8Array, args: readonly string[], to: string): Uint8Array {
  return new Uint8Array(
    execFileSync("convert", ["-[0]", ...args, `${to}:-`], {
      input: bytes,
      maxBuffer: 1 << 28,
      stdio: ["pipe", "pipe", "pipe"],
    }),
  );
}

/** RGBA pixels of the first picture in `bytes` as ImageMagick sees them, after `args`. */
export function referencePixels(bytes: Uint8Array, args: readonly string[] = []): Uint8Array {
  return convert(bytes, [...args, "-colorspace", "sRGB", "-depth", "8"], "rgba");
}

/** Mean and largest difference of two rasters' samples as RGBA, colours weighted by alpha. */
export function difference(raster: Raster, reference: Uint8Array): { mean: number; most: number } {
  const pixels = raster.width * raster.height;
  if (reference.length !== pixels * 4) throw new Error(`${reference.length} bytes instead of ${pixels * 4}`);
  let sum = 0;
  let most = 0;
  for (let i = 0; i < pixels; i++) {
    const alpha = raster.channels === 4 ? raster.data[i * 4 + 3]! : 255;
    const wanted = reference[i * 4 + 3]!;
    for (let c = 0; c < 4; c++) {
      const own = c === 3 ? alpha : raster.data[i * raster.channels + (raster.channels === 1 ? 0 : c)]! * alpha / 255;
      const other = c === 3 ? wanted : reference[i * 4 + c]! * wanted / 255;
      const distance = Math.abs(own - other);
      sum += distance;
      most = Math.max(most, distance);
    }
  }
  return { mean: sum / (pixels * 4), most };
}

/** The parts one after another. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = joinBytes([new TextEncoder().encode(type), data]);
  const out = new Uint8Array(body.length + 8);
  const view = new DataView(out.buffer);
  view.setUint32(0, data.length);
  out.set(body, 4);
  view.setUint32(4 + body.length, crc32(body));
  return out;
}

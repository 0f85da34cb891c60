/** Decodes GIF (first frame), WebP (first frame) and TIFF (first page), and encodes WebP, by the photon library. */

import { PhotonImage } from "@cf-wasm/photon";
import { ImageFault } from "../image_fault.ts";
import { asGreyTiff } from "./tiff_palette.ts";
import type { Raster, RowSink } from "./row_sink.ts";

/** Decodes `bytes` to RGBA rows. @throws ImageFault when the library gives up, after which it is not to be used again */
export function decodeOther(
  bytes: Uint8Array,
  format: "gif" | "webp" | "tiff",
  open: (shape: { width: number; height: number; channels: 4 }) => RowSink,
): void {
  // The library knows no palettes in TIFF: it is shown a grey picture whose levels are the indexes.
  const indexed = format === "tiff" ? asGreyTiff(bytes) : null;
  const name = format === "webp" ? "WebP" : format.toUpperCase();
  const image = trapped(
    () => PhotonImage.new_from_byteslice(indexed?.grey ?? bytes),
    `the ${name} data is damaged or of a rare kind`,
  );
  try {
    const width = image.get_width();
    const height = image.get_height();
    const pixels = image.get_raw_pixels();
    if (indexed !== null) applyPalette(pixels, indexed.palette);
    const sink = open({ width, height, channels: 4 });
    for (let y = 0; y < height; y++) sink.row(pixels.subarray(y * width * 4, (y + 1) * width * 4));
  } finally {
    image.free();
  }
}

function applyPalette(pixels: Uint8Array, palette: Uint8Array): void {
  for (let at = 0; at < pixels.length; at += 4) {
    const index = pixels[at]! * 3;
    for (let c = 0; c < 3; c++) pixels[at + c] = palette[index + c]!;
  }
}

/** A complete WebP file of `raster` without any loss. */
export function encodeWebp(raster: Raster): Uint8Array {
  return trapped(() => {
    const image = new PhotonImage(toRgba(raster), raster.width, raster.height);
    try {
      return image.get_bytes_webp();
    } finally {
      image.free();
    }
  }, "the picture cannot be encoded as WebP");
}

/** The library reports every fault by a trap of its code, without words. */
function trapped<T>(work: () => T, fact: string): T {
  try {
    return work();
  } catch (cause) {
    const fault = new ImageFault("corrupt", fact);
    fault.cause = cause;
    throw fault;
  }
}

function toRgba({ width, height, channels, data }: Raster): Uint8Array {
  if (channels === 4) return new Uint8Array(data.buffer, data.byteOffset, data.length);
  const out = new Uint8Array(width * height * 4);
  for (let from = 0, to = 0; to < out.length; from += channels, to += 4) {
    for (let c = 0; c < 3; c++) out[to + c] = data[from + (channels === 1 ? 0 : c)]!;
    out[to + 3] = 255;
  }
  return out;
}

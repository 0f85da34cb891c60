/** Decodes GIF (first frame), WebP (first frame) and TIFF (first page), by the photon library. */

import { PhotonImage } from "@cf-wasm/photon";
import { ImageFault } from "../image_fault.ts";
import { asGreyTiff } from "./as_grey_tiff.ts";
import type { RowSink } from "./row_sink.ts";

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

/** Decodes GIF (first frame), WebP (first frame) and TIFF (first page), by the photon library. */

import { initPhoton, PhotonImage } from "@cf-wasm/photon";
import { ImageFault } from "../image_fault.ts";
import { asGreyTiff } from "./as_grey_tiff.ts";
import type { RowSink } from "./row_sink.ts";

/** Exports of the library's code below its classes, made by wasm-bindgen. */
interface PhotonCode {
  readonly memory: WebAssembly.Memory;
  /** Address and length of the pixels, which are to be given back by `__wbindgen_free`. */
  readonly photonimage_get_raw_pixels: (image: number) => [number, number];
  readonly __wbindgen_free: (address: number, length: number, alignment: number) => void;
}

/** Decodes `bytes` to RGBA rows. @throws ImageFault when the library gives up, after which it is not to be used again */
export async function decodeOther(
  bytes: Uint8Array,
  format: "gif" | "webp" | "tiff",
  open: (shape: { width: number; height: number; channels: 4 }) => RowSink,
): Promise<void> {
  const code = await initPhoton.ensure() as unknown as PhotonCode;
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
    // The method of the class would copy all pixels out of the library's memory once more.
    const [address, length] = code.photonimage_get_raw_pixels((image as unknown as { __wbg_ptr: number }).__wbg_ptr);
    const pixels = new Uint8Array(code.memory.buffer, address >>> 0, length >>> 0);
    if (indexed !== null) applyPalette(pixels, indexed.palette);
    const sink = open({ width, height, channels: 4 });
    for (let y = 0; y < height; y++) sink.row(pixels.subarray(y * width * 4, (y + 1) * width * 4));
    code.__wbindgen_free(address, length, 1);
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

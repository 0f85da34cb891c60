/** BMP: file header, then one of several information headers (Windows GDI, BITMAPFILEHEADER). */

import { ByteView } from "../byte_view.ts";
import { ImageFault } from "../image_fault.ts";
import type { ImageHeader } from "./image_header.ts";

/** Compression values whose pixel array has a size that follows from the dimensions. */
const UNCOMPRESSED: ReadonlySet<number> = new Set([0, 3, 6]);

/** Reads the headers and checks that the pixel array is all there. @throws ImageFault */
export function readBmpHeader(bytes: Uint8Array): ImageHeader {
  const view = new ByteView(bytes, "BMP");
  const headerSize = view.u32le(14);
  const old = headerSize === 12;
  const width = old ? view.u16le(18) : view.i32le(18);
  const height = Math.abs(old ? view.u16le(20) : view.i32le(22));
  if (width <= 0 || height === 0) throw view.corrupt("its size is not positive");
  const bits = view.u16le(old ? 24 : 28);
  const compression = old ? 0 : view.u32le(30);
  if (compression === 4 || compression === 5) throw new ImageFault("unsupported", "it is a BMP that wraps JPEG or PNG");
  if (UNCOMPRESSED.has(compression)) {
    const rowBytes = Math.ceil(width * bits / 32) * 4;
    view.need(view.u32le(10), rowBytes * height);
  }
  return { format: "bmp", width, height, orientation: 1, frames: 1, endOffset: bytes.length, unusualColour: null };
}

/** PNG: signature, then chunks of length, type, data and CRC up to IEND (PNG third edition, sections 5 and 11). */

import { crc32 } from "node:zlib";
import { ByteView } from "../byte_view.ts";
import { ImageFault } from "../image_fault.ts";
import { exifOrientation } from "./exif_orientation.ts";
import type { ImageHeader } from "./image_header.ts";

/** One chunk; `dataStart`–`dataEnd` is its data, half-open. */
export interface PngChunk {
  readonly type: string;
  readonly dataStart: number;
  readonly dataEnd: number;
}

/** Size in pixels from IHDR, before anything else is looked at. @throws ImageFault */
export function readPngSize(bytes: Uint8Array): { width: number; height: number } {
  const view = new ByteView(bytes, "PNG");
  if (view.tag(12) !== "IHDR" || view.u32be(8) !== 13) throw view.corrupt("it does not begin with an image header");
  return { width: view.u32be(16), height: view.u32be(20) };
}

/** Walks every chunk to IEND and checks each checksum. @throws ImageFault when one is cut or wrong, or the order is impossible */
export function readPngHeader(bytes: Uint8Array): ImageHeader {
  const view = new ByteView(bytes, "PNG");
  const { width, height } = readPngSize(bytes);
  let orientation = 1;
  let frames = 1;
  let seenData = false;
  for (const chunk of pngChunks(view)) {
    if (chunk.type === "eXIf") orientation = exifOrientation(bytes.subarray(chunk.dataStart, chunk.dataEnd));
    else if (chunk.type === "acTL" && !seenData) frames = Math.max(1, view.u32be(chunk.dataStart));
    else if (chunk.type === "IDAT") seenData = true;
    else if (chunk.type === "IEND") {
      if (!seenData) throw view.corrupt("it holds no image data");
      return { format: "png", width, height, orientation, frames, endOffset: chunk.dataEnd + 4, unusualColour: null };
    }
  }
  throw view.truncated();
}

/** The chunks in order, each with its checksum proved. @throws ImageFault */
export function* pngChunks(view: ByteView): Generator<PngChunk> {
  for (let at = 8; at < view.length;) {
    const length = view.u32be(at);
    const type = view.tag(at + 4);
    if (!/^[A-Za-z]{4}$/.test(type)) throw view.corrupt("a chunk has no name");
    const dataStart = at + 8;
    const dataEnd = dataStart + length;
    view.need(dataStart, length + 4);
    if (crc32(view.bytes.subarray(at + 4, dataEnd)) !== view.u32be(dataEnd)) {
      throw new ImageFault("corrupt", `the PNG data is damaged: the checksum of chunk ${type} is wrong`);
    }
    yield { type, dataStart, dataEnd };
    if (type === "IEND") return;
    at = dataEnd + 4;
  }
}

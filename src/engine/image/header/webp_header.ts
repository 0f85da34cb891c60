/** WebP: a RIFF container with one VP8, VP8L or (extended, animated) VP8X chunk first (RFC 9649). */

import { ByteView } from "../byte_view.ts";
import { exifOrientation } from "./exif_orientation.ts";
import type { ImageHeader } from "./image_header.ts";

/** Walks the chunks to the end that the container states. @throws ImageFault */
export function readWebpHeader(bytes: Uint8Array): ImageHeader {
  const view = new ByteView(bytes, "WebP");
  const endOffset = 8 + view.u32le(4);
  view.need(0, endOffset);
  const { width, height } = readSize(view);
  let orientation = 1;
  let frames = 0;
  let stills = 0;
  for (let at = 12; at + 8 <= endOffset;) {
    const type = view.tag(at);
    const size = view.u32le(at + 4);
    view.need(at + 8, size);
    if (type === "EXIF") orientation = exifOrientation(withoutExifPrefix(bytes.subarray(at + 8, at + 8 + size)));
    else if (type === "ANMF") frames++;
    else if (type === "VP8 " || type === "VP8L") stills++;
    at += 8 + size + (size & 1);
  }
  if (frames + stills === 0) throw view.corrupt("it holds no picture");
  return {
    format: "webp",
    width,
    height,
    orientation,
    frames: Math.max(1, frames),
    endOffset: Math.min(endOffset + (endOffset & 1), bytes.length),
    unusualColour: null,
  };
}

function readSize(view: ByteView): { width: number; height: number } {
  switch (view.tag(12)) {
    case "VP8 ": // RFC 6386 section 9.1: three bytes of frame tag, start code, then 14 bits each.
      if (view.u24le(23) !== 0x2a019d) throw view.corrupt("its VP8 start code is missing");
      return { width: view.u16le(26) & 0x3fff, height: view.u16le(28) & 0x3fff };
    case "VP8L": {
      if (view.u8(20) !== 0x2f) throw view.corrupt("its VP8L signature is missing");
      const bits = view.u32le(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: view.u24le(24) + 1, height: view.u24le(27) + 1 };
    default:
      throw view.corrupt("its first chunk is no picture");
  }
}

/** Some writers keep the JPEG prefix in the chunk, which RFC 9649 does not ask for. */
function withoutExifPrefix(data: Uint8Array): Uint8Array {
  const prefixed = String.fromCharCode(...data.subarray(0, 6)) === "Exif\0\0";
  return prefixed ? data.subarray(6) : data;
}

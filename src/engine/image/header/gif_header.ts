/** GIF: screen descriptor, then extensions and images in sub-blocks up to the trailer 0x3B (GIF89a specification). */

import { ByteView } from "../byte_view.ts";
import type { ImageHeader } from "./image_header.ts";

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;

/** Walks every block to the trailer and counts the images. @throws ImageFault */
export function readGifHeader(bytes: Uint8Array): ImageHeader {
  const view = new ByteView(bytes, "GIF");
  const width = view.u16le(6);
  const height = view.u16le(8);
  let at = 13 + colourTableBytes(view.u8(10));
  let frames = 0;
  for (;;) {
    const block = view.u8(at++);
    if (block === TRAILER) break;
    if (block === EXTENSION) {
      at = skipSubBlocks(view, at + 1);
    } else if (block === IMAGE) {
      const flags = view.u8(at + 8);
      at = skipSubBlocks(view, at + 9 + colourTableBytes(flags) + 1);
      frames++;
    } else {
      throw view.corrupt("an unknown block");
    }
  }
  if (frames === 0) throw view.corrupt("it holds no picture");
  return { format: "gif", width, height, orientation: 1, frames, endOffset: at, unusualColour: null };
}

function colourTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1);
}

function skipSubBlocks(view: ByteView, from: number): number {
  let at = from;
  for (let size = view.u8(at); size !== 0; size = view.u8(at)) at += size + 1;
  return at + 1;
}

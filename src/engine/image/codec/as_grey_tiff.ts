/** Palettes of TIFF (TIFF 6.0 section 5). */

import { ByteView } from "../byte_view.ts";

const TAG_BITS = 258;
const TAG_PHOTOMETRIC = 262;
const TAG_COLOUR_MAP = 320;
const PALETTE_COLOUR = 3;
const BLACK_IS_ZERO = 1;

/** A copy of the file that claims to be grey, and its 256 RGB triples; null when the picture has no palette of 256 colours. */
export function asGreyTiff(bytes: Uint8Array): { grey: Uint8Array; palette: Uint8Array } | null {
  const view = new ByteView(bytes, "TIFF");
  const little = view.u8(0) === 0x49;
  const u16 = (at: number) => little ? view.u16le(at) : view.u16be(at);
  const u32 = (at: number) => little ? view.u32le(at) : view.u32be(at);
  const directory = u32(4);
  const entries = new Map<number, number>();
  for (let i = 0, count = u16(directory); i < count; i++) {
    const at = directory + 2 + i * 12;
    entries.set(u16(at), at);
  }
  const photometric = entries.get(TAG_PHOTOMETRIC);
  const bits = entries.get(TAG_BITS);
  const map = entries.get(TAG_COLOUR_MAP);
  if (photometric === undefined || bits === undefined || map === undefined) return null;
  if (u16(photometric + 8) !== PALETTE_COLOUR || u16(bits + 8) !== 8 || u32(map + 4) !== 3 * 256) return null;
  const start = u32(map + 8);
  const palette = new Uint8Array(256 * 3);
  // All reds, then all greens, then all blues, of 16 bits.
  for (let i = 0; i < 256; i++) {
    for (let c = 0; c < 3; c++) palette[i * 3 + c] = u16(start + (c * 256 + i) * 2) >> 8;
  }
  const grey = bytes.slice();
  new DataView(grey.buffer).setUint16(photometric + 8, BLACK_IS_ZERO, little);
  return { grey, palette };
}

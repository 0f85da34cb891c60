/** Finds the orientation tag in Exif data, which is a small TIFF file (Exif 2.32 section 4.5). */

import { ByteView } from "../byte_view.ts";
import { ImageFault } from "../image_fault.ts";

const ORIENTATION_TAG = 0x0112;
const TYPE_SHORT = 3;
/** Entries looked at; real first directories have below 50. */
const MAX_ENTRIES = 512;

/** Orientation 1–8 of the TIFF structure in `tiff`; 1 when there is none or the data is damaged, which is no reason to refuse a picture. */
export function exifOrientation(tiff: Uint8Array): number {
  try {
    return readOrientation(new ByteView(tiff, "Exif"));
  } catch (fault) {
    if (fault instanceof ImageFault) return 1;
    throw fault;
  }
}

function readOrientation(view: ByteView): number {
  const order = view.tag(0);
  if (order !== "II*\0" && order !== "MM\0*") return 1;
  const little = order.startsWith("II");
  const u16 = (at: number) => little ? view.u16le(at) : view.u16be(at);
  const u32 = (at: number) => little ? view.u32le(at) : view.u32be(at);
  const directory = u32(4);
  const entries = Math.min(u16(directory), MAX_ENTRIES);
  for (let i = 0; i < entries; i++) {
    const entry = directory + 2 + i * 12;
    if (u16(entry) !== ORIENTATION_TAG) continue;
    const value = u16(entry + 2) === TYPE_SHORT ? u16(entry + 8) : 1;
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

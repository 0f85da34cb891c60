/** TIFF: directories of 12-byte entries, linked by offsets (TIFF 6.0 section 2). */

import { ByteView } from "../byte_view.ts";
import { ImageFault } from "../image_fault.ts";
import type { ImageHeader } from "./image_header.ts";
import { exifOrientation } from "./exif_orientation.ts";

const TAG_WIDTH = 256;
const TAG_HEIGHT = 257;
const TAG_STRIP_OFFSETS = 273;
const TAG_STRIP_BYTES = 279;
const TAG_TILE_OFFSETS = 324;
const TAG_TILE_BYTES = 325;
const TYPE_SHORT = 3;
/** Pages counted; a chain that is longer (or a ring) counts as this many. */
const MAX_PAGES = 10_000;

interface Entry {
  readonly type: number;
  readonly count: number;
  /** Where the values are. */
  readonly at: number;
}

/** Reads the first page, checks that its strips or tiles lie inside the file, and counts the pages. @throws ImageFault */
export function readTiffHeader(bytes: Uint8Array): ImageHeader {
  const view = new ByteView(bytes, "TIFF");
  const little = view.u8(0) === 0x49;
  const u16 = (at: number) => little ? view.u16le(at) : view.u16be(at);
  const u32 = (at: number) => little ? view.u32le(at) : view.u32be(at);
  const value = (entry: Entry, index: number) =>
    entry.type === TYPE_SHORT ? u16(entry.at + index * 2) : u32(entry.at + index * 4);

  const first = u32(4);
  const entries = new Map<number, Entry>();
  const count = u16(first);
  for (let i = 0; i < count; i++) {
    const at = first + 2 + i * 12;
    const type = u16(at + 2);
    const values = u32(at + 4);
    const inline = values * (type === TYPE_SHORT ? 2 : 4) <= 4;
    entries.set(u16(at), { type, count: values, at: inline ? at + 8 : u32(at + 8) });
  }
  const width = entries.get(TAG_WIDTH);
  const height = entries.get(TAG_HEIGHT);
  if (width === undefined || height === undefined) throw view.corrupt("its size is missing");
  requireData(view, entries, value);
  return {
    format: "tiff",
    width: value(width, 0),
    height: value(height, 0),
    orientation: exifOrientation(bytes),
    frames: countPages(first, { view, u16, u32 }),
    endOffset: bytes.length,
    unusualColour: null,
  };
}

function requireData(
  view: ByteView,
  entries: ReadonlyMap<number, Entry>,
  value: (entry: Entry, index: number) => number,
): void {
  const offsets = entries.get(TAG_STRIP_OFFSETS) ?? entries.get(TAG_TILE_OFFSETS);
  const sizes = entries.get(TAG_STRIP_BYTES) ?? entries.get(TAG_TILE_BYTES);
  if (offsets === undefined) throw view.corrupt("it holds no picture");
  if (sizes === undefined) throw new ImageFault("unsupported", "it is a TIFF without strip sizes");
  for (let i = 0; i < Math.min(offsets.count, sizes.count); i++) view.need(value(offsets, i), value(sizes, i));
}

function countPages(
  first: number,
  read: { view: ByteView; u16: (at: number) => number; u32: (at: number) => number },
): number {
  let pages = 0;
  for (let at = first; at !== 0 && pages < MAX_PAGES; pages++) {
    const next = at + 2 + read.u16(at) * 12;
    if (next + 4 > read.view.length) return pages + 1;
    at = read.u32(next);
    if (at + 2 > read.view.length) return pages + 1;
  }
  return Math.max(1, pages);
}

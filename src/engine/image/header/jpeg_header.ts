/** JPEG: markers from SOI to EOI; entropy-coded data follows each SOS (ITU-T T.81 annex B). */

import { ByteView } from "../byte_view.ts";
import { ImageFault } from "../image_fault.ts";
import { exifOrientation } from "./exif_orientation.ts";
import type { ImageHeader } from "./image_header.ts";

/** A marker segment; `start`–`end` is its content behind the length field, half-open. */
export interface JpegSegment {
  /** Second byte of the marker, such as 0xda for SOS. */
  readonly marker: number;
  readonly start: number;
  readonly end: number;
}

/** Marker: start of a scan. */
export const SOS = 0xda;
/** Marker: end of the image. */
export const EOI = 0xd9;

/** Size in pixels from the first frame header. @throws ImageFault */
export function readJpegSize(bytes: Uint8Array): { width: number; height: number } {
  const view = new ByteView(bytes, "JPEG");
  for (const segment of jpegSegments(view)) {
    if (isFrameHeader(segment.marker)) {
      return { height: view.u16be(segment.start + 1), width: view.u16be(segment.start + 3) };
    }
    if (segment.marker === SOS) break;
  }
  throw view.corrupt("it holds no frame header");
}

/** Walks the markers to EOI. @throws ImageFault when the end is missing or the coding is none that is decoded */
export function readJpegHeader(bytes: Uint8Array): ImageHeader {
  const view = new ByteView(bytes, "JPEG");
  let orientation = 1;
  let frame: JpegSegment | null = null;
  let scans = 0;
  for (const segment of jpegSegments(view)) {
    if (segment.marker === 0xe1 && isExif(bytes, segment)) {
      orientation = exifOrientation(bytes.subarray(segment.start + 6, segment.end));
    } else if (isFrameHeader(segment.marker)) {
      frame ??= segment;
    } else if (segment.marker === SOS) {
      scans++;
    } else if (segment.marker === EOI) {
      if (frame === null || scans === 0) throw view.corrupt("it holds no picture");
      return {
        format: "jpeg",
        ...describeFrame(view, frame),
        orientation,
        frames: 1,
        endOffset: segment.end,
      };
    }
  }
  throw view.truncated();
}

/** Segments in order, entropy-coded data skipped; the last one is EOI unless the data ends without it. @throws ImageFault */
export function* jpegSegments(view: ByteView): Generator<JpegSegment> {
  const { bytes } = view;
  for (let at = 2;;) {
    // Stray bytes before a marker are skipped, as all viewers do; fill bytes are part of the format (B.1.1.2).
    while (view.u8(at) !== 0xff) at++;
    while (view.u8(at) === 0xff) at++;
    const marker = view.u8(at++);
    if (marker === EOI) {
      yield { marker, start: at, end: at };
      return;
    }
    if (marker === 0 || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) continue;
    if (marker < 0xc0 || marker === 0xd8) throw view.corrupt("an impossible marker");
    const length = view.u16be(at);
    if (length < 2) throw view.corrupt("a segment shorter than its length field");
    view.need(at, length);
    yield { marker, start: at + 2, end: at + length };
    at += length;
    if (marker === SOS) at = skipEntropyCoded(bytes, at);
  }
}

/** Offset of the next marker that is neither a stuffed byte nor a restart. */
function skipEntropyCoded(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1]!;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  return bytes.length;
}

/** SOF0–SOF15 without DHT, JPG and DAC, which share the range (table B.1). */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function isExif(bytes: Uint8Array, segment: JpegSegment): boolean {
  const name = String.fromCharCode(...bytes.subarray(segment.start, segment.start + 6));
  return name === "Exif\0\0" && segment.end - segment.start > 6;
}

function describeFrame(
  view: ByteView,
  frame: JpegSegment,
): { width: number; height: number; unusualColour: "cmyk" | null } {
  if (frame.marker > 0xc2) {
    throw new ImageFault("unsupported", "it is a lossless, hierarchical or arithmetic-coded JPEG");
  }
  const precision = view.u8(frame.start);
  if (precision !== 8) throw new ImageFault("unsupported", `it is a JPEG with ${precision} bits per sample`);
  const components = view.u8(frame.start + 5);
  if (components !== 1 && components !== 3 && components !== 4) {
    throw new ImageFault("unsupported", `it is a JPEG with ${components} colour components`);
  }
  return {
    height: view.u16be(frame.start + 1),
    width: view.u16be(frame.start + 3),
    unusualColour: components === 4 ? "cmyk" : null,
  };
}

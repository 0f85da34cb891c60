/** Decodes BMP: 1, 4, 8, 16, 24 and 32 bits, bit fields, and run lengths of 4 and 8 bits (Windows GDI, "Bitmap Storage"). */

import { ByteView } from "../byte_view.ts";
import type { Channels, RowSink } from "./row_sink.ts";

interface BmpInfo {
  readonly width: number;
  readonly height: number;
  readonly topDown: boolean;
  readonly bits: number;
  readonly compression: number;
  readonly dataStart: number;
  /** RGB triples. */
  readonly palette: Uint8Array;
  /** Red, green, blue, alpha; 0 for none. */
  readonly masks: readonly number[];
}

const RLE8 = 1;
const RLE4 = 2;

/** Decodes `bytes`; `open` is told the shape before the first row. @throws ImageFault */
export function decodeBmp(
  bytes: Uint8Array,
  open: (shape: { width: number; height: number; channels: Channels }) => RowSink,
): void {
  const view = new ByteView(bytes, "BMP");
  const info = readInfo(view);
  const { width, height } = info;
  const channels = info.masks[3] === 0 ? 3 : 4;
  const sink = open({ width, height, channels });
  const out = new Uint8Array(width * channels);
  const readLine = info.bits > 8 ? colourLine(view, info, out) : indexLine(view, info, out);
  for (let y = 0; y < height; y++) {
    readLine(info.topDown ? y : height - 1 - y);
    sink.row(out);
  }
}

function readInfo(view: ByteView): BmpInfo {
  const headerSize = view.u32le(14);
  const old = headerSize === 12;
  const signedHeight = old ? view.u16le(20) : view.i32le(22);
  const bits = view.u16le(old ? 24 : 28);
  const compression = old ? 0 : view.u32le(30);
  if (![1, 4, 8, 16, 24, 32].includes(bits)) throw view.corrupt(`${bits} bits per pixel`);
  const expected = compression === RLE8 ? 8 : compression === RLE4 ? 4 : bits;
  if (![0, RLE8, RLE4, 3, 6].includes(compression) || expected !== bits) throw view.corrupt("an unknown compression");
  const colours = old || bits > 8 ? 1 << Math.min(bits, 8) : Math.min(view.u32le(46) || 1 << bits, 1 << bits);
  return {
    width: old ? view.u16le(18) : view.i32le(18),
    height: Math.abs(signedHeight),
    topDown: signedHeight < 0,
    bits,
    compression,
    dataStart: view.u32le(10),
    palette: bits > 8 ? new Uint8Array(0) : readPalette(view, 14 + headerSize, { colours, entryBytes: old ? 3 : 4 }),
    masks: readMasks(view, { headerSize, bits, compression }),
  };
}

function readPalette(
  view: ByteView,
  start: number,
  { colours, entryBytes }: { colours: number; entryBytes: number },
): Uint8Array {
  // 256 entries, so that an index behind the palette is black instead of undefined.
  const palette = new Uint8Array(256 * 3);
  for (let i = 0; i < colours; i++) {
    for (let c = 0; c < 3; c++) palette[i * 3 + c] = view.u8(start + i * entryBytes + 2 - c);
  }
  return palette;
}

function readMasks(
  view: ByteView,
  { headerSize, bits, compression }: { headerSize: number; bits: number; compression: number },
): number[] {
  if (compression === 3 || compression === 6) {
    const withAlpha = headerSize >= 56 || compression === 6;
    return [54, 58, 62, 66].map((at, i) => i === 3 && !withAlpha ? 0 : view.u32le(at));
  }
  return bits === 16 ? [0x7c00, 0x3e0, 0x1f, 0] : [0xff0000, 0xff00, 0xff, 0];
}

function lineStride({ width, bits }: BmpInfo): number {
  return Math.ceil(width * bits / 32) * 4;
}

/** Lines of 16, 24 and 32 bits. */
function colourLine(view: ByteView, info: BmpInfo, out: Uint8Array): (stored: number) => void {
  const { width, bits, dataStart, masks } = info;
  const stride = lineStride(info);
  const pixelBytes = bits / 8;
  const channels = masks[3] === 0 ? 3 : 4;
  const fields = masks.slice(0, channels).map((mask) => {
    const shift = mask === 0 ? 0 : 31 - Math.clz32(mask & -mask);
    const most = mask >>> shift;
    return { shift, most, factor: most === 0 ? 0 : 255 / most };
  });
  view.need(dataStart, stride * info.height);
  return (stored) => {
    let at = dataStart + stored * stride;
    for (let x = 0, to = 0; x < width; x++, at += pixelBytes) {
      const pixel = bits === 16 ? view.u16le(at) : bits === 24 ? view.u24le(at) : view.u32le(at);
      for (const { shift, most, factor } of fields) out[to++] = Math.round(((pixel >>> shift) & most) * factor);
    }
  };
}

/** Lines of palette indexes, packed or in runs. */
function indexLine(view: ByteView, info: BmpInfo, out: Uint8Array): (stored: number) => void {
  const { width, height, bits, dataStart, palette } = info;
  const runs = info.compression === RLE8 || info.compression === RLE4 ? readRuns(view, info) : null;
  const stride = lineStride(info);
  if (runs === null) view.need(dataStart, stride * height);
  const perByte = 8 / bits;
  const most = (1 << bits) - 1;
  return (stored) => {
    const line = dataStart + stored * stride;
    for (let x = 0, to = 0; x < width; x++) {
      const index = runs !== null
        ? runs[stored * width + x]!
        : (view.u8(line + Math.floor(x / perByte)) >> ((perByte - 1 - x % perByte) * bits)) & most;
      for (let c = 0; c < 3; c++) out[to++] = palette[index * 3 + c]!;
    }
  };
}

/** Indexes of all pixels, stored order; pixels that are skipped stay 0. */
function readRuns(view: ByteView, { width, height, bits, dataStart }: BmpInfo): Uint8Array {
  const indexes = new Uint8Array(width * height);
  let x = 0;
  let y = 0;
  const put = (index: number): void => {
    if (x < width && y < height) indexes[y * width + x] = index;
    x++;
  };
  for (let at = dataStart; y < height;) {
    const count = view.u8(at);
    const value = view.u8(at + 1);
    at += 2;
    if (count > 0) {
      for (let i = 0; i < count; i++) put(bits === 8 ? value : i % 2 === 0 ? value >> 4 : value & 15);
    } else if (value === 0) {
      [x, y] = [0, y + 1];
    } else if (value === 1) {
      break;
    } else if (value === 2) {
      x += view.u8(at);
      y += view.u8(at + 1);
      at += 2;
    } else {
      const used = bits === 8 ? value : Math.ceil(value / 2);
      view.need(at, used);
      for (let i = 0; i < value; i++) {
        const byte = view.u8(at + (bits === 8 ? i : i >> 1));
        put(bits === 8 ? byte : i % 2 === 0 ? byte >> 4 : byte & 15);
      }
      at += used + (used & 1);
    }
  }
  return indexes;
}

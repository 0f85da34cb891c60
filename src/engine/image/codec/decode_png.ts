/**
 * Decodes PNG (PNG third edition) of every colour type and depth to grey, RGB or RGBA rows of 8 bits.
 *
 * The compressed stream is inflated piece by piece, so that a picture that is scaled down is never held whole, unless
 * it is interlaced.
 */

import { createInflate } from "node:zlib";
import { ByteView } from "../byte_view.ts";
import { pngChunks } from "../header/png_header.ts";
import { ImageFault } from "../image_fault.ts";
import { pngRowReader } from "./png_row_reader.ts";
import type { Channels, RowSink } from "./row_sink.ts";
import { unfilterRow } from "./unfilter_row.ts";

/** Inflated bytes asked for at a time: large enough that the hand-over costs nothing beside the work. */
const PIECE_BYTES = 256 * 1024;

/** Pixels and channels of the rows that are given out. */
export interface PngShape {
  readonly width: number;
  readonly height: number;
  readonly channels: Channels;
}

/** The header with the chunks that colours need. */
export interface PngInfo extends PngShape {
  /** Bits of a sample in the file. */
  readonly depth: number;
  /** As IHDR has it (PNG third edition, 11.2.1). */
  readonly colourType: number;
  readonly interlaced: boolean;
  /** RGB triples of colour type 3. */
  readonly palette: Uint8Array | null;
  /** Content of tRNS: alpha per palette entry, or one transparent colour of 16-bit samples. */
  readonly transparency: Uint8Array | null;
}

/** One grid of pixels: the picture, or one of the seven passes of an interlaced one (section 8.2). */
interface Pass {
  readonly x: number;
  readonly y: number;
  readonly stepX: number;
  readonly stepY: number;
  readonly width: number;
  readonly height: number;
}

/** Decodes `bytes`; `open` is told the shape before the first row. @throws ImageFault */
export async function decodePng(bytes: Uint8Array, open: (shape: PngShape) => RowSink): Promise<void> {
  const { info, data } = readPngInfo(bytes);
  const sink = open({ width: info.width, height: info.height, channels: info.channels });
  if (info.interlaced) await decodeInterlaced(info, data, sink);
  else await decodePasses(info, { data, passes: [wholePass(info)], take: (_pass, _y, pixels) => sink.row(pixels) });
}

/** Reads the chunks that say how pixels are stored, and gathers the compressed ones. @throws ImageFault */
function readPngInfo(bytes: Uint8Array): { info: PngInfo; data: Uint8Array[] } {
  const view = new ByteView(bytes, "PNG");
  let palette: Uint8Array | null = null;
  let transparency: Uint8Array | null = null;
  const data: Uint8Array[] = [];
  for (const { type, dataStart, dataEnd } of pngChunks(view)) {
    const content = bytes.subarray(dataStart, dataEnd);
    if (type === "PLTE") palette = content;
    else if (type === "tRNS") transparency = content;
    else if (type === "IDAT") data.push(content);
  }
  const depth = view.u8(24);
  const colourType = view.u8(25);
  requireCombination(view, depth, colourType);
  if (colourType === 3 && palette === null) throw view.corrupt("its palette is missing");
  const alpha = colourType >= 4 || transparency !== null;
  return {
    info: {
      width: view.u32be(16),
      height: view.u32be(20),
      channels: alpha ? 4 : colourType === 0 ? 1 : 3,
      depth,
      colourType,
      interlaced: view.u8(28) === 1,
      palette,
      transparency,
    },
    data,
  };
}

/** Table 11.1. */
function requireCombination(view: ByteView, depth: number, colourType: number): void {
  const allowed: Readonly<Record<number, readonly number[]>> = {
    0: [1, 2, 4, 8, 16],
    2: [8, 16],
    3: [1, 2, 4, 8],
    4: [8, 16],
    6: [8, 16],
  };
  if (!allowed[colourType]?.includes(depth)) throw view.corrupt("an impossible combination of colour type and depth");
  if (view.u8(26) !== 0 || view.u8(27) !== 0 || view.u8(28) > 1) throw view.corrupt("an unknown method");
}

function wholePass({ width, height }: PngInfo): Pass {
  return { x: 0, y: 0, stepX: 1, stepY: 1, width, height };
}

function interlacePasses({ width, height }: PngInfo): Pass[] {
  const grid = [[0, 0, 8, 8], [4, 0, 8, 8], [0, 4, 4, 8], [2, 0, 4, 4], [0, 2, 2, 4], [1, 0, 2, 2], [0, 1, 1, 2]];
  return grid.map(([x, y, stepX, stepY]) => ({
    x: x!,
    y: y!,
    stepX: stepX!,
    stepY: stepY!,
    width: Math.ceil((width - x!) / stepX!),
    height: Math.ceil((height - y!) / stepY!),
  })).filter((pass) => pass.width > 0 && pass.height > 0);
}

async function decodeInterlaced(info: PngInfo, data: readonly Uint8Array[], sink: RowSink): Promise<void> {
  const { width, height, channels } = info;
  const whole = new Uint8Array(width * height * channels);
  await decodePasses(info, {
    data,
    passes: interlacePasses(info),
    take(pass, y, pixels) {
      let to = ((pass.y + y * pass.stepY) * width + pass.x) * channels;
      for (let from = 0; from < pass.width * channels; to += (pass.stepX - 1) * channels) {
        for (let i = 0; i < channels; i++) whole[to++] = pixels[from++]!;
      }
    },
  });
  for (let y = 0; y < height; y++) sink.row(whole.subarray(y * width * channels, (y + 1) * width * channels));
}

interface PassJob {
  readonly data: readonly Uint8Array[];
  readonly passes: readonly Pass[];
  readonly take: (pass: Pass, y: number, pixels: Uint8Array) => void;
}

async function decodePasses(info: PngInfo, { data, passes, take }: PassJob): Promise<void> {
  const bitsPerPixel = info.depth * [1, 0, 3, 1, 2, 0, 4][info.colourType]!;
  const pixelBytes = Math.max(1, bitsPerPixel >> 3);
  const readRow = pngRowReader(info);
  let passIndex = 0;
  let pass = passes[0]!;
  let y = 0;
  let lineBytes = Math.ceil(pass.width * bitsPerPixel / 8);
  let line = new Uint8Array(lineBytes + 1);
  let above = new Uint8Array(lineBytes + 1);
  let filled = 0;
  for await (const piece of inflated(data)) {
    for (let at = 0; at < piece.length;) {
      const count = Math.min(lineBytes + 1 - filled, piece.length - at);
      line.set(piece.subarray(at, at + count), filled);
      at += count;
      filled += count;
      if (filled <= lineBytes) break;
      unfilterRow(line, above, pixelBytes);
      take(pass, y, readRow(line, pass.width));
      [line, above] = [above, line];
      filled = 0;
      if (++y < pass.height) continue;
      if (++passIndex === passes.length) return;
      pass = passes[passIndex]!;
      y = 0;
      lineBytes = Math.ceil(pass.width * bitsPerPixel / 8);
      line = new Uint8Array(lineBytes + 1);
      above = new Uint8Array(lineBytes + 1);
    }
  }
  throw new ImageFault("corrupt", "the PNG data is damaged: it holds fewer rows than its header says");
}

async function* inflated(data: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  const inflate = createInflate({ chunkSize: PIECE_BYTES });
  // The error reaches the reader below; writing after it would only repeat it.
  inflate.on("error", () => {});
  // The chunks lie in memory already, so that waiting for the stream to drain would save nothing.
  for (const chunk of data) inflate.write(chunk);
  inflate.end();
  try {
    for await (const piece of inflate) yield piece;
  } catch (fault) {
    throw new ImageFault("corrupt", `the PNG data is damaged: ${(fault as Error).message}`);
  } finally {
    inflate.destroy();
  }
}

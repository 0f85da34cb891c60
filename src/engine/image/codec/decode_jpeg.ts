/**
 * Decodes JPEG (baseline, extended sequential and progressive Huffman coding, 8 bits) to grey or RGB rows.
 *
 * A sequential picture streams: one line of MCUs is held. Several scans need all coefficients, two bytes each.
 */

import { ByteView } from "../byte_view.ts";
import { EOI, jpegSegments, SOS } from "../header/jpeg_header.ts";
import { type BlockSize, idctFactors, inverseDct } from "./inverse_dct.ts";
import { JpegBits } from "./jpeg_bits.ts";
import { dcSize, JpegCoefficients, required } from "./jpeg_coefficients.ts";
import { JpegRows, type Strip } from "./jpeg_rows.ts";
import { componentBlockSize, type JpegFrame, JpegTables, readJpegFrame, readJpegScan } from "./jpeg_frame.ts";
import type { Channels, RowSink } from "./row_sink.ts";

/** Pixels and channels of the rows that are given out. */
export interface JpegShape {
  readonly width: number;
  readonly height: number;
  readonly channels: Channels;
}

/** Largest reduction whose result is at least `width × height`: 8 is the full size, 4 the half. */
export function jpegReduction(
  from: { width: number; height: number },
  to: { width: number; height: number },
): BlockSize {
  for (const size of [1, 2, 4] as const) {
    if (Math.ceil(from.width * size / 8) >= to.width && Math.ceil(from.height * size / 8) >= to.height) return size;
  }
  return 8;
}

/**
 * Decodes `bytes` at `size`/8 of its size. `open` is told the shape of the rows before the first one; null checks
 * the data to its end without making pixels. @throws ImageFault
 */
export function decodeJpeg(bytes: Uint8Array, size: BlockSize, open: ((shape: JpegShape) => RowSink) | null): void {
  const view = new ByteView(bytes, "JPEG");
  const tables = new JpegTables();
  let frame: JpegFrame | null = null;
  let coefficients: JpegCoefficients | null = null;
  let scans = 0;
  for (const segment of jpegSegments(view)) {
    if (segment.marker >= 0xc0 && segment.marker <= 0xc2) {
      if (frame !== null) throw view.corrupt("two frames");
      frame = readJpegFrame(view, segment);
    } else if (segment.marker === SOS) {
      if (frame === null) throw view.corrupt("a scan before its frame");
      const scan = readJpegScan(view, segment, frame);
      const bits = new JpegBits(bytes, segment.end);
      if (scans++ === 0 && !frame.progressive && scan.components.length === frame.components.length) {
        decodeSequential({ frame, tables, bits }, open === null ? null : openRows(frame, tables, size, open));
        return;
      }
      coefficients ??= new JpegCoefficients(frame);
      coefficients.readScan(scan, tables, bits);
    } else if (segment.marker !== EOI) {
      tables.read(view, segment);
    }
  }
  if (frame === null || coefficients === null) throw view.truncated();
  if (open !== null) transformAll(frame, coefficients, openRows(frame, tables, size, open));
}

function openRows(
  frame: JpegFrame,
  tables: JpegTables,
  size: BlockSize,
  open: (shape: JpegShape) => RowSink,
): JpegRows {
  const strips = frame.components.map((component): Strip => {
    const own = componentBlockSize(frame, component, size);
    const quantiser = required(tables.quantisers[component.quantiser]);
    const stride = component.blocksAcross * own;
    return {
      component,
      size: own,
      factors: idctFactors(own).map((factor, i) => factor * quantiser[i]!),
      stride,
      samples: new Uint8ClampedArray(stride * component.v * own),
    };
  });
  const shape: JpegShape = {
    width: Math.ceil(frame.width * size / 8),
    height: Math.ceil(frame.height * size / 8),
    channels: frame.components.length === 1 ? 1 : 3,
  };
  return new JpegRows({ frame, adobe: tables.adobe, size, strips, shape, sink: open(shape) });
}

/** The one scan of a sequential picture, MCU by MCU. */
function decodeSequential(
  { frame, tables, bits }: { frame: JpegFrame; tables: JpegTables; bits: JpegBits },
  rows: JpegRows | null,
): void {
  const block = new Float64Array(64);
  const plan = frame.components.map((component, i) => ({
    component,
    dc: required(tables.dc[component.dcTable]),
    ac: required(tables.ac[component.acTable]),
    strip: rows?.strips[i] ?? null,
    factors: rows?.strips[i]?.factors ?? new Float64Array(64),
  }));
  let sinceRestart = 0;
  let restarts = 0;
  for (let row = 0; row < frame.mcusDown; row++) {
    for (let column = 0; column < frame.mcusAcross; column++) {
      if (tables.restartInterval > 0 && sinceRestart++ === tables.restartInterval) {
        bits.restart(restarts++ & 7);
        for (const { component } of plan) component.prediction = 0;
        sinceRestart = 1;
      }
      for (const { component, dc, ac, strip, factors } of plan) {
        for (let y = 0; y < component.v; y++) {
          for (let x = 0; x < component.h; x++) {
            component.prediction += bits.value(dcSize(bits, dc));
            block.fill(0);
            const last = bits.acCoefficients(block, ac, factors);
            if (strip === null) continue;
            block[0] = component.prediction * factors[0]!;
            const { size, stride, samples } = strip;
            const at = y * size * stride + (column * component.h + x) * size;
            inverseDct(block, { out: samples, at, stride, size, last });
          }
        }
      }
    }
    rows?.flush(row);
  }
  bits.requireReal();
}

function transformAll(frame: JpegFrame, coefficients: JpegCoefficients, rows: JpegRows): void {
  const block = new Float64Array(64);
  const sources = rows.strips.map((strip) => ({ strip, blocks: coefficients.of(strip.component) }));
  for (let row = 0; row < frame.mcusDown; row++) {
    for (const { strip, blocks } of sources) {
      const { component, size, stride, samples, factors } = strip;
      for (let y = 0; y < component.v; y++) {
        let from = (row * component.v + y) * component.blocksAcross * 64;
        for (let x = 0; x < component.blocksAcross; x++, from += 64) {
          let last = 0;
          for (let i = 0; i < 64; i++) {
            const value = blocks[from + i]!;
            block[i] = value * factors[i]!;
            if (value !== 0 && i > 0) last = i;
          }
          inverseDct(block, { out: samples, at: y * size * stride + x * size, stride, size, last });
        }
      }
    }
    rows.flush(row);
  }
}

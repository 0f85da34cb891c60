/** Turns decoded component samples of one line of MCUs into rows of grey or RGB. */

import type { BlockSize } from "./inverse_dct.ts";
import type { JpegShape } from "./decode_jpeg.ts";
import { jpegColour, type JpegComponent, type JpegFrame } from "./jpeg_frame.ts";
import type { RowSink } from "./row_sink.ts";

/** Samples of one component for one line of MCUs. */
export interface Strip {
  readonly component: JpegComponent;
  readonly size: BlockSize;
  /** What coefficients (row-major) are multiplied with: quantiser and scale of the transform. */
  readonly factors: Float64Array;
  readonly stride: number;
  readonly samples: Uint8ClampedArray;
}

interface RowsPlan {
  readonly frame: JpegFrame;
  readonly adobe: number | null;
  readonly size: BlockSize;
  readonly strips: readonly Strip[];
  readonly shape: JpegShape;
  readonly sink: RowSink;
}

/** Owns its row: what it gives out is valid until the next one. */
export class JpegRows {
  readonly strips: readonly Strip[];
  readonly #plan: RowsPlan;
  readonly #row: Uint8ClampedArray;
  /** One row of each component, stretched to the width of the picture. */
  readonly #lines: Uint8ClampedArray[];
  readonly #toRgb: (lines: readonly Uint8ClampedArray[], row: Uint8ClampedArray, width: number) => void;

  constructor(plan: RowsPlan) {
    this.#plan = plan;
    this.strips = plan.strips;
    const { width, channels } = plan.shape;
    this.#row = new Uint8ClampedArray(width * channels);
    this.#lines = plan.strips.map(() => new Uint8ClampedArray(width));
    const colour = jpegColour(plan.frame, plan.adobe);
    const tables = makeTables();
    if (colour === "grey") this.#toRgb = (lines, row) => row.set(lines[0]!);
    else if (colour === "rgb") this.#toRgb = interleave;
    else if (colour === "ycc") this.#toRgb = (lines, row, width) => yccToRgb(lines, row, width, tables);
    else {
      const inverted = plan.adobe !== null;
      this.#toRgb = (lines, row, width) => inkToRgb(lines, row, width, { ycck: colour === "ycck", inverted, tables });
    }
  }

  /** Emits the rows of line `mcuRow` of MCUs, which the strips hold. */
  flush(mcuRow: number): void {
    const { frame, size, shape, sink } = this.#plan;
    const rowsPerMcu = frame.vMax * size;
    const count = Math.min(rowsPerMcu, shape.height - mcuRow * rowsPerMcu);
    for (let y = 0; y < count; y++) {
      const lines = this.strips.map((strip, i) => this.#line(strip, i, y));
      this.#toRgb(lines, this.#row, shape.width);
      sink.row(this.#row);
    }
  }

  #line(strip: Strip, index: number, y: number): Uint8ClampedArray {
    const { frame, size, shape } = this.#plan;
    const { component, stride, samples } = strip;
    const across = frame.hMax * size / (component.h * strip.size);
    const down = frame.vMax * size / (component.v * strip.size);
    const at = Math.floor(y / down) * stride;
    const line = samples.subarray(at, at + stride);
    if (across === 1) return line.subarray(0, shape.width);
    const out = this.#lines[index]!;
    if (across === 2) stretchTwice(line, out, Math.ceil(shape.width / 2));
    else for (let x = 0; x < shape.width; x++) out[x] = line[Math.floor(x / across)]!;
    return out;
  }
}

/** Linear interpolation between centres, as the standard recommends for halved chroma. */
function stretchTwice(line: Uint8ClampedArray, out: Uint8ClampedArray, count: number): void {
  for (let x = 0; x < count; x++) {
    const here = line[x]! * 3;
    out[x * 2] = (here + line[x === 0 ? 0 : x - 1]! + 1) >> 2;
    out[x * 2 + 1] = (here + line[x + 1 < count ? x + 1 : x]! + 2) >> 2;
  }
}

interface ColourTables {
  readonly crRed: Int16Array;
  readonly cbBlue: Int16Array;
  readonly crGreen: Float32Array;
  readonly cbGreen: Float32Array;
}

/** JFIF 1.02 page 4: YCbCr of BT.601, full range. */
function makeTables(): ColourTables {
  const centred = Array.from({ length: 256 }, (_, i) => i - 128);
  return {
    crRed: Int16Array.from(centred, (c) => Math.round(1.402 * c)),
    cbBlue: Int16Array.from(centred, (c) => Math.round(1.772 * c)),
    crGreen: Float32Array.from(centred, (c) => -0.714136 * c),
    cbGreen: Float32Array.from(centred, (c) => -0.344136 * c),
  };
}

function yccToRgb(
  [lumas, blues, reds]: readonly Uint8ClampedArray[],
  row: Uint8ClampedArray,
  width: number,
  { crRed, cbBlue, crGreen, cbGreen }: ColourTables,
): void {
  for (let x = 0, to = 0; x < width; x++, to += 3) {
    const luma = lumas![x]!;
    const cb = blues![x]!;
    const cr = reds![x]!;
    row[to] = luma + crRed[cr]!;
    row[to + 1] = luma + cbGreen[cb]! + crGreen[cr]!;
    row[to + 2] = luma + cbBlue[cb]!;
  }
}

function interleave(lines: readonly Uint8ClampedArray[], row: Uint8ClampedArray, width: number): void {
  for (let x = 0, to = 0; x < width; x++, to += 3) {
    row[to] = lines[0]![x]!;
    row[to + 1] = lines[1]![x]!;
    row[to + 2] = lines[2]![x]!;
  }
}

/** CMYK without a profile: each light is what its ink and the black leave over. Adobe stores the ink inverted. */
function inkToRgb(
  lines: readonly Uint8ClampedArray[],
  row: Uint8ClampedArray,
  width: number,
  { ycck, inverted, tables }: { ycck: boolean; inverted: boolean; tables: ColourTables },
): void {
  if (ycck) {
    yccToRgb(lines, row, width, tables);
    for (let i = 0; i < width * 3; i++) row[i] = 255 - row[i]!;
  } else {
    interleave(lines, row, width);
  }
  const blacks = lines[3]!;
  for (let x = 0, to = 0; x < width; x++) {
    const light = inverted ? blacks[x]! : 255 - blacks[x]!;
    for (let i = 0; i < 3; i++, to++) row[to] = (inverted ? row[to]! : 255 - row[to]!) * light / 255;
  }
}

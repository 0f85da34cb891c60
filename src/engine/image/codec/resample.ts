/**
 * Scales a picture down while its rows arrive.
 *
 * The filter is a Hamming-windowed sinc one destination pixel wide: as cheap as a triangle, nearly as sharp as a cubic,
 * and without its ringing around the edges of text. Colours are weighted by their opacity.
 */

import type { Channels, Raster, RowSink } from "./row_sink.ts";

/** Pixels before and after; never more after than before. */
export interface ResampleSizes {
  readonly fromWidth: number;
  readonly fromHeight: number;
  readonly width: number;
  readonly height: number;
  readonly channels: Channels;
}

/** Takes the rows of the source and holds only the destination; {@link Resampler.raster} is complete after the last row. */
export class Resampler implements RowSink {
  readonly raster: Raster;
  readonly #sizes: ResampleSizes;
  readonly #out: Uint8ClampedArray;
  readonly #copies: boolean;
  readonly #across: Taps;
  readonly #down: Taps;
  /** One scaled row, then the sums of the destination rows that are not yet complete. */
  readonly #line: Float32Array;
  readonly #weighted: Float32Array;
  readonly #sums = new Map<number, Float32Array>();
  readonly #spare: Float32Array[] = [];
  #sourceRow = 0;
  #firstOpen = 0;

  /** Sizes in pixels; never larger than the source on either axis. */
  constructor(sizes: ResampleSizes) {
    this.#sizes = sizes;
    const { width, height, channels } = sizes;
    this.#out = new Uint8ClampedArray(width * height * channels);
    this.raster = { width, height, channels, data: this.#out };
    this.#copies = sizes.fromWidth === width && sizes.fromHeight === height;
    this.#across = makeTaps(this.#copies ? 1 : sizes.fromWidth, this.#copies ? 1 : width);
    this.#down = makeTaps(this.#copies ? 1 : sizes.fromHeight, this.#copies ? 1 : height);
    this.#line = new Float32Array(this.#copies ? 0 : width * channels);
    this.#weighted = new Float32Array(this.#copies || channels !== 4 ? 0 : sizes.fromWidth * 4);
  }

  /** Rows taken so far. */
  get rows(): number {
    return this.#sourceRow;
  }

  row(pixels: Uint8Array | Uint8ClampedArray): void {
    const row = this.#sourceRow++;
    const { fromWidth, width, channels } = this.#sizes;
    if (this.#copies) {
      this.#out.set(pixels.subarray(0, width * channels), row * width * channels);
      return;
    }
    if (channels === 4) {
      premultiply(pixels, this.#weighted, fromWidth);
      scale4(this.#weighted, this.#line, this.#across);
    } else if (channels === 3) {
      scale3(pixels, this.#line, this.#across);
    } else {
      scale1(pixels, this.#line, this.#across);
    }
    this.#addLine(row);
  }

  /** Adds the scaled row to every destination row whose filter covers it, and finishes those that end with it. */
  #addLine(row: number): void {
    const { starts, ends, weights, stride } = this.#down;
    for (let y = this.#firstOpen; y < starts.length && starts[y]! <= row; y++) {
      if (row >= ends[y]!) continue;
      let sums = this.#sums.get(y);
      if (sums === undefined) {
        sums = this.#spare.pop()?.fill(0) ?? new Float32Array(this.#line.length);
        this.#sums.set(y, sums);
      }
      addWeighted(sums, this.#line, weights[y * stride + row - starts[y]!]!);
      if (row === ends[y]! - 1) this.#finish(y, sums);
    }
  }

  #finish(y: number, sums: Float32Array): void {
    const { width, channels } = this.#sizes;
    const at = y * width * channels;
    if (channels === 4) storeUnpremultiplied(sums, this.#out, at);
    else store(sums, this.#out, at);
    this.#sums.delete(y);
    this.#spare.push(sums);
    if (y === this.#firstOpen) this.#firstOpen++;
  }
}

/** For each destination index the half-open range of sources and their weights, which add up to 1. */
interface Taps {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly weights: Float32Array;
  readonly stride: number;
}

function makeTaps(from: number, to: number): Taps {
  const scale = from / to;
  const support = Math.max(1, scale);
  const stride = Math.ceil(support * 2) + 2;
  const starts = new Int32Array(to);
  const ends = new Int32Array(to);
  const weights = new Float32Array(to * stride);
  for (let i = 0; i < to; i++) {
    const centre = (i + 0.5) * scale;
    const start = Math.max(0, Math.round(centre - support));
    const end = Math.max(start + 1, Math.min(from, Math.round(centre + support)));
    let total = 0;
    for (let j = start; j < end; j++) {
      const weight = hamming((j + 0.5 - centre) / support);
      weights[i * stride + j - start] = weight;
      total += weight;
    }
    for (let j = start; j < end; j++) weights[i * stride + j - start]! /= total;
    starts[i] = start;
    ends[i] = end;
  }
  return { starts, ends, weights, stride };
}

function hamming(x: number): number {
  const distance = Math.abs(x);
  if (distance >= 1) return 0;
  if (distance === 0) return 1;
  const angle = distance * Math.PI;
  return Math.sin(angle) / angle * (0.54 + 0.46 * Math.cos(angle));
}

function scale1(source: ArrayLike<number>, line: Float32Array, taps: Taps): void {
  const { starts, ends, weights, stride } = taps;
  for (let x = 0; x < starts.length; x++) {
    let sum = 0;
    let tap = x * stride;
    for (let at = starts[x]!, end = ends[x]!; at < end; at++) sum += source[at]! * weights[tap++]!;
    line[x] = sum;
  }
}

function scale3(source: Uint8Array | Uint8ClampedArray, line: Float32Array, taps: Taps): void {
  const { starts, ends, weights, stride } = taps;
  for (let x = 0, to = 0; x < starts.length; x++) {
    let red = 0;
    let green = 0;
    let blue = 0;
    let tap = x * stride;
    for (let at = starts[x]! * 3, end = ends[x]! * 3; at < end; at += 3) {
      const weight = weights[tap++]!;
      red += source[at]! * weight;
      green += source[at + 1]! * weight;
      blue += source[at + 2]! * weight;
    }
    line[to++] = red;
    line[to++] = green;
    line[to++] = blue;
  }
}

function scale4(source: Float32Array, line: Float32Array, taps: Taps): void {
  const { starts, ends, weights, stride } = taps;
  for (let x = 0, to = 0; x < starts.length; x++) {
    let red = 0;
    let green = 0;
    let blue = 0;
    let alpha = 0;
    let tap = x * stride;
    for (let at = starts[x]! * 4, end = ends[x]! * 4; at < end; at += 4) {
      const weight = weights[tap++]!;
      red += source[at]! * weight;
      green += source[at + 1]! * weight;
      blue += source[at + 2]! * weight;
      alpha += source[at + 3]! * weight;
    }
    line[to++] = red;
    line[to++] = green;
    line[to++] = blue;
    line[to++] = alpha;
  }
}

function premultiply(pixels: Uint8Array | Uint8ClampedArray, out: Float32Array, width: number): void {
  for (let at = 0; at < width * 4; at += 4) {
    const alpha = pixels[at + 3]!;
    const share = alpha / 255;
    out[at] = pixels[at]! * share;
    out[at + 1] = pixels[at + 1]! * share;
    out[at + 2] = pixels[at + 2]! * share;
    out[at + 3] = alpha;
  }
}

function addWeighted(sums: Float32Array, line: Float32Array, weight: number): void {
  for (let i = 0; i < sums.length; i++) sums[i]! += line[i]! * weight;
}

function store(sums: Float32Array, out: Uint8ClampedArray, at: number): void {
  for (let i = 0; i < sums.length; i++) out[at + i] = sums[i]!;
}

function storeUnpremultiplied(sums: Float32Array, out: Uint8ClampedArray, at: number): void {
  for (let i = 0; i < sums.length; i += 4) {
    const alpha = sums[i + 3]!;
    const share = alpha <= 0 ? 0 : 255 / alpha;
    out[at + i] = sums[i]! * share;
    out[at + i + 1] = sums[i + 1]! * share;
    out[at + i + 2] = sums[i + 2]! * share;
    out[at + i + 3] = alpha;
  }
}

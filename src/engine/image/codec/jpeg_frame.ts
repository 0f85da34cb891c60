/** The tables and components of one JPEG while its segments are read (ITU-T T.81 B.2). */

import type { ByteView } from "../byte_view.ts";
import type { JpegSegment } from "../header/jpeg_header.ts";
import type { BlockSize } from "./inverse_dct.ts";
import { HuffmanTable } from "./huffman_table.ts";
import { ZIGZAG } from "./jpeg_tables.ts";

/** How the samples of the components become RGB. */
export type JpegColour = "grey" | "rgb" | "ycc" | "cmyk" | "ycck";

/** One component of SOF, with what the scans do to it. */
export interface JpegComponent {
  readonly id: number;
  /** Sampling factors 1–4. */
  readonly h: number;
  readonly v: number;
  /** Number of its quantisation table (Tq). */
  readonly quantiser: number;
  /** Blocks a line and lines of blocks, padded to whole MCUs. */
  readonly blocksAcross: number;
  readonly blocksDown: number;
  /** Blocks a line and lines of blocks that hold pixels: what a scan of this component alone codes (A.2.2). */
  readonly ownAcross: number;
  readonly ownDown: number;
  /** Running DC value. */
  prediction: number;
  dcTable: number;
  acTable: number;
}

/** The picture as SOF declares it (B.2.2). */
export interface JpegFrame {
  readonly width: number;
  readonly height: number;
  readonly progressive: boolean;
  readonly components: readonly JpegComponent[];
  readonly hMax: number;
  readonly vMax: number;
  readonly mcusAcross: number;
  readonly mcusDown: number;
}

/** One SOS (B.2.3): which coefficients it brings, and which bits of them. */
export interface JpegScan {
  readonly components: readonly JpegComponent[];
  /** First coefficient in zigzag order (Ss), 0 for DC. */
  readonly spectralStart: number;
  /** Last one, inclusive (Se). */
  readonly spectralEnd: number;
  /** Bits that earlier scans brought (Ah); 0: this is the first. */
  readonly high: number;
  /** Bits that later scans will bring (Al). */
  readonly low: number;
}

/** Everything that segments before a scan define; a later definition replaces an earlier one. */
export class JpegTables {
  readonly quantisers: (Float64Array | undefined)[] = [];
  readonly dc: (HuffmanTable | undefined)[] = [];
  readonly ac: (HuffmanTable | undefined)[] = [];
  restartInterval = 0;
  /** Transform byte of the Adobe segment; null without one. */
  adobe: number | null = null;

  /** Takes DQT, DHT, DRI and APP14; other segments are ignored. @throws ImageFault */
  read(view: ByteView, segment: JpegSegment): void {
    if (segment.marker === 0xdb) this.#readQuantisers(view, segment);
    else if (segment.marker === 0xc4) this.#readHuffman(view, segment);
    else if (segment.marker === 0xdd) this.restartInterval = view.u16be(segment.start);
    else if (segment.marker === 0xee && segment.end - segment.start >= 12 && view.tag(segment.start) === "Adob") {
      this.adobe = view.u8(segment.start + 11);
    }
  }

  #readQuantisers(view: ByteView, { start, end }: JpegSegment): void {
    for (let at = start; at < end;) {
      const head = view.u8(at++);
      const wide = head >> 4 !== 0;
      const table = new Float64Array(64);
      for (let k = 0; k < 64; k++) table[ZIGZAG[k]!] = wide ? view.u16be(at + k * 2) : view.u8(at + k);
      this.quantisers[head & 3] = table;
      at += wide ? 128 : 64;
    }
  }

  #readHuffman(view: ByteView, { start, end }: JpegSegment): void {
    for (let at = start; at < end;) {
      const head = view.u8(at++);
      view.need(at, 16);
      const counts = view.bytes.subarray(at, at + 16);
      const total = counts.reduce((sum, count) => sum + count, 0);
      view.need(at + 16, total);
      const symbols = view.bytes.slice(at + 16, at + 16 + total);
      (head >> 4 === 0 ? this.dc : this.ac)[head & 3] = new HuffmanTable(counts, symbols);
      at += 16 + total;
    }
  }
}

/** Reads SOF0–SOF2. @throws ImageFault */
export function readJpegFrame(view: ByteView, { marker, start }: JpegSegment): JpegFrame {
  const height = view.u16be(start + 1);
  const width = view.u16be(start + 3);
  const count = view.u8(start + 5);
  const raw = Array.from({ length: count }, (_, i) => {
    const at = start + 6 + i * 3;
    const factors = view.u8(at + 1);
    // The only component of a picture is coded block by block, whatever its factors say (A.2.2).
    const h = count === 1 ? 1 : factors >> 4;
    const v = count === 1 ? 1 : factors & 15;
    if (h < 1 || h > 4 || v < 1 || v > 4) throw view.corrupt("an impossible sampling factor");
    return { id: view.u8(at), h, v, quantiser: view.u8(at + 2) & 3 };
  });
  const hMax = Math.max(...raw.map((c) => c.h));
  const vMax = Math.max(...raw.map((c) => c.v));
  const mcusAcross = Math.ceil(width / (8 * hMax));
  const mcusDown = Math.ceil(height / (8 * vMax));
  const components = raw.map((c) => ({
    ...c,
    blocksAcross: mcusAcross * c.h,
    blocksDown: mcusDown * c.v,
    ownAcross: Math.ceil(Math.ceil(width * c.h / hMax) / 8),
    ownDown: Math.ceil(Math.ceil(height * c.v / vMax) / 8),
    prediction: 0,
    dcTable: 0,
    acTable: 0,
  }));
  return { width, height, progressive: marker === 0xc2, components, hMax, vMax, mcusAcross, mcusDown };
}

/** Reads SOS and notes the table choices in the components. @throws ImageFault */
export function readJpegScan(view: ByteView, segment: JpegSegment, frame: JpegFrame): JpegScan {
  const count = view.u8(segment.start);
  if (count < 1 || count > 4) throw view.corrupt("a scan of no component");
  const components: JpegComponent[] = [];
  for (let i = 0; i < count; i++) {
    const id = view.u8(segment.start + 1 + i * 2);
    const tables = view.u8(segment.start + 2 + i * 2);
    const component = frame.components.find((c) => c.id === id && !components.includes(c));
    if (component === undefined) throw view.corrupt("a scan of an unknown component");
    component.dcTable = (tables >> 4) & 3;
    component.acTable = tables & 3;
    components.push(component);
  }
  const at = segment.start + 1 + count * 2;
  const spectralStart = view.u8(at);
  const spectralEnd = view.u8(at + 1);
  const approximation = view.u8(at + 2);
  if (!frame.progressive) return { components, spectralStart: 0, spectralEnd: 63, high: 0, low: 0 };
  if (spectralEnd > 63 || spectralStart > spectralEnd || (spectralStart === 0) !== (spectralEnd === 0)) {
    throw view.corrupt("an impossible range of coefficients");
  }
  if (spectralStart > 0 && count > 1) throw view.corrupt("AC coefficients of several components in one scan");
  const low = approximation & 15;
  if (low > 13) throw view.corrupt("an impossible precision");
  return { components, spectralStart, spectralEnd, high: approximation >> 4, low };
}

/** Colour model of the components (JFIF, and Adobe Technical Note 5116 section 18). */
export function jpegColour(frame: JpegFrame, adobe: number | null): JpegColour {
  const ids = frame.components.map((c) => c.id);
  if (ids.length === 1) return "grey";
  if (ids.length === 4) return adobe === 2 ? "ycck" : "cmyk";
  if (adobe !== null) return adobe === 0 ? "rgb" : "ycc";
  return String.fromCharCode(...ids) === "RGB" ? "rgb" : "ycc";
}

/** Samples a side that a block of `component` is decoded to when the picture is decoded to `size`/8: less subsampled ones less reduced. */
export function componentBlockSize(frame: JpegFrame, component: JpegComponent, size: BlockSize): BlockSize {
  let own: number = size;
  while (own < 8 && component.h * own * 2 <= frame.hMax * size && component.v * own * 2 <= frame.vMax * size) own *= 2;
  return own as BlockSize;
}

/** Coefficients of a whole JPEG, for scans that each bring a part of them (ITU-T T.81 annex G, and A.2.2). */

import { ImageFault } from "../image_fault.ts";
import type { JpegBits } from "./jpeg_bits.ts";
import type { JpegComponent, JpegFrame, JpegScan, JpegTables } from "./jpeg_frame.ts";
import type { HuffmanTable } from "./huffman_table.ts";
import { ZIGZAG } from "./jpeg_tables.ts";

const ONES = new Float64Array(64).fill(1);

/** Filled scan by scan; the picture can be made from it after the last one. */
export class JpegCoefficients {
  readonly #frame: JpegFrame;
  readonly #blocks = new Map<JpegComponent, Int16Array>();
  readonly #scratch = new Float64Array(64);
  #endOfBandRun = 0;

  /** Two bytes for each sample of `frame`. */
  constructor(frame: JpegFrame) {
    this.#frame = frame;
    for (const component of frame.components) {
      this.#blocks.set(component, new Int16Array(component.blocksAcross * component.blocksDown * 64));
    }
  }

  /** Row-major coefficients of all blocks of `component`, block after block. */
  of(component: JpegComponent): Int16Array {
    return this.#blocks.get(component)!;
  }

  /** Adds what one scan brings. @throws ImageFault */
  readScan(scan: JpegScan, tables: JpegTables, bits: JpegBits): void {
    const { components } = scan;
    for (const component of components) component.prediction = 0;
    this.#endOfBandRun = 0;
    const only = components.length === 1 ? components[0]! : null;
    const across = only?.ownAcross ?? this.#frame.mcusAcross;
    const down = only?.ownDown ?? this.#frame.mcusDown;
    let sinceRestart = 0;
    let restarts = 0;
    for (let unit = 0; unit < across * down; unit++) {
      if (tables.restartInterval > 0 && sinceRestart++ === tables.restartInterval) {
        bits.restart(restarts++ & 7);
        for (const component of components) component.prediction = 0;
        this.#endOfBandRun = 0;
        sinceRestart = 1;
      }
      const row = Math.floor(unit / across);
      const column = unit - row * across;
      if (only !== null) this.#block(only, row * only.blocksAcross + column, { scan, tables, bits });
      else for (const component of components) this.#mcu(component, row, column, { scan, tables, bits });
    }
    bits.requireReal();
  }

  #mcu(component: JpegComponent, row: number, column: number, from: ScanSource): void {
    for (let y = 0; y < component.v; y++) {
      for (let x = 0; x < component.h; x++) {
        const line = (row * component.v + y) * component.blocksAcross;
        this.#block(component, line + column * component.h + x, from);
      }
    }
  }

  #block(component: JpegComponent, index: number, { scan, tables, bits }: ScanSource): void {
    const blocks = this.#blocks.get(component)!;
    const at = index * 64;
    if (!this.#frame.progressive) {
      const block = this.#scratch.fill(0);
      component.prediction += bits.value(dcSize(bits, tables.dc[component.dcTable]));
      bits.acCoefficients(block, required(tables.ac[component.acTable]), ONES);
      block[0] = component.prediction;
      blocks.set(block, at);
    } else if (scan.spectralStart === 0) {
      if (scan.high === 0) {
        component.prediction += bits.value(dcSize(bits, tables.dc[component.dcTable]));
        blocks[at] = component.prediction << scan.low;
      } else if (bits.bits(1) === 1) {
        blocks[at]! |= 1 << scan.low;
      }
    } else {
      const table = required(tables.ac[component.acTable]);
      if (scan.high === 0) this.#firstPass(blocks, at, { scan, table, bits });
      else this.#refine(blocks, at, { scan, table, bits });
    }
  }

  /** G.1.2.2. */
  #firstPass(blocks: Int16Array, at: number, { scan, table, bits }: BandSource): void {
    if (this.#endOfBandRun > 0) {
      this.#endOfBandRun--;
      return;
    }
    for (let k = scan.spectralStart; k <= scan.spectralEnd; k++) {
      const symbol = bits.symbol(table);
      const run = symbol >> 4;
      const size = symbol & 15;
      if (size !== 0) {
        k += run;
        if (k > 63) throw new ImageFault("corrupt", "the JPEG data is damaged: a block holds too many coefficients");
        blocks[at + ZIGZAG[k]!] = bits.value(size) << scan.low;
      } else if (run === 15) {
        k += 15;
      } else {
        this.#endOfBandRun = (1 << run) - 1 + bits.bits(run);
        return;
      }
    }
  }

  /** G.1.2.3. */
  #refine(blocks: Int16Array, at: number, { scan, table, bits }: BandSource): void {
    const bit = 1 << scan.low;
    let k = scan.spectralStart;
    if (this.#endOfBandRun === 0) {
      for (; k <= scan.spectralEnd; k++) {
        const symbol = bits.symbol(table);
        let run = symbol >> 4;
        let fresh = 0;
        if ((symbol & 15) !== 0) {
          fresh = bits.bits(1) === 1 ? bit : -bit;
        } else if (run < 15) {
          this.#endOfBandRun = (1 << run) + bits.bits(run);
          break;
        }
        for (; k <= scan.spectralEnd; k++) {
          const position = at + ZIGZAG[k]!;
          if (blocks[position] !== 0) correct(blocks, position, bit, bits);
          else if (run-- === 0) break;
        }
        if (fresh !== 0 && k <= scan.spectralEnd) blocks[at + ZIGZAG[k]!] = fresh;
      }
    }
    if (this.#endOfBandRun > 0) {
      for (; k <= scan.spectralEnd; k++) {
        const position = at + ZIGZAG[k]!;
        if (blocks[position] !== 0) correct(blocks, position, bit, bits);
      }
      this.#endOfBandRun--;
    }
  }
}

interface ScanSource {
  readonly scan: JpegScan;
  readonly tables: JpegTables;
  readonly bits: JpegBits;
}

interface BandSource {
  readonly scan: JpegScan;
  readonly table: HuffmanTable;
  readonly bits: JpegBits;
}

/** Size category of the next DC difference. @throws ImageFault */
export function dcSize(bits: JpegBits, table: HuffmanTable | undefined): number {
  const size = bits.symbol(required(table));
  if (size > 11) throw new ImageFault("corrupt", "the JPEG data is damaged: an impossible difference");
  return size;
}

/** The table, which the scan needs. @throws ImageFault when the file does not bring it */
export function required<T>(table: T | undefined): T {
  if (table === undefined) throw new ImageFault("corrupt", "the JPEG data is damaged: a table is missing");
  return table;
}

function correct(blocks: Int16Array, position: number, bit: number, bits: JpegBits): void {
  if (bits.bits(1) === 0) return;
  const value = blocks[position]!;
  if ((Math.abs(value) & bit) === 0) blocks[position] = value > 0 ? value + bit : value - bit;
}

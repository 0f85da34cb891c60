/** Finds sequences of lines in a file under several ways to compare lines, in time linear in the file. */

import type { Pacer } from "../../base/pacer.ts";
import { foldLookAlikes, trimBoth, trimRight } from "./whitespace.ts";

/** How lines are compared: `exact`, `trailing_ws` and `indent` are the grades; `look_alike` only explains a miss. */
export type Comparison = "exact" | "trailing_ws" | "indent" | "look_alike";

/** The lines of one file against all lines that the hunks of one block mention. */
export class LineIndex {
  readonly #fileLines: readonly string[];
  readonly #wanted: ReadonlySet<string>;
  readonly #pacer: Pacer;
  readonly #tables = new Map<Comparison, Table>();

  /** `wanted`: every line that will ever be part of a sequence. */
  constructor(fileLines: readonly string[], options: { readonly wanted: ReadonlySet<string>; readonly pacer: Pacer }) {
    this.#fileLines = fileLines;
    this.#wanted = options.wanted;
    this.#pacer = options.pacer;
  }

  /** All places (0-based, ascending) where `sequence` stands. It must not be empty. */
  async find(sequence: readonly string[], comparison: Comparison): Promise<readonly number[]> {
    const table = await this.#table(comparison);
    const ids: number[] = [];
    let rarest = 0;
    for (const [i, line] of sequence.entries()) {
      const id = table.ids.get(table.normalize(line)) ?? -1;
      if (id < 0) return [];
      ids.push(id);
      if (occurrences(table, id) < occurrences(table, ids[rarest] as number)) rarest = i;
    }
    const rarestId = ids[rarest] as number;
    // Comparing at each place costs places × length; the automaton costs the file once, whatever repeats.
    return occurrences(table, rarestId) * ids.length > this.#fileLines.length * 4
      ? findByAutomaton(table.fileIds, ids)
      : findByRarest(table, ids, rarest);
  }

  /** True if `sequence` stands at `start`. */
  standsAt(sequence: readonly string[], at: { readonly start: number; readonly comparison: Comparison }): boolean {
    if (at.start < 0 || at.start + sequence.length > this.#fileLines.length) return false;
    const normalize = NORMALIZERS[at.comparison];
    return sequence.every((line, k) => normalize(this.#fileLines[at.start + k] as string) === normalize(line));
  }

  /**
   * Best place for `sequence` when it stands nowhere: the start that has most lines in common, trimmed, and how many.
   * Null when no line occurs at all.
   */
  async nearest(sequence: readonly string[]): Promise<{ start: number; matching: number } | null> {
    const table = await this.#table("indent");
    const votes = new Map<number, number>();
    let best: { start: number; matching: number } | null = null;
    for (const [offset, line] of sequence.entries()) {
      const id = table.ids.get(table.normalize(line));
      // A line that is everywhere (blank, a bracket) says nothing about the place.
      if (id === undefined || occurrences(table, id) > MAX_VOTES_PER_LINE || table.normalize(line) === "") continue;
      for (let i = table.starts[id] as number; i < (table.starts[id + 1] as number); i++) {
        const start = Math.max(0, (table.positions[i] as number) - offset);
        const matching = (votes.get(start) ?? 0) + 1;
        votes.set(start, matching);
        if (best === null || matching > best.matching) best = { start, matching };
      }
      if (this.#pacer.isDue) await this.#pacer.rest();
    }
    return best;
  }

  async #table(comparison: Comparison): Promise<Table> {
    let table = this.#tables.get(comparison);
    if (table === undefined) {
      const normalize = NORMALIZERS[comparison];
      table = await makeTable(this.#fileLines, { wanted: this.#wanted, normalize, pacer: this.#pacer });
      this.#tables.set(comparison, table);
    }
    return table;
  }
}

/** Lines between two looks at the clock. */
const PACED_LINES = 1_024;

/** Beyond this many places a line is no evidence; bounds `nearest` to 1,000 × the lines of the hunk. */
const MAX_VOTES_PER_LINE = 1_000;

const NORMALIZERS: Readonly<Record<Comparison, (line: string) => string>> = {
  exact: (line) => line,
  trailing_ws: trimRight,
  indent: trimBoth,
  look_alike: foldLookAlikes,
};

interface Table {
  readonly normalize: (line: string) => string;
  /** Number of each distinct wanted line. */
  readonly ids: ReadonlyMap<string, number>;
  /** Number of each file line, −1 for lines nobody asks for. */
  readonly fileIds: Int32Array;
  /** Places of id `i`: `positions[starts[i]]` up to, not including, `positions[starts[i + 1]]`. */
  readonly starts: Int32Array;
  readonly positions: Int32Array;
}

async function makeTable(
  fileLines: readonly string[],
  how: { readonly wanted: ReadonlySet<string>; readonly normalize: Table["normalize"]; readonly pacer: Pacer },
): Promise<Table> {
  const { wanted, normalize, pacer } = how;
  const ids = new Map<string, number>();
  for (const line of wanted) {
    const key = normalize(line);
    if (!ids.has(key)) ids.set(key, ids.size);
  }
  const traits = new Uint8Array(TRAITS);
  for (const key of ids.keys()) traits[traitOf(key)] = 1;
  const fileIds = new Int32Array(fileLines.length);
  const starts = new Int32Array(ids.size + 1);
  for (let i = 0; i < fileLines.length; i++) {
    if (i % PACED_LINES === 0 && pacer.isDue) await pacer.rest();
    const line = normalize(fileLines[i] as string);
    const id = traits[traitOf(line)] === 0 ? -1 : ids.get(line) ?? -1;
    fileIds[i] = id;
    if (id >= 0) starts[id + 1] = (starts[id + 1] as number) + 1;
  }
  for (let id = 0; id < ids.size; id++) starts[id + 1] = (starts[id + 1] as number) + (starts[id] as number);
  const positions = new Int32Array(starts[ids.size] as number);
  const next = starts.slice();
  for (let i = 0; i < fileIds.length; i++) {
    const id = fileIds[i] as number;
    if (id < 0) continue;
    positions[next[id] as number] = i;
    next[id] = (next[id] as number) + 1;
  }
  return { normalize, ids, fileIds, starts, positions };
}

/** Number of different traits; a power of two. */
const TRAITS = 1 << 16;

/**
 * A small number made of the length and a few characters. Most lines of a large file have another one than every line
 * that is looked for, and then need not be hashed whole: 1,000,000 lines of 100 bytes take 0.1 s instead of 1.1 s.
 */
function traitOf(line: string): number {
  const length = line.length;
  // Outside of the line charCodeAt() is NaN, which an integer operation takes for 0.
  let trait = Math.imul(length, 31) + (line.charCodeAt(0) | 0);
  trait = Math.imul(trait, 31) + (line.charCodeAt(3) | 0);
  trait = Math.imul(trait, 31) + (line.charCodeAt(7) | 0);
  trait = Math.imul(trait, 31) + (line.charCodeAt(length >> 2) | 0);
  trait = Math.imul(trait, 31) + (line.charCodeAt(length >> 1) | 0);
  trait = Math.imul(trait, 31) + (line.charCodeAt(length - 1) | 0);
  return (trait ^ (trait >>> 16)) & (TRAITS - 1);
}

function occurrences(table: Table, id: number): number {
  return (table.starts[id + 1] as number) - (table.starts[id] as number);
}

function findByRarest(table: Table, ids: readonly number[], rarest: number): number[] {
  const id = ids[rarest] as number;
  const found: number[] = [];
  for (let i = table.starts[id] as number; i < (table.starts[id + 1] as number); i++) {
    const start = (table.positions[i] as number) - rarest;
    if (start >= 0 && start + ids.length <= table.fileIds.length && standsAt(table.fileIds, ids, start)) {
      found.push(start);
    }
  }
  return found;
}

function standsAt(fileIds: Int32Array, ids: readonly number[], start: number): boolean {
  for (let k = 0; k < ids.length; k++) if (fileIds[start + k] !== ids[k]) return false;
  return true;
}

/** Knuth, Morris and Pratt: never looks back in the file. */
function findByAutomaton(fileIds: Int32Array, ids: readonly number[]): number[] {
  const fallback = new Int32Array(ids.length);
  for (let i = 1, length = 0; i < ids.length; i++) {
    while (length > 0 && ids[i] !== ids[length]) length = fallback[length - 1] as number;
    if (ids[i] === ids[length]) length++;
    fallback[i] = length;
  }
  const found: number[] = [];
  for (let i = 0, length = 0; i < fileIds.length; i++) {
    while (length > 0 && fileIds[i] !== ids[length]) length = fallback[length - 1] as number;
    if (fileIds[i] === ids[length]) length++;
    if (length < ids.length) continue;
    found.push(i - length + 1);
    length = fallback[length - 1] as number;
  }
  return found;
}

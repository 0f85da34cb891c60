/** Finds many texts in many lines at once (Aho and Corasick): one pass over the file however many texts there are. */

import type { Pacer } from "../../base/pacer.ts";

/** More pairs than this are of no use to anybody, and would not fit into memory for long. */
const MAX_PAIRS = 4_000_000;
/** Cells of the transition table, 4 bytes each. */
const MAX_CELLS = 16_000_000;

/** Per needle the ascending indexes of the lines that contain it; null when the answer would be too large to be useful. */
export async function findSubstrings(
  lines: readonly string[],
  needles: readonly string[],
  options: { readonly pacer: Pacer },
): Promise<number[][] | null> {
  const automaton = needles.length > FEW_NEEDLES ? build(needles) : null;
  const { pacer } = options;
  return automaton === null
    ? await findEach(lines, { needles, pacer })
    : await findAll(lines, { automaton, count: needles.length, pacer });
}

/** Lines between two looks at the clock. */
const PACED_LINES = 1_024;

/** Up to this many, plain searches are faster than building the automaton. */
const FEW_NEEDLES = 4;

async function findEach(
  lines: readonly string[],
  search: { readonly needles: readonly string[]; readonly pacer: Pacer },
): Promise<number[][] | null> {
  let pairs = 0;
  const found: number[][] = [];
  for (const needle of search.needles) {
    const here: number[] = [];
    for (let i = 0; i < lines.length; i++) {
      if (i % PACED_LINES === 0 && search.pacer.isDue) await search.pacer.rest();
      if ((lines[i] as string).includes(needle)) here.push(i);
    }
    pairs += here.length;
    if (pairs > MAX_PAIRS) return null;
    found.push(here);
  }
  return found;
}

interface Automaton {
  /** UTF-16 unit → column of the table; 0 for units that no needle has. */
  readonly columns: Uint16Array;
  readonly width: number;
  /** State after reading a unit: `next[state * width + column]`. */
  readonly next: Int32Array;
  /** Needles that end in a state. */
  readonly ends: ReadonlyMap<number, number[]>;
  /** Nearest state on the suffix path (itself included) in which a needle ends; −1 if none. */
  readonly output: Int32Array;
  /** The same, itself excluded. */
  readonly outputAbove: Int32Array;
}

function build(needles: readonly string[]): Automaton | null {
  const columns = new Uint16Array(65_536);
  let width = 1;
  let units = 1;
  for (const needle of needles) {
    units += needle.length;
    for (let i = 0; i < needle.length; i++) {
      const unit = needle.charCodeAt(i);
      if (columns[unit] === 0) columns[unit] = width++;
    }
  }
  if (units * width > MAX_CELLS) return null;
  const next = new Int32Array(units * width).fill(-1);
  const ends = new Map<number, number[]>();
  let states = 1;
  for (const [index, needle] of needles.entries()) {
    let state = 0;
    for (let i = 0; i < needle.length; i++) {
      const cell = state * width + (columns[needle.charCodeAt(i)] as number);
      if (next[cell] === -1) next[cell] = states++;
      state = next[cell] as number;
    }
    ends.set(state, [...ends.get(state) ?? [], index]);
  }
  return { columns, width, next, ends, ...link({ next, ends, width, states }) };
}

/** Completes the table breadth first, so that every state knows where to go on every unit. */
function link(
  tree: {
    readonly next: Int32Array;
    readonly ends: ReadonlyMap<number, number[]>;
    readonly width: number;
    readonly states: number;
  },
): { output: Int32Array; outputAbove: Int32Array } {
  const { next, ends, width, states } = tree;
  const suffix = new Int32Array(states);
  const output = new Int32Array(states).fill(-1);
  const outputAbove = new Int32Array(states).fill(-1);
  const queue = [0];
  for (let head = 0; head < queue.length; head++) {
    const state = queue[head] as number;
    const above = state === 0 ? -1 : output[suffix[state] as number] as number;
    outputAbove[state] = above;
    output[state] = ends.has(state) ? state : above;
    for (let column = 0; column < width; column++) {
      const cell = state * width + column;
      const fallback = state === 0 ? 0 : next[(suffix[state] as number) * width + column] as number;
      const child = next[cell] as number;
      if (child === -1) {
        next[cell] = fallback;
      } else {
        suffix[child] = fallback;
        queue.push(child);
      }
    }
  }
  return { output, outputAbove };
}

async function findAll(
  lines: readonly string[],
  search: { readonly automaton: Automaton; readonly count: number; readonly pacer: Pacer },
): Promise<number[][] | null> {
  const { columns, width, next, ends, output, outputAbove } = search.automaton;
  const found: number[][] = Array.from({ length: search.count }, () => []);
  let pairs = 0;
  for (let i = 0; i < lines.length; i++) {
    if (i % PACED_LINES === 0 && search.pacer.isDue) await search.pacer.rest();
    const line = lines[i] as string;
    let state = 0;
    for (let k = 0; k < line.length; k++) {
      state = next[state * width + (columns[line.charCodeAt(k)] as number)] as number;
      for (let at = output[state] as number; at >= 0; at = outputAbove[at] as number) {
        for (const needle of ends.get(at) as number[]) {
          const here = found[needle] as number[];
          if (here.at(-1) === i) continue;
          here.push(i);
          if (++pairs > MAX_PAIRS) return null;
        }
      }
    }
  }
  return found;
}

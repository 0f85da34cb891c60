/**
 * Differences between two lists of lines, found in time close to linear.
 *
 * Lines that occur once on both sides are matched first and in order (the idea of "patience" diff); what lies between
 * goes to Myers' greedy algorithm, which is stopped after a bounded number of edits: a gap that differs by more is
 * reported as one replacement. The answer is always correct, and minimal in the cases people look at.
 */

import { Pacer } from "../../base/pacer.ts";

/** `a[aStart, aEnd)` was replaced by `b[bStart, bEnd)`; one of the two may be empty. */
export interface LineChange {
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

/** Changes that turn `a` into `b`, ascending; adjacent changes are joined. */
export async function diffLines(
  a: readonly string[],
  b: readonly string[],
  options: { readonly pacer: Pacer } = { pacer: new Pacer() },
): Promise<LineChange[]> {
  // Most changes leave most of a file alone: equal lines at both ends are not even numbered.
  const most = Math.min(a.length, b.length);
  let head = 0;
  for (; head < most && a[head] === b[head]; head++) {
    if (head % PACED_LINES === 0 && options.pacer.isDue) await options.pacer.rest();
  }
  let tail = 0;
  for (; tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]; tail++) {
    if (tail % PACED_LINES === 0 && options.pacer.isDue) await options.pacer.rest();
  }
  const ids = new Map<string, number>();
  const differ = new Differ({
    a: await numbered(a, { head, tail, ids, pacer: options.pacer }),
    b: await numbered(b, { head, tail, ids, pacer: options.pacer }),
    pacer: options.pacer,
  });
  await differ.compare({ aStart: 0, aEnd: a.length - head - tail, bStart: 0, bEnd: b.length - head - tail }, 0);
  return differ.changes.map((change) => ({
    aStart: change.aStart + head,
    aEnd: change.aEnd + head,
    bStart: change.bStart + head,
    bEnd: change.bEnd + head,
  }));
}

/** Lines between two looks at the clock. */
const PACED_LINES = 4_096;
/** Edits after which Myers gives up on a gap; cost is at most this × (lines of the gap + this). */
const MAX_EDITS = 256;
/** Levels of matching unique lines inside gaps. */
const MAX_DEPTH = 16;

async function numbered(
  lines: readonly string[],
  how: { readonly head: number; readonly tail: number; readonly ids: Map<string, number>; readonly pacer: Pacer },
): Promise<Int32Array> {
  const { head, ids, pacer } = how;
  const result = new Int32Array(lines.length - head - how.tail);
  for (let i = 0; i < result.length; i++) {
    if (i % PACED_LINES === 0 && pacer.isDue) await pacer.rest();
    const line = lines[head + i] as string;
    let id = ids.get(line);
    if (id === undefined) {
      id = ids.size;
      ids.set(line, id);
    }
    result[i] = id;
  }
  return result;
}

class Differ {
  readonly changes: LineChange[] = [];
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  readonly #pacer: Pacer;

  constructor(options: { readonly a: Int32Array; readonly b: Int32Array; readonly pacer: Pacer }) {
    this.#a = options.a;
    this.#b = options.b;
    this.#pacer = options.pacer;
  }

  async compare(range: LineChange, depth: number): Promise<void> {
    if (this.#pacer.isDue) await this.#pacer.rest();
    let { aStart, aEnd, bStart, bEnd } = range;
    while (aStart < aEnd && bStart < bEnd && this.#a[aStart] === this.#b[bStart]) {
      aStart++;
      bStart++;
    }
    while (aStart < aEnd && bStart < bEnd && this.#a[aEnd - 1] === this.#b[bEnd - 1]) {
      aEnd--;
      bEnd--;
    }
    const rest = { aStart, aEnd, bStart, bEnd };
    if (aStart === aEnd || bStart === bEnd) return this.#emit(rest);
    const anchors = depth < MAX_DEPTH ? this.#uniquePairs(rest) : [];
    if (anchors.length === 0) return await this.#myers(rest);
    let [a, b] = [aStart, bStart];
    for (const [anchorA, anchorB] of anchors) {
      await this.compare({ aStart: a, aEnd: anchorA, bStart: b, bEnd: anchorB }, depth + 1);
      [a, b] = [anchorA + 1, anchorB + 1];
    }
    await this.compare({ aStart: a, aEnd, bStart: b, bEnd }, depth + 1);
  }

  #emit(change: LineChange): void {
    if (change.aStart === change.aEnd && change.bStart === change.bEnd) return;
    const last = this.changes.at(-1);
    if (last !== undefined && last.aEnd === change.aStart && last.bEnd === change.bStart) {
      this.changes[this.changes.length - 1] = { ...last, aEnd: change.aEnd, bEnd: change.bEnd };
    } else {
      this.changes.push(change);
    }
  }

  /** Lines that occur once on each side of the range, in the longest order both sides share. */
  #uniquePairs({ aStart, aEnd, bStart, bEnd }: LineChange): [number, number][] {
    const inA = onceOnly(this.#a, aStart, aEnd);
    const inB = onceOnly(this.#b, bStart, bEnd);
    const pairs: [number, number][] = [];
    for (const [id, at] of inA) {
      const other = inB.get(id);
      if (at >= 0 && other !== undefined && other >= 0) pairs.push([at, other]);
    }
    pairs.sort((x, y) => x[0] - y[0]);
    return longestIncreasing(pairs);
  }

  async #myers(range: LineChange): Promise<void> {
    const trace = await this.#search(range);
    if (trace === null) return this.#emit(range);
    const changes: LineChange[] = [];
    const { aStart, bStart } = range;
    let [x, y] = [range.aEnd - aStart, range.bEnd - bStart];
    for (let d = trace.length - 1; d > 0; d--) {
      const front = trace[d - 1] as Int32Array;
      const middle = (front.length - 1) / 2;
      const k = x - y;
      const down = k === -d || (k !== d && (front[middle + k - 1] ?? -1) < (front[middle + k + 1] ?? -1));
      const beforeK = down ? k + 1 : k - 1;
      const beforeX = front[middle + beforeK] as number;
      const beforeY = beforeX - beforeK;
      changes.push({
        aStart: aStart + beforeX,
        aEnd: aStart + beforeX + (down ? 0 : 1),
        bStart: bStart + beforeY,
        bEnd: bStart + beforeY + (down ? 1 : 0),
      });
      [x, y] = [beforeX, beforeY];
    }
    for (const change of changes.reverse()) this.#emit(change);
  }

  /** Farthest points per number of edits; null when `MAX_EDITS` do not suffice. */
  async #search({ aStart, aEnd, bStart, bEnd }: LineChange): Promise<Int32Array[] | null> {
    const [n, m] = [aEnd - aStart, bEnd - bStart];
    const max = Math.min(n + m, MAX_EDITS);
    const trace: Int32Array[] = [];
    const middle = max + 1;
    const front = new Int32Array(2 * middle + 1).fill(-1);
    front[middle + 1] = 0;
    for (let d = 0; d <= max; d++) {
      if (this.#pacer.isDue) await this.#pacer.rest();
      for (let k = -d; k <= d; k += 2) {
        const down = k === -d || (k !== d && (front[middle + k - 1] as number) < (front[middle + k + 1] as number));
        let x = down ? (front[middle + k + 1] as number) : (front[middle + k - 1] as number) + 1;
        while (x < n && x - k < m && this.#a[aStart + x] === this.#b[bStart + x - k]) x++;
        front[middle + k] = x;
        if (x >= n && x - k >= m) {
          trace.push(front.slice());
          return trace;
        }
      }
      trace.push(front.slice());
    }
    return null;
  }
}

/** Line number → its only place in the range, or −1 when it occurs again. */
function onceOnly(lines: Int32Array, start: number, end: number): Map<number, number> {
  const places = new Map<number, number>();
  for (let i = start; i < end; i++) {
    const id = lines[i] as number;
    places.set(id, places.has(id) ? -1 : i);
  }
  return places;
}

/** Longest part of `pairs` (ascending in the first member) that ascends in the second: O(n log n). */
function longestIncreasing(pairs: readonly [number, number][]): [number, number][] {
  const tails: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  for (const [i, pair] of pairs.entries()) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tails[middle] as number] as [number, number])[1] < pair[1]) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before[i] = tails[low - 1] as number;
    tails[low] = i;
  }
  const result: [number, number][] = [];
  for (let i = tails.at(-1) ?? -1; i >= 0; i = before[i] as number) result.push(pairs[i] as [number, number]);
  return result.reverse();
}

/**
 * Differences between two lists of lines, found in time close to linear.
 *
 * Lines that occur once on both sides are matched first and in order (the idea of "patience" diff); what lies between
 * goes to Myers' greedy algorithm, which is stopped after a bounded number of edits: a gap that differs by more is
 * reported as one replacement. The answer is always correct, and minimal in the cases people look at.
 */

/** `a[aStart, aEnd)` was replaced by `b[bStart, bEnd)`; one of the two may be empty. */
export interface LineChange {
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

/** Changes that turn `a` into `b`, ascending; adjacent changes are joined. */
export function diffLines(a: readonly string[], b: readonly string[]): LineChange[] {
  const ids = new Map<string, number>();
  const differ = new Differ(numbered(a, ids), numbered(b, ids));
  differ.compare({ aStart: 0, aEnd: a.length, bStart: 0, bEnd: b.length }, 0);
  return differ.changes;
}

/** Edits after which Myers gives up on a gap; cost is at most this × (lines of the gap + this). */
const MAX_EDITS = 256;
/** Levels of matching unique lines inside gaps. */
const MAX_DEPTH = 16;

function numbered(lines: readonly string[], ids: Map<string, number>): Int32Array {
  const result = new Int32Array(lines.length);
  for (const [i, line] of lines.entries()) {
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

  constructor(a: Int32Array, b: Int32Array) {
    this.#a = a;
    this.#b = b;
  }

  compare(range: LineChange, depth: number): void {
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
    if (anchors.length === 0) return this.#myers(rest);
    let [a, b] = [aStart, bStart];
    for (const [anchorA, anchorB] of anchors) {
      this.compare({ aStart: a, aEnd: anchorA, bStart: b, bEnd: anchorB }, depth + 1);
      [a, b] = [anchorA + 1, anchorB + 1];
    }
    this.compare({ aStart: a, aEnd, bStart: b, bEnd }, depth + 1);
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

  #myers(range: LineChange): void {
    const trace = this.#search(range);
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
  #search({ aStart, aEnd, bStart, bEnd }: LineChange): Int32Array[] | null {
    const [n, m] = [aEnd - aStart, bEnd - bStart];
    const max = Math.min(n + m, MAX_EDITS);
    const trace: Int32Array[] = [];
    const middle = max + 1;
    const front = new Int32Array(2 * middle + 1).fill(-1);
    front[middle + 1] = 0;
    for (let d = 0; d <= max; d++) {
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

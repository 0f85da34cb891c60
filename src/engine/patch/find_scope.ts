/** Where the text after `@@` stands in a file, and how far the block below it reaches. */

import type { TextLines } from "./text_lines.ts";
import { collapse, indentColumns, indentOf, isBlank, trimBoth } from "./whitespace.ts";

/** A line that carries the scope text, and the lines of its block. */
export interface Anchor {
  /** 0-based. */
  readonly line: number;
  /** First line after the block (half-open). */
  readonly end: number;
}

/** Finds scopes in one file; what it learns about the file is kept between calls. */
export class ScopeFinder {
  readonly #text: TextLines;
  readonly #anchors = new Map<string, readonly number[]>();
  /** Per line the first later line that ends its block; made when many anchors need one. */
  #ends: Int32Array | undefined;
  /** Lines looked at for ends so far. */
  #walked = 0;

  constructor(text: TextLines) {
    this.#text = text;
  }

  /**
   * Anchors of nested scopes, outermost first: each inside a block of the one before. `missing` is the first scope that
   * was not found there, and `searchStart` the line (0-based) where the search for it began.
   */
  find(scopes: readonly string[]): { anchors: Anchor[]; missing: string | null; searchStart: number } {
    let anchors: Anchor[] = [];
    let searchStart = 0;
    for (const [depth, scope] of scopes.entries()) {
      const all = this.#withEnds(this.#linesOf(scope));
      const inner = depth === 0 ? all : keepInside(all, anchors, { strictly: true });
      if (inner.length === 0) return { anchors: [], missing: scope, searchStart };
      anchors = inner;
      searchStart = (inner[0] as Anchor).line;
    }
    return { anchors, missing: null, searchStart };
  }

  #linesOf(scope: string): readonly number[] {
    let found = this.#anchors.get(scope);
    if (found === undefined) {
      const lines = this.#text.lines;
      found = indexesWhere(lines, (line) => line.includes(scope));
      if (found.length === 0) {
        const collapsed = collapse(scope);
        found = indexesWhere(lines, (line) => collapse(line).includes(collapsed));
      }
      // A line that is the scope and nothing else outranks lines that only mention it.
      const exact = found.filter((index) => trimBoth(lines[index] as string) === scope);
      if (exact.length > 0 && found.length > exact.length && exact.length === 1) found = exact;
      this.#anchors.set(scope, found);
    }
    return found;
  }

  #withEnds(lines: readonly number[]): Anchor[] {
    return lines.map((line) => ({ line, end: this.#endOf(line) }));
  }

  #endOf(line: number): number {
    if (this.#ends !== undefined) return this.#ends[line] as number;
    const end = blockEnd(this.#text.lines, line);
    this.#walked += end - line;
    // Walking down from each anchor is cheaper only while few blocks are looked at.
    if (this.#walked > this.#text.lines.length * 2) this.#ends = blockEnds(this.#text.lines);
    return end;
  }
}

/**
 * Of `places` (sorted by line) those in one of the blocks (sorted); one pass over both. The anchor line itself counts
 * unless `strictly`.
 */
export function keepInside<P extends { readonly line: number }>(
  places: readonly P[],
  blocks: readonly Anchor[],
  options: { readonly strictly: boolean },
): P[] {
  const kept: P[] = [];
  let next = 0;
  let reach = 0;
  for (const place of places) {
    const until = options.strictly ? place.line - 1 : place.line;
    for (; next < blocks.length && (blocks[next] as Anchor).line <= until; next++) {
      reach = Math.max(reach, (blocks[next] as Anchor).end);
    }
    if (place.line < reach) kept.push(place);
  }
  return kept;
}

/** `}`, `});`, `end` … still belong to the block; `{` alone opens it; `)` first goes on with a signature. */
const CLOSER = /^(?:[{}()[\];,]+|end[;,.]?|[)\]].*)$/;

function endsBlocks(line: string): boolean {
  return !isBlank(line) && !CLOSER.test(trimBoth(line));
}

function blockEnd(lines: readonly string[], anchor: number): number {
  const depth = indentColumns(indentOf(lines[anchor] as string));
  for (let i = anchor + 1; i < lines.length; i++) {
    const line = lines[i] as string;
    if (endsBlocks(line) && indentColumns(indentOf(line)) <= depth) return i;
  }
  return lines.length;
}

/** `blockEnd` of every line in one pass from the bottom: the stack holds the lines that may still end a block above. */
function blockEnds(lines: readonly string[]): Int32Array {
  const ends = new Int32Array(lines.length);
  const stack: { readonly line: number; readonly depth: number }[] = [];
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = lines[i] as string;
    const depth = indentColumns(indentOf(line));
    const isEnder = endsBlocks(line);
    let top = stack.length;
    while (top > 0 && (stack[top - 1] as { depth: number }).depth > depth) top--;
    ends[i] = top === 0 ? lines.length : (stack[top - 1] as { line: number }).line;
    if (!isEnder) continue;
    // A nearer line of the same depth hides the farther one, so the stack never holds more than the depths in use.
    while (top > 0 && (stack[top - 1] as { depth: number }).depth >= depth) top--;
    stack.length = top;
    stack.push({ line: i, depth });
  }
  return ends;
}

function indexesWhere(lines: readonly string[], test: (line: string) => boolean): number[] {
  const found: number[] = [];
  for (let i = 0; i < lines.length; i++) if (test(lines[i] as string)) found.push(i);
  return found;
}

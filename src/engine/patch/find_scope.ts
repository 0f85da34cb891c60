/** Where the text after `@@` stands in a file, and how far the block below it reaches. */

import type { Pacer } from "../../base/pacer.ts";
import { ToolError } from "../../base/tool_error.ts";
import { findSubstrings } from "./find_substrings.ts";
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
  /** Every scope that will be asked for, so that one pass over the file finds them all. */
  readonly #scopes: readonly string[];
  readonly #pacer: Pacer;
  #lines: ReadonlyMap<string, readonly number[]> | undefined;
  readonly #anchors = new Map<string, readonly Anchor[]>();
  /** Per line the first later line that ends its block; made when many anchors need one. */
  #ends: Int32Array | undefined;
  /** Lines looked at for ends so far. */
  #walked = 0;

  constructor(text: TextLines, options: { readonly scopes: ReadonlySet<string>; readonly pacer: Pacer }) {
    this.#text = text;
    this.#scopes = [...options.scopes];
    this.#pacer = options.pacer;
  }

  /**
   * Anchors of nested scopes, outermost first: each inside a block of the one before. `missing` is the first scope that
   * was not found there, and `searchStart` the line (0-based) where the search for it began.
   */
  async find(
    scopes: readonly string[],
  ): Promise<{ anchors: readonly Anchor[]; missing: string | null; searchStart: number }> {
    let anchors: readonly Anchor[] = [];
    let searchStart = 0;
    for (const [depth, scope] of scopes.entries()) {
      const all = await this.#anchorsOf(scope);
      const inner = depth === 0 ? all : keepInside(all, anchors, { strictly: true });
      if (inner.length === 0) return { anchors: [], missing: scope, searchStart };
      anchors = inner;
      searchStart = (inner[0] as Anchor).line;
    }
    return { anchors, missing: null, searchStart };
  }

  async #anchorsOf(scope: string): Promise<readonly Anchor[]> {
    let anchors = this.#anchors.get(scope);
    if (anchors === undefined) {
      this.#lines ??= await linesOfScopes(this.#text.lines, { scopes: this.#scopes, pacer: this.#pacer });
      const made: Anchor[] = [];
      for (const line of this.#lines.get(scope) ?? []) made.push({ line, end: await this.#endOf(line) });
      anchors = made;
      this.#anchors.set(scope, anchors);
    }
    return anchors;
  }

  async #endOf(line: number): Promise<number> {
    if (this.#ends !== undefined) return this.#ends[line] as number;
    const end = await blockEnd(this.#text.lines, { anchor: line, pacer: this.#pacer });
    this.#walked += end - line;
    // Walking down from each anchor is cheaper only while few blocks are looked at.
    if (this.#walked > this.#text.lines.length) this.#ends = await blockEnds(this.#text.lines, this.#pacer);
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

/** Lines between two looks at the clock. */
const PACED_LINES = 512;

/** `}`, `});`, `end` … still belong to the block; `{` alone opens it; `)` first goes on with a signature. */
const CLOSER = /^(?:[{}()[\];,]+|end[;,.]?|[)\]].*)$/;

function endsBlocks(line: string): boolean {
  return !isBlank(line) && !CLOSER.test(trimBoth(line));
}

async function blockEnd(
  lines: readonly string[],
  at: { readonly anchor: number; readonly pacer: Pacer },
): Promise<number> {
  const depth = indentColumns(indentOf(lines[at.anchor] as string));
  for (let i = at.anchor + 1; i < lines.length; i++) {
    if (i % PACED_LINES === 0 && at.pacer.isDue) await at.pacer.rest();
    const line = lines[i] as string;
    if (endsBlocks(line) && indentColumns(indentOf(line)) <= depth) return i;
  }
  return lines.length;
}

/** `blockEnd` of every line in one pass from the bottom: the stack holds the lines that may still end a block above. */
async function blockEnds(lines: readonly string[], pacer: Pacer): Promise<Int32Array> {
  const ends = new Int32Array(lines.length);
  const stack: { readonly line: number; readonly depth: number }[] = [];
  for (let i = lines.length - 1; i >= 0; i--) {
    if (i % PACED_LINES === 0 && pacer.isDue) await pacer.rest();
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

/** Lines that contain each scope; for scopes on no line those that contain it when runs of whitespace count as one space. */
async function linesOfScopes(
  lines: readonly string[],
  how: { readonly scopes: readonly string[]; readonly pacer: Pacer },
): Promise<Map<string, readonly number[]>> {
  const { scopes, pacer } = how;
  const found = new Map<string, readonly number[]>();
  const remember = (searched: readonly string[], places: number[][]) => {
    for (const [i, scope] of searched.entries()) {
      found.set(scope, preferWhole(lines, { scope, places: places[i] as number[] }));
    }
  };
  remember(scopes, await findSubstrings(lines, scopes, { pacer }) ?? tooMany());
  const missing = scopes.filter((scope) => (found.get(scope) as readonly number[]).length === 0);
  if (missing.length === 0) return found;
  const collapsed: string[] = [];
  for (const [i, line] of lines.entries()) {
    if (i % PACED_LINES === 0 && pacer.isDue) await pacer.rest();
    collapsed.push(collapse(line));
  }
  remember(missing, await findSubstrings(collapsed, missing.map(collapse), { pacer }) ?? tooMany());
  return found;
}

/** One line that is the scope and nothing else outranks lines that only mention it. */
function preferWhole(
  lines: readonly string[],
  found: { readonly scope: string; readonly places: number[] },
): readonly number[] {
  const whole = found.places.filter((index) => trimBoth(lines[index] as string) === found.scope);
  return whole.length === 1 ? whole : found.places;
}

function tooMany(): never {
  throw new ToolError(
    "PATCH_FAILED",
    "Cannot apply the patch: the texts after @@ occur on too many lines of the file",
    {
      details: { retry_hint: "Use @@ texts that occur on one line only, or none" },
    },
  );
}

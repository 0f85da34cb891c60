/** Finds the one place in a file where each hunk belongs, or says why there is none. */

import type { Pacer } from "../../base/pacer.ts";
import type { Anchor } from "./find_scope.ts";
import { keepInside, ScopeFinder } from "./find_scope.ts";
import { LineIndex } from "./line_index.ts";
import { type Hunk, type HunkLine, newLinesOf, oldLinesOf } from "./parsed_patch.ts";
import { type Grade, GRADES, type PlacedHunk, type SkippedHunk } from "./placed_hunk.ts";
import { ambiguous, notFound } from "./placement_failure.ts";
import { mapIndents } from "./reindent.ts";
import type { TextLines } from "./text_lines.ts";
import { isBlank, trimBoth } from "./whitespace.ts";

/** Locates all hunks of one file block on `text`. @throws ToolError PATCH_CONTEXT_NOT_FOUND, PATCH_CONTEXT_AMBIGUOUS */
export async function locateHunks(
  text: TextLines,
  hunks: readonly Hunk[],
  options: { readonly path: string; readonly pacer: Pacer },
): Promise<(PlacedHunk | SkippedHunk)[]> {
  const wanted = new Set<string>();
  for (const hunk of hunks) for (const line of hunk.lines) wanted.add(line.text);
  const scopes = new Set(hunks.flatMap((hunk) => hunk.scopes));
  const file = new FileToSearch(text, { wanted, scopes, ...options });
  const located: (PlacedHunk | SkippedHunk)[] = [];
  for (const [hunkIndex, hunk] of hunks.entries()) {
    if (options.pacer.isDue) await options.pacer.rest();
    located.push(await file.locate(hunk, hunkIndex));
  }
  return located;
}

interface Scope {
  /** Null when the hunk names none. */
  readonly anchors: readonly Anchor[] | null;
  readonly atEndOfFile: boolean;
}

type Found =
  | { readonly kind: "one"; readonly start: number; readonly outside: boolean }
  | { readonly kind: "many"; readonly starts: readonly number[] }
  | { readonly kind: "none" };

class FileToSearch {
  readonly #text: TextLines;
  readonly #path: string;
  readonly #index: LineIndex;
  readonly #pacer: Pacer;
  readonly #scopes: ScopeFinder;

  constructor(
    text: TextLines,
    search: {
      readonly wanted: ReadonlySet<string>;
      readonly scopes: ReadonlySet<string>;
      readonly path: string;
      readonly pacer: Pacer;
    },
  ) {
    this.#text = text;
    this.#path = search.path;
    this.#index = new LineIndex(text.lines, search);
    this.#pacer = search.pacer;
    this.#scopes = new ScopeFinder(text, search);
  }

  async locate(hunk: Hunk, hunkIndex: number): Promise<PlacedHunk | SkippedHunk> {
    const { anchors, missing, searchStart } = await this.#scopes.find(hunk.scopes);
    if (missing !== null) {
      throw notFound({ ...this.#about(hunk, hunkIndex), missingScope: missing, searchStart });
    }
    const scope: Scope = { anchors: hunk.scopes.length === 0 ? null : anchors, atEndOfFile: hunk.atEndOfFile };
    const placed = oldLinesOf(hunk.lines).length === 0
      ? this.#pureAddition(hunk, hunkIndex, scope)
      : await this.#place(hunk, hunkIndex, { scope, lines: hunk.lines }) ??
        await this.#withoutBareEnd(hunk, hunkIndex, scope);
    if (placed !== null) return this.#insertedBefore(hunk, placed, scope) ?? placed;
    return await this.#alreadyApplied(hunk, hunkIndex, scope) ??
      await this.#fail(hunk, hunkIndex);
  }

  /** O-22: directly after the scope line, else at the end of the file. */
  #pureAddition(hunk: Hunk, hunkIndex: number, scope: Scope): PlacedHunk {
    const anchors = scope.anchors;
    let start: number;
    if (anchors === null || scope.atEndOfFile) {
      const last = this.#text.lines.length - 1;
      start = this.#text.lines[last] === "" ? last : last + 1;
    } else {
      if (anchors.length > 1) {
        throw ambiguous({
          ...this.#about(hunk, hunkIndex),
          starts: anchors.map((anchor) => anchor.line),
          grade: null,
        });
      }
      start = (anchors[0] as Anchor).line + 1;
    }
    const base = { kind: "placed", hunkIndex, lines: hunk.lines, oldCount: 0, grade: "exact", indents: null } as const;
    return { ...base, start, warnings: [] };
  }

  async #place(
    hunk: Hunk,
    hunkIndex: number,
    what: { readonly scope: Scope; readonly lines: readonly HunkLine[] },
  ): Promise<PlacedHunk | null> {
    const old = oldLinesOf(what.lines);
    for (const grade of GRADES) {
      let starts = await this.#candidates(old, { comparison: grade, scope: what.scope });
      if (grade === "indent") starts = await this.#withOneIndentation(old, starts);
      const found = this.#select(starts, what.scope);
      if (found.kind === "many") {
        throw ambiguous({ ...this.#about(hunk, hunkIndex), starts: found.starts, grade });
      }
      if (found.kind === "one") {
        return {
          kind: "placed",
          hunkIndex,
          lines: what.lines,
          start: found.start,
          oldCount: old.length,
          grade,
          indents: grade === "indent" ? mapIndents(old, { lines: this.#text.lines, start: found.start }) : null,
          warnings: placementWarnings(hunkIndex, { grade, outside: found.outside }),
        };
      }
    }
    return null;
  }

  /** The usual blank line before the next marker is read as an empty context line; most often none is meant. */
  async #withoutBareEnd(hunk: Hunk, hunkIndex: number, scope: Scope): Promise<PlacedHunk | null> {
    let end = hunk.lines.length;
    while (end > 0 && (hunk.lines[end - 1] as HunkLine).isBare) end--;
    const lines = hunk.lines.slice(0, end);
    if (end === hunk.lines.length || oldLinesOf(lines).length === 0) return null;
    const placed = await this.#place(hunk, hunkIndex, { scope, lines });
    if (placed === null) return null;
    const warning = `hunk ${hunkIndex}: located without the empty line(s) at its end`;
    return { ...placed, warnings: [...placed.warnings, warning] };
  }

  /**
   * A hunk that only adds, at one edge of its context, fits its place again after it was applied: a client that lost the
   * answer and repeats the call must not get the lines twice.
   */
  #insertedBefore(hunk: Hunk, placed: PlacedHunk, scope: Scope): SkippedHunk | null {
    if (!placed.lines.some((line) => line.kind === "added")) return null;
    if (placed.lines.some((line) => line.kind === "removed")) return null;
    const fresh = newLinesOf(placed.lines);
    const leading = placed.lines.findIndex((line) => line.kind !== "added");
    // Additions without context lie before the end of the file, or directly below their scope line.
    const isAppended = leading < 0 && (scope.anchors === null || scope.atEndOfFile);
    const start = placed.start - (isAppended ? fresh.length : Math.max(0, leading));
    const stands = (["exact", "trailing_ws"] as const).some((comparison) =>
      this.#index.standsAt(fresh, { start, comparison })
    );
    if (!stands || !this.#isEvidence(hunk, fresh, { start, anchors: scope.anchors })) return null;
    return { kind: "already_applied", hunkIndex: placed.hunkIndex, start };
  }

  async #alreadyApplied(hunk: Hunk, hunkIndex: number, scope: Scope): Promise<SkippedHunk | null> {
    const fresh = newLinesOf(hunk.lines);
    if (fresh.length === 0 || !hunk.lines.some((line) => line.kind !== "context")) return null;
    for (const grade of ["exact", "trailing_ws"] as const) {
      const found = this.#select(await this.#candidates(fresh, { comparison: grade, scope }), scope);
      if (found.kind === "one" && this.#isEvidence(hunk, fresh, { start: found.start, anchors: scope.anchors })) {
        return { kind: "already_applied", hunkIndex, start: found.start };
      }
    }
    return null;
  }

  /** Two telling lines, one of them added if any are: a lone line could stand there by chance. */
  #isEvidence(
    hunk: Hunk,
    fresh: readonly string[],
    at: { readonly start: number; readonly anchors: readonly Anchor[] | null },
  ): boolean {
    const added = hunk.lines.filter((line) => line.kind === "added");
    if (added.length > 0 && !added.some((line) => isTelling(line.text))) return false;
    const above = at.anchors?.some((anchor) => anchor.line === at.start - 1) === true ? 1 : 0;
    return fresh.filter(isTelling).length + above >= 2;
  }

  /** Places of a sequence; with the end-of-file mark only those that reach the end, of which there are at most two. */
  async #candidates(
    sequence: readonly string[],
    how: { readonly comparison: Grade; readonly scope: Scope },
  ): Promise<readonly number[]> {
    if (!how.scope.atEndOfFile) return await this.#index.find(sequence, how.comparison);
    const count = this.#text.lines.length;
    // The empty element after a final newline need not be named.
    const ends = this.#text.lines[count - 1] === "" ? [count - 1, count] : [count];
    const starts = ends.map((end) => end - sequence.length);
    return starts.filter((start) => this.#index.standsAt(sequence, { start, comparison: how.comparison }));
  }

  #select(starts: readonly number[], scope: Scope): Found {
    let left: readonly number[] = starts;
    let outside = false;
    if (scope.anchors !== null) {
      const inside = keepInside(left.map((line) => ({ line })), scope.anchors, { strictly: false });
      outside = inside.length === 0;
      left = outside ? afterAnchors(left, scope.anchors) : inside.map((place) => place.line);
    }
    if (left.length === 0) return { kind: "none" };
    return left.length === 1 ? { kind: "one", start: left[0] as number, outside } : { kind: "many", starts: left };
  }

  async #withOneIndentation(old: readonly string[], starts: readonly number[]): Promise<number[]> {
    const kept: number[] = [];
    let compared = 0;
    for (const start of starts) {
      if (this.#pacer.isDue) await this.#pacer.rest();
      compared += old.length;
      // Bounds a file of equal lines: what was found until then is ambiguous anyway.
      if (compared > MAX_INDENT_COMPARISONS && kept.length > 1) break;
      if (mapIndents(old, { lines: this.#text.lines, start }) !== null) kept.push(start);
    }
    return kept;
  }

  async #fail(hunk: Hunk, hunkIndex: number): Promise<never> {
    const old = oldLinesOf(hunk.lines);
    throw notFound({
      ...this.#about(hunk, hunkIndex),
      elsewhere: await this.#elsewhere(old),
      nearest: await this.#index.nearest(old),
      lookAlike: (await this.#index.find(old, "look_alike"))[0] ?? null,
    });
  }

  /** Places that only the header or the end-of-file mark of the hunk rules out; without them none is left to find. */
  async #elsewhere(old: readonly string[]): Promise<readonly number[]> {
    for (const comparison of ["exact", "trailing_ws"] as const) {
      const starts = await this.#index.find(old, comparison);
      if (starts.length > 0) return starts;
    }
    return [];
  }

  #about(hunk: Hunk, hunkIndex: number): { path: string; text: TextLines; hunk: Hunk; hunkIndex: number } {
    return { path: this.#path, text: this.#text, hunk, hunkIndex };
  }
}

/** About 0.2 s of comparing. */
const MAX_INDENT_COMPARISONS = 2_000_000;

/** No block holds a candidate: text order decides, and with one anchor the first after it. */
function afterAnchors(starts: readonly number[], anchors: readonly Anchor[]): readonly number[] {
  const first = (anchors[0] as Anchor).line;
  const later = starts.filter((start) => start >= first);
  return anchors.length === 1 ? later.slice(0, 1) : later;
}

function placementWarnings(hunkIndex: number, how: { readonly grade: Grade; readonly outside: boolean }): string[] {
  const { grade, outside } = how;
  const warnings: string[] = [];
  if (outside) warnings.push(`hunk ${hunkIndex}: located after the @@ text, outside its block`);
  if (grade === "trailing_ws") {
    warnings.push(`hunk ${hunkIndex}: context matched only after ignoring trailing whitespace`);
  }
  if (grade === "indent") {
    warnings.push(
      `hunk ${hunkIndex}: context matched only after ignoring indentation width; added lines were re-indented like the file`,
    );
  }
  return warnings;
}

/** More than brackets and punctuation. */
function isTelling(line: string): boolean {
  return !isBlank(line) && !/^[{}()[\];,]+$/.test(trimBoth(line));
}

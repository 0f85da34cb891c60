/** Turns placed hunks into replacements of lines, with the terminators and indentation that the file asks for. */

import { ToolError } from "../../base/tool_error.ts";
import type { PlacedHunk } from "./placed_hunk.ts";
import { Reindenter, usualUnit } from "./reindent.ts";
import type { NewLine, Splice, TextLines } from "./text_lines.ts";

/** Lines that changed, 1-based in the new file; a pure deletion ends one line before it starts. */
export interface ChangedRange {
  readonly startLine: number;
  readonly endLine: number;
  readonly addedLines: number;
  readonly removedLines: number;
}

/** Splices of one block, sorted, never overlapping; hunks come in their order. @throws ToolError PATCH_HUNKS_OVERLAP */
export function buildSplices(
  text: TextLines,
  placed: readonly PlacedHunk[],
  options: { readonly path: string },
): Splice[] {
  let unit: string | undefined;
  const fileUnit = () => unit ??= usualUnit(text.lines);
  const built = placed.map((hunk) => ({ hunk, splice: changedPart(hunk, newLines(hunk, fileUnit)) }));
  // Stable: insertions at one place stay in the order of their hunks.
  built.sort((a, b) => a.splice.start - b.splice.start || a.splice.end - b.splice.end);
  const active: typeof built = [];
  for (const next of built) {
    if (isNoChange(next.splice)) continue;
    for (const earlier of active) {
      if (collide(earlier, next)) throw overlap(options.path, [earlier.hunk.hunkIndex, next.hunk.hunkIndex]);
    }
    active.push(next);
    if (active.length > MAX_ACTIVE) active.shift();
  }
  return built.map((one) => one.splice).filter((splice) => !isNoChange(splice));
}

/** Changed lines of each splice, equal lines at its head and tail left out; splices that change nothing give none. */
export function rangesOf(text: TextLines, splices: readonly Splice[]): ChangedRange[] {
  const ranges: ChangedRange[] = [];
  let shift = 0;
  for (const splice of splices) {
    const oldLines = text.lines.slice(splice.start, splice.end);
    const newLines = splice.lines.map((line) => line.kind === "kept" ? text.lines[line.oldIndex] as string : line.text);
    const { head, tail } = commonEnds(oldLines, newLines);
    const kept = countKept(splice, { head, tail });
    const addedLines = newLines.length - head - tail - kept;
    const removedLines = oldLines.length - head - tail - kept;
    const start = splice.start + shift + head;
    if (addedLines > 0 || removedLines > 0) {
      ranges.push({ startLine: start + 1, endLine: start + newLines.length - head - tail, addedLines, removedLines });
    }
    shift += newLines.length - oldLines.length;
  }
  return ranges;
}

interface BuiltHunk {
  readonly hunk: PlacedHunk;
  readonly splice: Splice;
}

/** Hunks that reach past so many neighbours do not occur; the bound keeps thousands of hunks linear. */
const MAX_ACTIVE = 64;

/** The splice without unchanged lines at both ends, so that hunks may share context. */
function changedPart(hunk: PlacedHunk, lines: readonly NewLine[]): Splice {
  let start = hunk.start;
  let end = hunk.start + hunk.oldCount;
  let [from, to] = [0, lines.length];
  // Kept lines are old lines of the hunk, so neither loop leaves its old lines.
  while (isKeptAt(lines[from], start)) {
    from++;
    start++;
  }
  while (to > from && isKeptAt(lines[to - 1], end - 1)) {
    to--;
    end--;
  }
  return { start, end, lines: lines.slice(from, to) };
}

function newLines(hunk: PlacedHunk, fileUnit: () => string): NewLine[] {
  const reindenter = hunk.indents === null
    ? null
    : new Reindenter(hunk.indents, { patchLines: hunk.lines.map((line) => line.text), fileUnit });
  const result: NewLine[] = [];
  let removed: number[] = [];
  let added: string[] = [];
  const flush = () => {
    for (const [k, line] of added.entries()) result.push({ kind: "new", text: line, replaces: removed[k] ?? null });
    removed = [];
    added = [];
  };
  let at = hunk.start;
  for (const line of hunk.lines) {
    if (line.kind === "added") added.push(reindenter === null ? line.text : reindenter.apply(line.text));
    else if (line.kind === "removed") removed.push(at++);
    else {
      flush();
      result.push({ kind: "kept", oldIndex: at++ });
    }
  }
  flush();
  return result;
}

function isKeptAt(line: NewLine | undefined, index: number): boolean {
  return line?.kind === "kept" && line.oldIndex === index;
}

function isNoChange(splice: Splice): boolean {
  return splice.start === splice.end && splice.lines.length === 0;
}

/** Two hunks collide when one changes lines that the other names; sharing context is no collision. */
function collide(a: BuiltHunk, b: BuiltHunk): boolean {
  return touches(a.splice, whole(b.hunk)) || touches(b.splice, whole(a.hunk));
}

function whole(hunk: PlacedHunk): { start: number; end: number } {
  return { start: hunk.start, end: hunk.start + hunk.oldCount };
}

/** True if the change lies in the span. An insertion counts only strictly inside it: at its edge the order is clear. */
function touches(
  change: { readonly start: number; readonly end: number },
  span: { readonly start: number; readonly end: number },
): boolean {
  return change.start < span.end && span.start < change.end;
}

function overlap(path: string, indexes: readonly number[]): ToolError {
  const hunks = [...indexes].sort((a, b) => a - b);
  return new ToolError(
    "PATCH_HUNKS_OVERLAP",
    `Cannot patch ${path}: hunks ${hunks.join(" and ")} change the same lines`,
    {
      details: {
        path,
        hunk_indexes: hunks,
        retry_hint:
          "Join the two hunks into one, or put the second into another *** Update File block for the same path",
      },
    },
  );
}

function commonEnds(a: readonly string[], b: readonly string[]): { head: number; tail: number } {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return { head, tail };
}

/** Context lines between the changes of one hunk: in the range, but neither added nor removed. */
function countKept(splice: Splice, trimmed: { readonly head: number; readonly tail: number }): number {
  const inner = splice.lines.slice(trimmed.head, splice.lines.length - trimmed.tail);
  return inner.filter((line) => line.kind === "kept").length;
}

/** What a model is told when a hunk has no place or several: enough to write the right hunk without reading again. */

import { ToolError } from "../../base/tool_error.ts";
import { takePrefixWithin, utf8Length } from "../../base/utf8.ts";
import type { Hunk } from "./parsed_patch.ts";
import { type TextLines, totalLines } from "./text_lines.ts";
import { foldLookAlikes, indentColumns, indentOf, isBlank, lookAlikesIn, trimBoth } from "./whitespace.ts";

interface About {
  readonly path: string;
  readonly text: TextLines;
  readonly hunk: Hunk;
  readonly hunkIndex: number;
}

/** No place for the hunk, or for the text after `@@`. */
export function notFound(
  about: About & {
    readonly missingScope?: string;
    /** 0-based, for a missing scope. */
    readonly searchStart?: number;
    readonly nearest?: { readonly start: number; readonly matching: number } | null;
    /** Places (0-based) where the lines stand, though not where the hunk's header or end-of-file mark wants them. */
    readonly elsewhere?: readonly number[];
    /** Place where the lines are the same but for characters that look alike. */
    readonly lookAlike?: number | null;
  },
): ToolError {
  const { path, text, hunk, hunkIndex, missingScope, elsewhere = [] } = about;
  const isElsewhere = elsewhere.length > 0;
  const around = elsewhere[0] ?? about.lookAlike ?? about.nearest?.start ?? about.searchStart ?? null;
  const difference = about.lookAlike === undefined || about.lookAlike === null || isElsewhere
    ? null
    : lookAlikeDifference(text, hunk, about.lookAlike);
  const wrong = firstDifference(about);
  const lines = `the lines of hunk ${hunkIndex} (patch line ${hunk.patchLine})`;
  let what = `${lines} do not occur in it`;
  if (elsewhere[0] !== undefined) {
    what = `${lines} stand at line ${elsewhere[0] + 1}, which is not ${wantedPlace(hunk)}`;
  } else if (missingScope !== undefined) {
    what = `the text ${JSON.stringify(missingScope)} after @@ of hunk ${hunkIndex} does not occur in it`;
  }
  return new ToolError("PATCH_CONTEXT_NOT_FOUND", `Cannot patch ${path}: ${what}${difference?.fact ?? ""}`, {
    details: {
      path,
      hunk_index: hunkIndex,
      ...(hunk.scopes.length > 0 ? { scope: hunk.scopes.join(" @@ ") } : {}),
      match_count: 0,
      match_quality: null,
      total_lines: totalLines(text),
      ...(missingScope === undefined ? {} : { search_start_line: (about.searchStart ?? 0) + 1 }),
      ...(isElsewhere ? { lines_stand_at: elsewhere.slice(0, MAX_CANDIDATES).map((start) => start + 1) } : {}),
      ...(about.nearest
        ? { nearest_line: about.nearest.start + 1, nearest_matching_lines: about.nearest.matching }
        : {}),
      ...(difference === null ? {} : { look_alikes: difference.characters, nearest_line: (about.lookAlike ?? 0) + 1 }),
      ...(wrong === null ? {} : { first_difference: wrong }),
      nearby_text: excerpt(text, around ?? 0),
      retry_hint: isElsewhere
        ? placeHint(hunk)
        : retryHint({ wrong, isLookAlike: difference !== null, isScope: missingScope !== undefined }),
      next_action: { tool: "read_file", arguments: readArguments(path, around, text) },
    },
  });
}

function wantedPlace(hunk: Hunk): string {
  if (hunk.atEndOfFile) return 'the end of the file, as "*** End of File" says';
  return `in the block below ${JSON.stringify(`@@ ${hunk.scopes.at(-1)}`)}`;
}

function placeHint(hunk: Hunk): string {
  return hunk.atEndOfFile
    ? "Leave *** End of File out, or write the hunk with the last lines of the file"
    : "Use the line that opens the block around these lines after @@, or leave the text after @@ out";
}

/** Several places for the hunk, or several lines with the text after `@@`. */
export function ambiguous(
  about: About & {
    /** 0-based. */
    readonly starts: readonly number[];
    /** Null when it is the scope line that is not unique. */
    readonly grade: string | null;
  },
): ToolError {
  const { path, text, hunk, hunkIndex, starts } = about;
  const shown = starts.slice(0, MAX_CANDIDATES);
  const lines = shown.map((start) => start + 1).join(", ") + (starts.length > shown.length ? ", …" : "");
  const what = about.grade === null
    ? `hunk ${hunkIndex} adds lines after the @@ text, which stands on ${starts.length} lines (${lines})`
    : `hunk ${hunkIndex} fits ${starts.length} places (lines ${lines})`;
  const candidates = shown.map((start) => ({ start, scope: enclosingLine(text, start) }));
  const scopeAdvice = adviseScope(candidates, { hasScope: hunk.scopes.length > 0 });
  return new ToolError("PATCH_CONTEXT_AMBIGUOUS", `Cannot patch ${path}: ${what}`, {
    details: {
      path,
      hunk_index: hunkIndex,
      ...(hunk.scopes.length > 0 ? { scope: hunk.scopes.join(" @@ ") } : {}),
      match_count: starts.length,
      match_quality: about.grade,
      candidate_lines: shown.map((start) => start + 1),
      candidates: candidates.map(({ start, scope }) => ({
        line: start + 1,
        ...(scope === null ? {} : { scope }),
        text: excerpt(text, start),
      })),
      retry_hint:
        `Add context lines until the hunk fits one place only, or ${scopeAdvice}; for the last place in the file end the hunk with *** End of File`,
    },
  });
}

/** The line that opens the block around `start`: the nearest one above that is indented less. Null at the top level. */
function enclosingLine(text: TextLines, start: number): string | null {
  const depthOf = (line: string) => indentColumns(indentOf(line));
  const own = text.lines.slice(start, start + EXCERPT_LINES).find((line) => !isBlank(line)) ?? "";
  for (let i = start - 1; i >= Math.max(0, start - MAX_LINES_UP); i--) {
    const line = text.lines[i] as string;
    if (isBlank(line) || depthOf(line) >= depthOf(own) || /^[{}()[\];,\s]*$/.test(line)) continue;
    return trimBoth(takePrefixWithin(line, 200));
  }
  return null;
}

/** Names a header for each of the first places where their enclosing lines differ; general advice otherwise. */
function adviseScope(
  candidates: readonly { readonly start: number; readonly scope: string | null }[],
  hunk: { readonly hasScope: boolean },
): string {
  const scopes = new Set(candidates.map((candidate) => candidate.scope));
  if (scopes.size === candidates.length && !scopes.has(null) && !hunk.hasScope) {
    const headers = candidates.slice(0, 3).map(({ start, scope }) => `@@ ${scope} for line ${start + 1}`);
    return `add a header: ${headers.join(", ")}`;
  }
  return hunk.hasScope
    ? "use a longer @@ text or a second @@ header for the outer block"
    : "add a header such as @@ <line that opens the enclosing function or class>";
}

/** Lines looked at for the enclosing one. */
const MAX_LINES_UP = 2_000;

/** Candidates that are listed; more do not help to choose. */
const MAX_CANDIDATES = 8;
/** Lines shown before and after a place. */
const EXCERPT_LINES = 6;
/** Bytes of one excerpt. */
const EXCERPT_BYTES = 800;

/** `n: text` lines around `line` (0-based). */
function excerpt(text: TextLines, line: number): string {
  const first = Math.max(0, line - EXCERPT_LINES);
  const last = Math.min(totalLines(text) - 1, line + EXCERPT_LINES);
  const numbered: string[] = [];
  for (let i = first; i <= last; i++) {
    numbered.push(`${i + 1}: ${takePrefixWithin(text.lines[i] as string, EXCERPT_BYTES)}`);
  }
  const whole = numbered.join("\n");
  return utf8Length(whole) <= EXCERPT_BYTES ? whole : `${takePrefixWithin(whole, EXCERPT_BYTES)}…`;
}

/** The first line of the hunk that is not what stands at the nearest place: usually the whole mistake. */
function firstDifference(about: Parameters<typeof notFound>[0]): Difference | null {
  if (!about.nearest) return null;
  const old = about.hunk.lines.filter((line) => line.kind !== "added");
  for (const [k, line] of old.entries()) {
    const actual = about.text.lines[about.nearest.start + k];
    if (actual !== undefined && trimBoth(actual) === trimBoth(line.text)) continue;
    return {
      line: about.nearest.start + k + 1,
      expected: takePrefixWithin(line.text, 200),
      actual: actual === undefined ? null : takePrefixWithin(actual, 200),
    };
  }
  return null;
}

interface Difference {
  /** In the file, counted from 1. */
  readonly line: number;
  readonly expected: string;
  /** Null past the end of the file. */
  readonly actual: string | null;
}

function retryHint(
  why: { readonly wrong: Difference | null; readonly isLookAlike: boolean; readonly isScope: boolean },
): string {
  if (why.isLookAlike) return "Copy the context lines from nearby_text with their special characters";
  if (why.isScope) return "Use a line of the file after @@, or leave the text after @@ out and add context lines";
  const { wrong } = why;
  const general = "write the hunk from what read_file shows, every context line exactly as it is";
  if (wrong === null) return `Read the file again and ${general}`;
  const actual = wrong.actual === null ? "past the end of the file" : JSON.stringify(wrong.actual);
  return `At the nearest place line ${wrong.line} is ${actual} where the hunk has ${
    JSON.stringify(wrong.expected)
  }; ${general}`;
}

function lookAlikeDifference(text: TextLines, hunk: Hunk, start: number): { fact: string; characters: string[] } {
  const old = hunk.lines.filter((line) => line.kind !== "added");
  const characters = new Set<string>();
  for (const [k, line] of old.entries()) {
    const actual = text.lines[start + k] ?? "";
    if (actual === line.text || foldLookAlikes(actual) !== foldLookAlikes(line.text)) continue;
    const inPatch = new Set(lookAlikesIn(line.text));
    const inFile = new Set(lookAlikesIn(actual));
    for (const found of [...inFile, ...inPatch]) if (inFile.has(found) !== inPatch.has(found)) characters.add(found);
  }
  const list = [...characters];
  if (list.length === 0) return { fact: `; line ${start + 1} differs only in spacing`, characters: list };
  return { fact: `; line ${start + 1} differs only in look-alike characters (${list.join(", ")})`, characters: list };
}

function readArguments(path: string, around: number | null, text: TextLines): Record<string, unknown> {
  if (around === null) return { path };
  const start = Math.max(1, around + 1 - 20);
  return { path, start_line: start, end_line: Math.max(start, Math.min(totalLines(text), around + 1 + 40)) };
}

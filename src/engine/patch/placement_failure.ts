/** What a model is told when a hunk has no place or several: enough to write the right hunk without reading again. */

import { ToolError } from "../../base/tool_error.ts";
import { takePrefixWithin, utf8Length } from "../../base/utf8.ts";
import type { Hunk } from "./parse_patch.ts";
import { type TextLines, totalLines } from "./text_lines.ts";
import { foldLookAlikes, lookAlikesIn, trimBoth } from "./whitespace.ts";

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
    /** Place where the lines are the same but for characters that look alike. */
    readonly lookAlike?: number | null;
  },
): ToolError {
  const { path, text, hunk, hunkIndex, missingScope } = about;
  const around = about.lookAlike ?? about.nearest?.start ?? about.searchStart ?? null;
  const difference = about.lookAlike === undefined || about.lookAlike === null
    ? null
    : lookAlikeDifference(text, hunk, about.lookAlike);
  const what = missingScope === undefined
    ? `the lines of hunk ${hunkIndex} (patch line ${hunk.patchLine}) do not occur in it`
    : `the text ${JSON.stringify(missingScope)} after @@ of hunk ${hunkIndex} does not occur in it`;
  return new ToolError("PATCH_CONTEXT_NOT_FOUND", `Cannot patch ${path}: ${what}${difference?.fact ?? ""}`, {
    details: {
      path,
      hunk_index: hunkIndex,
      ...(hunk.scopes.length > 0 ? { scope: hunk.scopes.join(" @@ ") } : {}),
      match_count: 0,
      match_quality: null,
      total_lines: totalLines(text),
      ...(missingScope === undefined ? {} : { search_start_line: (about.searchStart ?? 0) + 1 }),
      ...(about.nearest
        ? { nearest_line: about.nearest.start + 1, nearest_matching_lines: about.nearest.matching }
        : {}),
      ...(difference === null ? {} : { look_alikes: difference.characters, nearest_line: (about.lookAlike ?? 0) + 1 }),
      ...firstDifference(about),
      nearby_text: excerpt(text, around ?? 0),
      retry_hint: difference === null
        ? "Read the lines again with read_file and write the hunk from what it shows, every context line exactly as it is"
        : "Copy the context lines from nearby_text with their special characters",
      next_action: { tool: "read_file", arguments: readArguments(path, around, text) },
    },
  });
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
  const scopeAdvice = hunk.scopes.length === 0
    ? "add a header such as @@ <line that opens the enclosing function or class>"
    : "use a longer @@ text or a second @@ header for the outer block";
  return new ToolError("PATCH_CONTEXT_AMBIGUOUS", `Cannot patch ${path}: ${what}`, {
    details: {
      path,
      hunk_index: hunkIndex,
      ...(hunk.scopes.length > 0 ? { scope: hunk.scopes.join(" @@ ") } : {}),
      match_count: starts.length,
      match_quality: about.grade,
      candidate_lines: shown.map((start) => start + 1),
      candidates: shown.map((start) => ({ line: start + 1, text: excerpt(text, start) })),
      retry_hint:
        `Add context lines until the hunk fits one place only, or ${scopeAdvice}; for the last place in the file end the hunk with *** End of File`,
    },
  });
}

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
function firstDifference(about: Parameters<typeof notFound>[0]): Record<string, unknown> {
  if (!about.nearest) return {};
  const old = about.hunk.lines.filter((line) => line.kind !== "added");
  for (const [k, line] of old.entries()) {
    const actual = about.text.lines[about.nearest.start + k];
    if (actual !== undefined && trimBoth(actual) === trimBoth(line.text)) continue;
    return {
      first_difference: {
        line: about.nearest.start + k + 1,
        expected: takePrefixWithin(line.text, 200),
        actual: actual === undefined ? null : takePrefixWithin(actual, 200),
      },
    };
  }
  return {};
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

/** Text shared by the git tools. */

import { fitLinesFromStart } from "../base/fit_text.ts";
import { renderAction } from "../base/render_action.ts";
import { displayPath } from "../base/path_text.ts";
import { utf8Length } from "../base/utf8.ts";
import type { FileChange } from "../engine/git/patch_reader.ts";
import { fitItems } from "./_bound_change.ts";
import type { NextAction } from "../base/tool_error.ts";
import type { Rendering } from "./tool.ts";

/** 64 KiB: text of `git_diff` and `git_show` when the caller names no limit (O-6). */
export const DEFAULT_MAX_BYTES = 65_536;
/** Bytes as JSON of a diff, the list of its files and the warnings: with the other fields within 64 KiB (O-6). */
const TEXT_JSON_BYTES = 44 * 1024;
const FILES_JSON_BYTES = 14 * 1024;
/** The same list for a caller that asked for a larger text. */
const LARGE_FILES_JSON_BYTES = 256 * 1024;
const MAX_WARNINGS = 20;

/** The bounds of a text as the engine takes them: a caller that names a larger maximum gets all of it. */
export function textLimits(maxBytes: number): { maxBytes: number; maxJsonBytes?: number } {
  return maxBytes > DEFAULT_MAX_BYTES ? { maxBytes } : { maxBytes, maxJsonBytes: TEXT_JSON_BYTES };
}

/** A changed file on the wire. */
export interface WireFile {
  path: string;
  original_path?: string;
  status: string;
  binary: boolean;
  additions?: number;
  removals?: number;
}

/** `files`, how many there are, and `warnings` with a word about those left out. */
export function fileFields(
  files: readonly FileChange[],
  given: { readonly maxBytes: number; readonly warnings: readonly string[] },
): { files: WireFile[]; total_files: number; warnings: string[] } {
  const budget = given.maxBytes > DEFAULT_MAX_BYTES ? LARGE_FILES_JSON_BYTES : FILES_JSON_BYTES;
  const listed = [...fitItems(files.map(toWireFile), budget)];
  const warnings = given.warnings.slice(0, MAX_WARNINGS).map((warning) => warning.slice(0, 150));
  if (given.warnings.length > MAX_WARNINGS) warnings.push(`${given.warnings.length - MAX_WARNINGS} more warnings`);
  if (listed.length < files.length) {
    warnings.push(`${files.length - listed.length} more files are not listed; narrow paths`);
  }
  return { files: listed, total_files: files.length, warnings };
}

function toWireFile({ path, originalPath, status, binary, additions, removals }: FileChange): WireFile {
  return {
    path,
    ...(originalPath === undefined ? {} : { original_path: originalPath }),
    status,
    binary,
    ...(additions === undefined ? {} : { additions, removals: removals ?? 0 }),
  };
}

/** What a text answer says of its bounds. */
export interface TextBounds {
  readonly truncatedBy: "" | "lines" | "bytes";
  readonly lines: number;
  readonly bytes: number;
}

/** `next_action` of a text that was cut. A cut first line counts as shown: what is left of it needs a larger max_bytes. */
export function nextPage(
  tool: string,
  given: Readonly<Record<string, unknown>> & { readonly offset: number },
  bounds: TextBounds,
): { next_action?: NextAction } {
  if (bounds.truncatedBy === "") return {};
  return { next_action: continueText(tool, given, given.offset + Math.max(1, bounds.lines)) };
}

/** Says that a text shows only its first lines and names the call that goes on behind them. */
export function hiddenNotice(
  tool: string,
  given: Readonly<Record<string, unknown>> & { readonly offset: number },
  { out, shown }: { out: { readonly output_lines: number; readonly truncated: boolean }; shown: number },
): string {
  const next = continueText(tool, given, given.offset + Math.max(1, shown));
  const more = out.truncated ? "more" : `${out.output_lines - shown} more`;
  return `… ${more} lines; continue with ${renderAction(next)}`;
}

/** The call that goes on at line `offset` of the text: what was given, without what is the default anyway. */
function continueText(tool: string, given: Readonly<Record<string, unknown>>, offset: number): NextAction {
  const kept = Object.entries(given).filter(([name, value]) => value !== undefined && value !== TEXT_DEFAULTS[name]);
  return { tool, arguments: { ...Object.fromEntries(kept), offset } };
}

/** Defaults of the arguments of `git_diff` and `git_show`. */
const TEXT_DEFAULTS: Readonly<Record<string, unknown>> = {
  rev: "HEAD",
  staged: false,
  unstaged: true,
  include_untracked: true,
  include_diff: true,
  context_lines: 3,
  max_bytes: DEFAULT_MAX_BYTES,
};

/** Wire fields for a bounded text (contract 3.13). */
export function boundsFields(bounds: TextBounds, offset: number): {
  offset: number;
  truncated: boolean;
  truncated_by: string;
  output_lines: number;
  output_bytes: number;
} {
  return {
    offset,
    truncated: bounds.truncatedBy !== "",
    truncated_by: bounds.truncatedBy,
    output_lines: bounds.lines,
    output_bytes: bounds.bytes,
  };
}

/** A `shorten` that keeps whole lines of `body` from the start; `notice` gets how many are shown. */
export function keepingFirstLines(
  body: string,
  notice: (shownLines: number) => string,
): (budgetBytes: number) => Pick<Rendering, "body"> {
  return (budgetBytes) => {
    // The notice names a number that is only known afterwards; its longest form has the largest number.
    const reserve = utf8Length(notice(Number.MAX_SAFE_INTEGER)) + 2;
    const fitted = fitLinesFromStart(body, budgetBytes - reserve);
    const kept = fitted.text.endsWith("\n") || fitted.text === "" ? fitted.text : fitted.text + "\n";
    return { body: kept + notice(fitted.wholeLines) };
  };
}

/** Warning lines, each on its own; at most 20 of 300 characters (contract 1.2). */
export function warningLines(warnings: readonly string[] | undefined): string {
  return (warnings ?? []).slice(0, 20).map((warning) => `Warning: ${warning.slice(0, 300)}`).join("\n");
}

/** Non-empty parts, one a line. */
export function joinLines(...parts: (string | false | undefined)[]): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join("\n");
}

/** Changed files named in a text; more are counted. */
const LISTED_FILES = 25;

/** One line per changed file: status, counts, path; the first 25, each at most 300 characters. */
export function fileList(files: readonly WireFile[]): string {
  const lines = files.slice(0, LISTED_FILES).map((file) => fileLine(file).slice(0, 300));
  if (files.length > LISTED_FILES) lines.push(`… ${files.length - LISTED_FILES} more files`);
  return lines.join("\n");
}

/** Says that a text was cut by its own limit, and how to go on. */
export function cutNotice(
  what: string,
  out: { readonly output_lines: number; readonly output_bytes: number; readonly truncated_by: string },
  next: NextAction,
): string {
  const { output_lines: lines, output_bytes: bytes, truncated_by: limit } = out;
  return `… ${what} cut after ${lines} lines (${bytes} bytes) by its limit of ${limit}; continue with ${
    renderAction(next)
  }`;
}

function fileLine(file: WireFile): string {
  const counted = file.additions === undefined ? "" : `+${file.additions} -${file.removals ?? 0} `;
  const from = file.original_path === undefined ? "" : `${displayPath(file.original_path)} -> `;
  return `${file.status} ${file.binary ? "binary " : counted}${from}${displayPath(file.path)}`;
}

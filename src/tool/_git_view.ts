/** Text shared by the git tools. */

import { fitLinesFromStart } from "../base/fit_text.ts";
import { displayPath } from "../base/path_text.ts";
import { utf8Length } from "../base/utf8.ts";
import type { Rendering } from "./tool.ts";

/** What a text answer says of its bounds. */
export interface TextBounds {
  readonly truncatedBy: "" | "lines" | "bytes";
  readonly lines: number;
  readonly bytes: number;
}

/** Wire fields for a bounded text (contract 3.13). */
export function boundsFields(bounds: TextBounds): {
  truncated: boolean;
  truncated_by: string;
  output_lines: number;
  output_bytes: number;
} {
  return {
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

/** A changed file as `fileList()` needs it. */
interface ListedFile {
  readonly path: string;
  readonly original_path?: string | undefined;
  readonly status: string;
  readonly binary: boolean;
  readonly additions?: number | undefined;
  readonly removals?: number | undefined;
}

/** One line per changed file: status, counts, path; the first 25, each at most 300 characters. */
export function fileList(files: readonly ListedFile[]): string {
  const lines = files.slice(0, LISTED_FILES).map((file) => fileLine(file).slice(0, 300));
  if (files.length > LISTED_FILES) lines.push(`… ${files.length - LISTED_FILES} more files`);
  return lines.join("\n");
}

/** Says that a text was cut by its own limit, and what to do. */
export function cutNotice(
  what: string,
  out: { readonly output_lines: number; readonly output_bytes: number; readonly truncated_by: string },
  advice: string,
): string {
  return `… ${what} cut after ${out.output_lines} lines (${out.output_bytes} bytes) by its limit of ${out.truncated_by}; ${advice}`;
}

function fileLine(file: ListedFile): string {
  const counted = file.additions === undefined ? "" : `+${file.additions} -${file.removals ?? 0} `;
  const from = file.original_path === undefined ? "" : `${displayPath(file.original_path)} -> `;
  return `${file.status} ${file.binary ? "binary " : counted}${from}${displayPath(file.path)}`;
}

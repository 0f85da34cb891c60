/** Text shared by the git tools. */

import { fitLinesFromStart } from "../base/fit_text.ts";
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

/** One line per changed file: status letter, counts, path. */
export function fileLine(file: {
  path: string;
  original_path?: string | undefined;
  status: string;
  binary: boolean;
  additions?: number | undefined;
  removals?: number | undefined;
}): string {
  const counts = file.binary
    ? "binary"
    : file.additions === undefined
    ? ""
    : `+${file.additions} -${file.removals ?? 0}`;
  const from = file.original_path === undefined ? "" : `${file.original_path} -> `;
  return `${file.status} ${counts}${counts === "" ? "" : " "}${from}${file.path}`;
}

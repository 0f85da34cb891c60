/** Edits by line number: all numbers are those of the file as it was read (contract 8.3). */

import { ToolError } from "../../base/tool_error.ts";
import type { NewLine, Splice, TextLines } from "./text_lines.ts";
import { totalLines } from "./text_lines.ts";

/** What is done with the lines an edit names. */
export type EditOperation = "replace" | "delete" | "insert_after" | "insert_before";

/** One edit in the names of the wire; which fields an operation takes is checked when it is applied. */
export interface LineEdit {
  readonly op: EditOperation;
  /** Counted from 1. */
  readonly start_line?: number | undefined;
  /** Inclusive; the start where it is missing. */
  readonly end_line?: number | undefined;
  /** For one line: in place of `start_line`. */
  readonly line?: number | undefined;
  /** Whole lines; the empty text is no line. */
  readonly content?: string | undefined;
}

/** Splices of the edits, sorted. @throws ToolError INVALID_ARGUMENT, PATCH_HUNKS_OVERLAP */
export function splicesOfEdits(
  text: TextLines,
  edits: readonly LineEdit[],
  options: { readonly path: string; readonly changeIndex: number },
): Splice[] {
  const built = edits.map((edit, index) => {
    const where = { edit, index, changeIndex: options.changeIndex };
    const { start, end } = spanOf(where, { path: options.path, total: totalLines(text) });
    return { index, start, end, lines: newLinesOf(where, { start, end }) };
  });
  // An insertion at the edge of a replaced range sorts before it and is no overlap.
  built.sort((a, b) => a.start - b.start || a.end - b.end);
  for (let i = 1; i < built.length; i++) {
    const [before, next] = [built[i - 1], built[i]] as [(typeof built)[number], (typeof built)[number]];
    const isSamePoint = before.start === before.end && next.start === next.end && before.start === next.start;
    if (before.end > next.start || isSamePoint) throw overlap(options.path, [before.index, next.index]);
  }
  return built;
}

interface Where {
  readonly edit: LineEdit;
  readonly index: number;
  readonly changeIndex: number;
}

/** Half-open span of 0-based lines. */
function spanOf(where: Where, file: { readonly path: string; readonly total: number }): { start: number; end: number } {
  const { edit } = where;
  if (edit.op === "insert_after" || edit.op === "insert_before") {
    const line = insertionLine(where);
    const isAfter = edit.op === "insert_after";
    if (line < (isAfter ? 0 : 1)) throw invalid(where, `line ${line} is before the file; insert_before counts from 1`);
    if (line > (isAfter ? file.total : file.total + 1)) throw pastEnd(where, file, line);
    const at = isAfter ? line : line - 1;
    return { start: at, end: at };
  }
  const { first, last } = replacedLines(where);
  if (last < first) throw invalid(where, `end_line ${last} is before start_line ${first}`);
  if (last > file.total) throw pastEnd(where, file, last);
  return { start: first - 1, end: last };
}

function insertionLine(where: Where): number {
  const { line, start_line, end_line } = where.edit;
  const at = line ?? start_line;
  if (at === undefined) throw invalid(where, `${where.edit.op} needs line`);
  for (const other of [start_line, end_line]) {
    if (other !== undefined && other !== at) throw invalid(where, `line ${at} and ${other} contradict each other`);
  }
  return at;
}

function replacedLines(where: Where): { first: number; last: number } {
  const { line, start_line, end_line } = where.edit;
  const first = start_line ?? line;
  if (first === undefined) throw invalid(where, `${where.edit.op} needs start_line`);
  if (first < 1) throw invalid(where, "lines are counted from 1");
  if (line !== undefined && line !== first) {
    throw invalid(where, `line ${line} and start_line ${first} contradict each other`);
  }
  if (start_line === undefined && end_line !== undefined && end_line !== line) {
    throw invalid(where, `line ${line} and end_line ${end_line} contradict each other; use start_line and end_line`);
  }
  return { first, last: end_line ?? first };
}

function newLinesOf(where: Where, span: { readonly start: number; readonly end: number }): NewLine[] {
  const { edit } = where;
  if (edit.op === "delete") {
    if (edit.content !== undefined) throw invalid(where, "delete takes no content");
    return [];
  }
  if (edit.content === undefined) throw invalid(where, `${edit.op} needs content`);
  if (!edit.content.isWellFormed()) {
    throw invalid(where, "content holds half of a surrogate pair, which is no character");
  }
  if (edit.content === "") return [];
  return edit.content.split("\n").map((line, k) => ({
    kind: "new",
    text: line.endsWith("\r") ? line.slice(0, -1) : line,
    replaces: span.start + k < span.end ? span.start + k : null,
  }));
}

function nameOf(where: Where): string {
  return `changes[${where.changeIndex}].edits[${where.index}]`;
}

function invalid(where: Where, fact: string): ToolError {
  return new ToolError("INVALID_ARGUMENT", `Cannot use ${nameOf(where)}: ${fact}`, {
    details: { field: nameOf(where), change_index: where.changeIndex, edit_index: where.index, retry_hint: fact },
  });
}

function pastEnd(where: Where, file: { readonly path: string; readonly total: number }, requested: number): ToolError {
  return new ToolError(
    "INVALID_ARGUMENT",
    `Cannot use ${nameOf(where)}: line ${requested} is past the end, ${file.path} has ${file.total} lines`,
    {
      retryable: true,
      details: {
        path: file.path,
        total_lines: file.total,
        change_index: where.changeIndex,
        edit_index: where.index,
        operation: where.edit.op,
        requested,
        retry_hint: "Read the end of the file and use its line numbers",
        next_action: {
          tool: "read_file",
          arguments: { path: file.path, start_line: Math.max(1, file.total - 40), line_numbers: true },
        },
      },
    },
  );
}

function overlap(path: string, indexes: readonly number[]): ToolError {
  const edits = [...indexes].sort((a, b) => a - b);
  return new ToolError(
    "PATCH_HUNKS_OVERLAP",
    `Cannot edit ${path}: edits ${edits.join(" and ")} address the same lines`,
    {
      details: { path, edit_indexes: edits, retry_hint: "Join the two edits into one" },
    },
  );
}

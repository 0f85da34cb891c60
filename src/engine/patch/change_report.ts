/** What a call did, or would do: the value behind the results of `apply_patch` and `apply_changes` (contract 3.7). */

import type { Pacer } from "../../base/pacer.ts";
import { takePrefixWithin, utf8Length } from "../../base/utf8.ts";
import type { ChangedRange } from "./build_splices.ts";
import { diffLines } from "./diff_lines.ts";
import type { Grade } from "./placed_hunk.ts";
import type { StagedFile } from "./staged_file.ts";
import { parseText, type TextLines, totalLines } from "./text_lines.ts";
import { unifiedDiff } from "./unified_diff.ts";

/**
 * What became of a file: in the words of `apply_patch` (`add`, `update`) or `apply_changes` (`create`, `write`,
 * `edit`).
 */
export type FileOperation = "add" | "update" | "delete" | "move" | "create" | "write" | "edit" | "copy" | "unchanged";

/** What a call did with one file. */
export interface FileRecord {
  /** Relative to the root, resolved. */
  readonly path: string;
  readonly operation: FileOperation;
  /** Of a moved or copied file. */
  readonly oldPath?: string;
  /** Absent for a removed file. */
  readonly revision?: string;
  readonly totalLines: number;
  readonly changedRanges?: readonly ChangedRange[];
  readonly matchQuality?: Grade;
  /** The file that was there before and was replaced as a whole (O-21). */
  readonly replaced?: { readonly revision: string; readonly totalLines: number };
  /** Numbered lines around the changes, cut at `EXCERPT_BYTES`; absent where the caller sent every line. */
  readonly excerpt?: string;
}

/** What a call did, or would do. */
export interface ChangeReport {
  readonly isDryRun: boolean;
  /** Everything is as the call wants it, and nothing was written. */
  readonly isAlreadyApplied: boolean;
  /** One line per operation. */
  readonly summary: readonly string[];
  readonly files: readonly FileRecord[];
  /** Lines, as the ranges count them. */
  readonly additions: number;
  /** Lines, as the ranges count them. */
  readonly removals: number;
  readonly warnings: readonly string[];
  /** Unified diff, only of a dry run; cut at `DIFF_BYTES`. */
  readonly diff?: string;
}

/** Bytes of the numbered lines of one file. */
const EXCERPT_BYTES = 2_048;
/** Bytes of the numbered lines of all files of one result. */
export const EXCERPTS_BYTES = 8_192;
/** Bytes of a dry run's diff: with the rest of the value within the 64 KiB of O-6. */
const DIFF_BYTES = 48 * 1024;
/** Unchanged lines shown before and after a change. */
const EXCERPT_CONTEXT = 2;

/** Ranges between the file as it was and as it is staged; the whole file when it is new. */
export async function rangesFromDiff(file: StagedFile, pacer: Pacer): Promise<ChangedRange[]> {
  const before = file.baseline === null ? null : await decoded(file.baseline.bytes, pacer);
  const after = file.exists ? await decoded(await file.content(), pacer) : null;
  if (after === null) return [];
  const newLines = countedLines(after);
  if (before === null) return wholeFile(newLines.length);
  const changes = await diffLines(countedLines(before), newLines, { pacer });
  return changes.map((change) => ({
    startLine: change.bStart + 1,
    endLine: change.bEnd,
    addedLines: change.bEnd - change.bStart,
    removedLines: change.aEnd - change.aStart,
  }));
}

/** The range of a file that is new from its first line to its last; none for an empty one. */
export function wholeFile(lines: number): ChangedRange[] {
  return lines === 0 ? [] : [{ startLine: 1, endLine: lines, addedLines: lines, removedLines: 0 }];
}

/** Numbered lines of the changed regions with a little context. */
export function excerptOf(text: TextLines, ranges: readonly ChangedRange[]): string {
  const last = totalLines(text);
  const out: string[] = [];
  let shown = 0;
  let bytes = 0;
  for (const range of ranges) {
    const from = Math.max(shown + 1, range.startLine - EXCERPT_CONTEXT);
    const to = Math.min(last, Math.max(range.endLine, range.startLine - 1) + EXCERPT_CONTEXT);
    if (shown > 0 && from > shown + 1 && from <= to) out.push("…");
    for (let line = from; line <= to; line++) {
      const row = `${line}: ${takePrefixWithin(text.lines[line - 1] as string, 300)}`;
      bytes += utf8Length(row) + 1;
      if (bytes > EXCERPT_BYTES) return [...out, "…"].join("\n");
      out.push(row);
      shown = line;
    }
  }
  return out.join("\n");
}

/** Unified diff of all changed files, cut at a line end with a last line that says so. */
export async function diffOf(files: readonly StagedFile[], pacer: Pacer): Promise<string> {
  const parts: string[] = [];
  let bytes = 0;
  for (const file of files) {
    if (!file.isChanged) continue;
    const before = { path: file.path, bytes: file.baseline?.bytes ?? null };
    const diff = await unifiedDiff(before, { path: file.path, bytes: file.bytes }, { contextLines: 3, pacer });
    bytes += utf8Length(diff);
    parts.push(diff);
    if (bytes > DIFF_BYTES) break;
  }
  const whole = parts.join("");
  if (bytes <= DIFF_BYTES) return whole;
  const cut = takePrefixWithin(whole, DIFF_BYTES);
  return `${
    cut.slice(0, cut.lastIndexOf("\n") + 1)
  }… the diff goes on; apply or dry-run fewer files at once to see all of it\n`;
}

async function decoded(bytes: Uint8Array, pacer: Pacer): Promise<TextLines | null> {
  try {
    return await parseText(bytes, "", { pacer });
  } catch {
    // Not UTF-8: such a file can be removed, moved or replaced, and then has no lines to report.
    return null;
  }
}

function countedLines(text: TextLines): readonly string[] {
  return text.lines.slice(0, totalLines(text));
}

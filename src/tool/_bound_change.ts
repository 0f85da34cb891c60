/** Keeps the structured value of a change within 64 KiB (O-6), however many files and hunks it had. */

import { fitItems, jsonBytes } from "./_fit_entries.ts";

/** UTF-8 bytes of the summary as JSON; this part and the ones below stay, with the fixed fields, under 64 KiB. */
export const SUMMARY_BYTES = 8 * 1024;
/** Of the file records. */
export const FILES_BYTES = 24 * 1024;
/** Of the diff of a dry run. */
export const DIFF_BYTES = 20 * 1024;
/** Of the warnings. */
export const WARNINGS_BYTES = 8 * 1024;
/** Ranges of one file; more are counted only. */
export const MAX_RANGES = 100;

/** Whole lines of `text` from the start within `budgetBytes` as JSON, with `notice(hidden lines)` where it was cut. */
export function fitText(text: string, budgetBytes: number, notice: (hiddenLines: number) => string): string {
  if (jsonBytes(text) <= budgetBytes) return text;
  const lines = text.split("\n");
  const kept = fitItems(lines, budgetBytes - NOTICE_BYTES);
  return [...kept, notice(lines.length - kept.length)].join("\n");
}

/** Room for a notice. */
const NOTICE_BYTES = 160;

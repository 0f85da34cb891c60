/** Keeps the list of a structured value within a bound (O-5, O-6). */

import { utf8Length } from "../base/utf8.ts";

/** Bytes that a value takes inside the result. */
export function jsonBytes(value: unknown): number {
  return utf8Length(JSON.stringify(value)) + 1;
}

/** As many of the first items as fit; all of them where they do. */
export function fitItems<T>(items: readonly T[], budgetBytes: number): readonly T[] {
  let bytes = 0;
  const end = items.findIndex((item) => (bytes += jsonBytes(item)) > budgetBytes);
  return end < 0 ? items : items.slice(0, end);
}

/** As `fitItems`, but at least one, so that a page always goes on. */
export function fitEntries<T>(entries: readonly T[], budgetBytes: number): T[] {
  const fitting = fitItems(entries, budgetBytes);
  return fitting.length > 0 ? [...fitting] : entries.slice(0, 1);
}

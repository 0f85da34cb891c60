/** Keeps the list of a structured value within a bound (O-5, O-6). */

import { utf8Length } from "../base/utf8.ts";

/** The entries whose JSON fits into `maxBytes`, in their order; at least one. */
export function fitEntries<T>(entries: T[], maxBytes: number): T[] {
  let bytes = 0;
  const end = entries.findIndex((entry) => (bytes += utf8Length(JSON.stringify(entry)) + 1) > maxBytes);
  return end < 0 ? entries : entries.slice(0, Math.max(end, 1));
}

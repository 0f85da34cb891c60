/** A short name for a set of arguments. */

import { compareText } from "./compare_text.ts";
import { createHash } from "node:crypto";

/** First 32 hex digits of the SHA-256 of `value` as compact JSON with sorted keys (contract 1.6). */
export function fingerprint(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32);
}

/** Compact JSON with the keys of every object sorted: equal values give equal text. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, inner: unknown) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => compareText(a, b)))
        : inner,
  );
}

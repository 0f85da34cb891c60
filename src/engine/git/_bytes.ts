/** Byte runs that arrive in pieces. */

import { isUtf8 } from "node:buffer";
import { pathToText } from "../../base/path_text.ts";
import { decodeUtf8 } from "../../base/utf8.ts";

/** One run of all `parts`; the part itself when there is only one. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0] as Uint8Array;
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Fields that each end with NUL, as text; bytes that are not UTF-8 become U+FFFD. A last field without its NUL is left out. */
export function splitNulTerminated(bytes: Uint8Array): string[] {
  const end = bytes.lastIndexOf(0);
  return end < 0 ? [] : decodeUtf8(bytes.subarray(0, end)).split("\0");
}

/** As `splitNulTerminated()` for fields that hold paths: each in its text form (`base/path_text.ts`). */
export function splitPathFields(bytes: Uint8Array): string[] {
  const end = bytes.lastIndexOf(0);
  if (end < 0) return [];
  const whole = bytes.subarray(0, end);
  // Nearly always nothing needs an escape.
  if (isUtf8(whole)) {
    const text = decodeUtf8(whole);
    if (!text.includes("\\x")) return text.split("\0");
  }
  const fields: string[] = [];
  for (let at = 0; at <= end;) {
    const next = bytes.indexOf(0, at);
    fields.push(pathToText(bytes.subarray(at, next)));
    at = next + 1;
  }
  return fields;
}

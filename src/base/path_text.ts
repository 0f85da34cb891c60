/**
 * File names as text.
 *
 * A name is bytes; text is what travels in JSON. Names that are valid UTF-8 are their own text. In any other name each
 * byte that is no part of a valid sequence is written `\xHH` (two lower-case hexadecimal digits, 80–ff), and every tool
 * takes that form back. So that the two never meet, a backslash that would read like such an escape is itself written
 * `\x5c`: each name has exactly one text, and each text names exactly one file.
 */

import { isUtf8 } from "node:buffer";
import { decodeUtf8, encodeUtf8 } from "./utf8.ts";

/** Text of a file name or path. */
export function pathToText(bytes: Uint8Array): string {
  if (isUtf8(bytes)) {
    const text = decodeUtf8(bytes);
    return text.includes("\\") ? text.replace(LOOKS_ESCAPED, "\\x5c") : text;
  }
  return escapeInvalid(bytes);
}

/** Bytes of a file name or path given as text. */
export function pathToBytes(text: string): Uint8Array<ArrayBuffer> {
  if (!text.includes("\\x")) return encodeUtf8(text);
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const match of text.matchAll(ESCAPE)) {
    parts.push(encodeUtf8(text.slice(from, match.index)), Uint8Array.of(parseInt(match[1] as string, 16)));
    from = match.index + match[0].length;
  }
  parts.push(encodeUtf8(text.slice(from)));
  return concatenated(parts);
}

/** True when `text` stands for bytes that are not UTF-8, which other programs' text interfaces cannot name. */
export function isEscapedPath(text: string): boolean {
  return text.includes("\\x") && !isUtf8(pathToBytes(text));
}

/** The path as ordinary text for other interfaces of the system; null for names that are not UTF-8. */
export function pathToPlainText(text: string): string | null {
  if (!text.includes("\\x")) return text;
  const bytes = pathToBytes(text);
  return isUtf8(bytes) ? decodeUtf8(bytes) : null;
}

/**
 * One line for one path in text meant to be read: control characters, line separators, direction marks and spaces at an
 * end make it a JSON string.
 */
export function displayPath(text: string): string {
  return UNPRINTABLE.test(text) || text.endsWith(" ") || text.startsWith(" ")
    ? JSON.stringify(text).replace(SEPARATORS, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : text;
}

/** A backslash that starts what `ESCAPE` would take for an escape. */
const LOOKS_ESCAPED = /\\(?=x(?:[89a-f][0-9a-f]|5c))/g;
const LOOKS_ESCAPED_HERE = /^\\x(?:[89a-f][0-9a-f]|5c)/;
const ESCAPE = /\\x([89a-f][0-9a-f]|5c)/g;
// deno-lint-ignore no-control-regex -- control characters are what it looks for.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const SEPARATORS = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function escapeInvalid(bytes: Uint8Array): string {
  let text = "";
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      text += `\\x${(bytes[at] as number).toString(16)}`;
      at++;
    } else {
      const isBackslash = bytes[at] === 0x5c && LOOKS_ESCAPED_HERE.test(decodeUtf8(bytes.subarray(at, at + 4)));
      text += isBackslash ? "\\x5c" : decodeUtf8(bytes.subarray(at, at + length));
      at += length;
    }
  }
  return text;
}

/** Bytes of the valid sequence at `at`; 0 where there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  }
  return 0;
}

function concatenated(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

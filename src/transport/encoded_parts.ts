/** Long texts as UTF-8, a part at a time. */

import { encodeUtf8 } from "../base/utf8.ts";

/** Encoded in about a millisecond. */
const PART_LENGTH = 256 * 1024;

/**
 * The UTF-8 bytes of `text` in order, each part from at most 256 Ki UTF-16 code units, so that whoever waits between two
 * parts lets other work through.
 */
export function* encodedParts(text: string): Generator<Uint8Array> {
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + PART_LENGTH, text.length);
    // The two halves of one character (Unicode 3.9, D75) stay together.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end++;
    yield encodeUtf8(text.slice(at, end));
    at = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

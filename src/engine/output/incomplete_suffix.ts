/** What at the end of a chunk cannot be shown yet because its other half is still to come. */

import { characterBoundaryAfter } from "../../base/utf8.ts";

/** Longest escape sequence that is waited for; a longer one is text (ECMA-48 names no bound, real ones stay below this). */
export const MAX_ESCAPE_BYTES = 256;
const ESC = 0x1b;
const BEL = 0x07;

/** Bytes at the end of `bytes` that begin a UTF-8 sequence without ending it (RFC 3629 section 3): 0–3. */
export function incompleteCharacterBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    return sequenceLength(byte) > back && isPossible(bytes, bytes.length - back) ? back : 0;
  }
  return 0;
}

/** Length of the character that begins at `at`; 0 where no valid UTF-8 sequence does (RFC 3629 section 4). */
export function validSequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] as number;
  if (lead < 0x80) return 1;
  const length = sequenceLength(lead);
  if (length === 1 || at + length > bytes.length) return 0;
  for (let index = 1; index < length; index++) {
    if (((bytes[at + index] as number) & 0xc0) !== 0x80) return 0;
  }
  return isPossible(bytes, at) ? length : 0;
}

/** Bytes at the end of `bytes` that begin a terminal escape sequence without ending it. */
export function incompleteEscapeBytes(bytes: Uint8Array): number {
  const from = Math.max(0, bytes.length - MAX_ESCAPE_BYTES);
  const start = bytes.lastIndexOf(ESC);
  if (start < from) return 0;
  return isWholeEscape(bytes, start) ? 0 : bytes.length - start;
}

/** Smallest position from `start` on that is inside no terminal escape sequence and no character of `bytes`. */
export function boundaryAfter(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && incompleteEscapeBytes(bytes.subarray(0, at)) > 0) at++;
  return characterBoundaryAfter(bytes, at);
}

function isWholeEscape(bytes: Uint8Array, start: number): boolean {
  const kind = bytes[start + 1];
  if (kind === undefined) return false;
  if (kind === 0x5b) {
    for (let at = start + 2; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte < 0x20 || byte > 0x3f) return true;
    }
    return false;
  }
  // Strings (OSC, DCS, APC, PM, SOS) end with BEL or ST; ST is an escape of its own and then the last one.
  if (kind === 0x5d || kind === 0x50 || kind === 0x5f || kind === 0x5e || kind === 0x58) {
    return bytes.includes(BEL, start);
  }
  // Intermediate bytes 0x20–0x2f are followed by one more.
  if (kind >= 0x20 && kind <= 0x2f) return bytes.length > start + 2;
  return true;
}

/** 1 also for a byte that begins no sequence (RFC 3629 section 4). */
function sequenceLength(lead: number): number {
  if (lead < 0xc2) return 1;
  if (lead <= 0xdf) return 2;
  if (lead <= 0xef) return 3;
  return lead <= 0xf4 ? 4 : 1;
}

/** False when no continuation could make this valid: the second byte has narrower bounds after some leads. */
function isPossible(bytes: Uint8Array, start: number): boolean {
  const second = bytes[start + 1];
  if (second === undefined) return true;
  switch (bytes[start]) {
    case 0xe0:
      return second >= 0xa0;
    case 0xed:
      return second <= 0x9f;
    case 0xf0:
      return second >= 0x90;
    case 0xf4:
      return second <= 0x8f;
    default:
      return true;
  }
}

/** One page of a stream by absolute offset (contract 3.12 and 4.4). */

import { Buffer } from "node:buffer";
import { characterBoundaryAfter, decodeUtf8 } from "../../base/utf8.ts";
import type { HeadTailBuffer, StoredRange } from "./head_tail_buffer.ts";
import { incompleteCharacterBytes, validSequenceLength } from "./incomplete_suffix.ts";

/** How bytes become text; `base64` loses none. */
export type PageEncoding = "utf-8" | "base64";

/** What is served of the page that was asked for. */
export interface OutputPage {
  /** Position of the first byte served; differs from the one asked for inside the gap or inside a character. */
  readonly offset: number;
  readonly content: string;
  /** Bytes served. */
  readonly bytes: number;
  /** Null when there is nothing more to read now. */
  readonly nextOffset: number | null;
}

/** A page by its first byte. */
export interface PageRequest {
  /** Position in the stream; in the gap it moves on to the tail. */
  readonly offset: number;
  readonly limitBytes: number;
  readonly encoding: PageEncoding;
  /** False: the stream may grow, so half a character at its end is not served yet. */
  readonly ended: boolean;
}

/** A text page starts and ends between two characters; with a limit smaller than one character it holds that one. */
export function readPage(buffer: HeadTailBuffer, request: PageRequest): OutputPage {
  if (request.encoding === "base64") {
    const range = buffer.read(request.offset, request.limitBytes);
    const content = Buffer.from(range.bytes.buffer).toString("base64");
    const end = range.offset + range.bytes.length;
    return { offset: range.offset, content, bytes: range.bytes.length, nextOffset: end < buffer.total ? end : null };
  }
  // Up to three bytes are passed over at the start; three more complete any character that begins within the limit.
  const range = buffer.read(request.offset, request.limitBytes + 6);
  const rangeEnd = range.offset + range.bytes.length;
  const isFinal = rangeEnd === buffer.total ? request.ended : true;
  const start = firstCharacter(buffer, range);
  const bytes = range.bytes.subarray(start, pageEnd(range.bytes, start, { limitBytes: request.limitBytes, isFinal }));
  const offset = range.offset + start;
  const end = offset + bytes.length;
  const waits = !request.ended && end + incompleteCharacterBytes(range.bytes) >= buffer.total;
  return {
    offset,
    content: decodeUtf8(bytes),
    bytes: bytes.length,
    nextOffset: end < buffer.total && !waits ? end : null,
  };
}

/** Bytes at the start of `range` that end a character which begins before it; bytes that belong to no character are served. */
function firstCharacter(buffer: HeadTailBuffer, range: StoredRange): number {
  const ahead = characterBoundaryAfter(range.bytes, 0);
  if (ahead === 0 || range.offset === 0) return 0;
  const isBehindGap = buffer.gapBytes > 0 && range.offset >= buffer.tailStart;
  const from = Math.max(isBehindGap ? buffer.tailStart : 0, range.offset - 3);
  const before = buffer.read(from, range.offset - from).bytes;
  // Right behind a gap nobody knows what they belong to; no character has more than three of them.
  if (isBehindGap && from > range.offset - 3 && before.every(isContinuation)) return Math.min(ahead, 3 - before.length);
  const around = new Uint8Array([...before, ...range.bytes.subarray(0, 3)]);
  for (let at = before.length - 1; at >= 0; at--) {
    const over = at + validSequenceLength(around, at) - before.length;
    if (over > 0) return over;
  }
  return 0;
}

/** `isFinal`: nothing will ever follow `bytes` directly, so a half character at their end is served as it is. */
function pageEnd(
  bytes: Uint8Array,
  start: number,
  { limitBytes, isFinal }: { limitBytes: number; isFinal: boolean },
): number {
  const end = Math.min(bytes.length, Math.max(limitBytes, start + 1));
  const cut = incompleteCharacterBytes(bytes.subarray(start, end));
  if (isFinal && end === bytes.length) return end;
  if (end - cut > start) return end - cut;
  const whole = validSequenceLength(bytes, start);
  if (whole > 0) return start + whole;
  // What begins a character without ending it is shown as one replacement, so it stays together.
  let next = end;
  while (next < bytes.length && incompleteCharacterBytes(bytes.subarray(start, next + 1)) > next - start) next++;
  return next === bytes.length && !isFinal ? start : next;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

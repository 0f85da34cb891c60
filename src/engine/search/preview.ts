/** The shown form of a line (contract 3.6). */

import { decodeUtf8, takePrefixWithin, utf8Length } from "../../base/utf8.ts";
import { decodedCharacters, decodedStep } from "./decoded_step.ts";

/** A line within its bound. */
export interface Preview {
  readonly text: string;
  /** Why it is not the whole line; null when it is. */
  readonly cutBy: "chars" | "bytes" | null;
}

/** What of a line has to be shown. */
export interface PreviewOptions {
  /** Byte at which the match starts. */
  readonly matchAt: number;
  /** UTF-8 bytes of the preview. */
  readonly limitBytes: number;
}

/** Longest line shown whole, characters, and what is kept of a longer one before the mark. */
const MAX_CHARACTERS = 500;
const KEPT_CHARACTERS = 484;
const END_MARK = " ... [truncated]";
const START_MARK = "… ";
/** Characters shown before a match that would otherwise be out of sight. */
const LEAD_CHARACTERS = 40;
/** What one character takes at most. */
const MAX_CHARACTER_BYTES = 4;

/** Preview of the bytes of one line, terminator excluded, of at most `limitBytes` of UTF-8, holding what is at `matchAt`. */
export function previewOf(line: Uint8Array, options: PreviewOptions): Preview {
  const { matchAt, limitBytes } = options;
  const text = decodeUtf8(line.subarray(0, (MAX_CHARACTERS + 1) * MAX_CHARACTER_BYTES));
  const characters = Array.from(text);
  const isLong = characters.length > MAX_CHARACTERS;
  if (!isLong && utf8Length(text) <= limitBytes) return { text, cutBy: null };
  const from = isInSight(line, options) ? 0 : leadStart(line, matchAt);
  const shown = from === 0
    ? characters
    : Array.from(decodeUtf8(line.subarray(from, from + (MAX_CHARACTERS + 1) * MAX_CHARACTER_BYTES)));
  const isCutAfter = shown.length > MAX_CHARACTERS;
  const start = from === 0 ? "" : START_MARK;
  const body = shown.slice(0, isCutAfter ? KEPT_CHARACTERS : MAX_CHARACTERS).join("");
  const whole = start + body + (isCutAfter ? END_MARK : "");
  if (utf8Length(whole) <= limitBytes) return { text: whole, cutBy: isLong ? "chars" : "bytes" };
  return { text: takePrefixWithin(start + body, limitBytes - END_MARK.length) + END_MARK, cutBy: "bytes" };
}

/** True when the beginning of the line shows the match and some of what follows it. */
function isInSight(line: Uint8Array, { matchAt, limitBytes }: PreviewOptions): boolean {
  const roomBytes = limitBytes - END_MARK.length - LEAD_CHARACTERS;
  if (matchAt > roomBytes) return false;
  return decodedCharacters(line, matchAt) <= KEPT_CHARACTERS - LEAD_CHARACTERS;
}

/** Offset of a character a little before `matchAt`. */
function leadStart(line: Uint8Array, matchAt: number): number {
  let at = Math.max(0, matchAt - LEAD_CHARACTERS);
  // Into step with the characters: continuation bytes belong to one before.
  while (at < matchAt && ((line[at] as number) & 0xc0) === 0x80) at += decodedStep(line, at).bytes;
  return at;
}

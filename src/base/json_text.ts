/** How long a text is once it stands in JSON, where control characters, quotes and backslashes take more than they are (RFC 8259 section 7). */

import { utf8Length } from "./utf8.ts";

/** UTF-8 bytes of `text` as a JSON string, without its quotes. */
export function jsonTextBytes(text: string): number {
  return utf8Length(JSON.stringify(text)) - 2;
}

/** The start of a text, in whole lines where at least one fits. */
export interface FittedLines {
  readonly text: string;
  /** Lines of `text`; a part of the first line counts as one. */
  readonly lines: number;
  /** Not even the first line fits; `text` is a part of it. */
  readonly isFirstLineCut: boolean;
}

/** Whole lines (LF ends one, O-20) from the start that take at most `limitBytes` in JSON; null when all of `text` does. */
export function fitLinesInJson(text: string, limitBytes: number): FittedLines | null {
  if (jsonTextBytes(text) <= limitBytes) return null;
  let at = 0;
  let lines = 0;
  for (let room = limitBytes; at < text.length; lines++) {
    const end = text.indexOf("\n", at) + 1 || text.length;
    room -= jsonTextBytes(text.slice(at, end));
    if (room < 0) break;
    at = end;
  }
  if (lines > 0) return { text: text.slice(0, at), lines, isFirstLineCut: false };
  return { text: prefixInJson(text, limitBytes), lines: 1, isFirstLineCut: true };
}

function prefixInJson(text: string, limitBytes: number): string {
  let room = limitBytes;
  let end = 0;
  for (const character of text) {
    room -= jsonTextBytes(character);
    if (room < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}

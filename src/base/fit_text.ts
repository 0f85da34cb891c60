/** Fits text into a byte budget by whole lines. */

import { takePrefixWithin, takeSuffixWithin, utf8Length } from "./utf8.ts";

/** The shown part of a text and what it leaves out. */
export interface FittedText {
  /** What fits; ends at a line end where one exists, else between two characters. */
  readonly text: string;
  /** UTF-8 bytes of `text`. */
  readonly bytes: number;
  /** Lines of the input that are in `text` (a partly shown line does not count). */
  readonly wholeLines: number;
  /** Whether anything of the input is missing. */
  readonly truncated: boolean;
}

/** Longest run of whole lines from the start of `text` within `budgetBytes`; when not even one fits, a prefix of the first. */
export function fitLinesFromStart(text: string, budgetBytes: number): FittedText {
  const bytes = utf8Length(text);
  if (bytes <= budgetBytes) return { text, bytes, wholeLines: countLines(text), truncated: false };
  const prefix = takePrefixWithin(text, Math.max(0, budgetBytes));
  const lastBreak = prefix.lastIndexOf("\n");
  const kept = lastBreak < 0 ? prefix : prefix.slice(0, lastBreak + 1);
  const wholeLines = lastBreak < 0 ? 0 : countLines(kept);
  return { text: kept, bytes: utf8Length(kept), wholeLines, truncated: true };
}

/** Longest run of whole lines at the end of `text` within `budgetBytes`; when not even one fits, a suffix of the last. */
export function fitLinesFromEnd(text: string, budgetBytes: number): FittedText {
  const bytes = utf8Length(text);
  if (bytes <= budgetBytes) return { text, bytes, wholeLines: countLines(text), truncated: false };
  const suffix = takeSuffixWithin(text, Math.max(0, budgetBytes));
  const startsAtLine = text.charAt(text.length - suffix.length - 1) === "\n";
  const firstBreak = suffix.indexOf("\n");
  const cutAt = startsAtLine ? 0 : firstBreak < 0 || firstBreak === suffix.length - 1 ? 0 : firstBreak + 1;
  const kept = suffix.slice(cutAt);
  return { text: kept, bytes: utf8Length(kept), wholeLines: countLines(kept), truncated: true };
}

/** Lines of `text` as LF ends them (O-20); an unterminated last line counts. */
export function countLines(text: string): number {
  if (text === "") return 0;
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return text.endsWith("\n") ? lines : lines + 1;
}

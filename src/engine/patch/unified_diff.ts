/** Unified diff of two versions of one file (POSIX diff -u, as GNU diff writes it). */

import { isUtf8 } from "node:buffer";
import { Pacer } from "../../base/pacer.ts";
import { diffLines, type LineChange } from "./diff_lines.ts";
import { parseText } from "./text_lines.ts";

/** One version of the file. */
export interface DiffSide {
  /** Relative to the root. */
  readonly path: string;
  /** Null when the file does not exist on this side. */
  readonly bytes: Uint8Array | null;
}

/** The diff with its `---` and `+++` lines and a final LF; empty when the bytes are equal. `contextLines` 0 or more. */
export async function unifiedDiff(
  before: DiffSide,
  after: DiffSide,
  options: { readonly contextLines: number; readonly pacer?: Pacer },
): Promise<string> {
  const pacer = options.pacer ?? new Pacer();
  const names = `--- ${sideName("a", before)}\n+++ ${sideName("b", after)}\n`;
  if (isBinary(before.bytes) || isBinary(after.bytes)) {
    return sameBytes(before.bytes, after.bytes)
      ? ""
      : `Binary files ${sideName("a", before)} and ${sideName("b", after)} differ\n`;
  }
  const a = await linesOf(before.bytes, pacer);
  const b = await linesOf(after.bytes, pacer);
  const groups = grouped(await diffLines(a, b, { pacer }), options.contextLines);
  if (groups.length === 0) {
    return before.path === after.path && (before.bytes === null) === (after.bytes === null) ? "" : names;
  }
  return names + groups.map((changes) => hunkText({ a, b, changes, contextLines: options.contextLines })).join("");
}

/** Lines between two looks at the clock. */
const PACED_LINES = 4_096;

function sideName(prefix: string, side: DiffSide): string {
  return side.bytes === null ? "/dev/null" : `${prefix}/${side.path}`;
}

/** Lines with their terminators, so that a changed line ending is a changed line. */
async function linesOf(bytes: Uint8Array | null, pacer: Pacer): Promise<string[]> {
  if (bytes === null || bytes.length === 0) return [];
  const text = await parseText(bytes, "", { pacer });
  const lines: string[] = [];
  for (const [i, line] of text.lines.entries()) {
    if (i % PACED_LINES === 0 && pacer.isDue) await pacer.rest();
    lines.push(text.crlf?.[i] === 1 ? `${line}\r\n` : `${line}\n`);
  }
  if (text.hasBom) lines[0] = `\ufeff${lines[0]}`;
  // The last element has no terminator; an empty one is the end of the file and no line.
  const last = (lines.pop() as string).slice(0, -1);
  if (last !== "") lines.push(last);
  return lines;
}

function grouped(changes: readonly LineChange[], contextLines: number): LineChange[][] {
  const groups: LineChange[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && change.aStart - last.aEnd <= contextLines * 2) group.push(change);
    else groups.push([change]);
  }
  return groups;
}

function hunkText(
  hunk: {
    readonly a: readonly string[];
    readonly b: readonly string[];
    readonly changes: readonly LineChange[];
    readonly contextLines: number;
  },
): string {
  const { a, b, changes, contextLines } = hunk;
  const first = changes[0] as LineChange;
  const last = changes.at(-1) as LineChange;
  const aStart = Math.max(0, first.aStart - contextLines);
  const aEnd = Math.min(a.length, last.aEnd + contextLines);
  const bStart = first.bStart - (first.aStart - aStart);
  const bEnd = last.bEnd + (aEnd - last.aEnd);
  const out = [`@@ -${position(aStart, aEnd)} +${position(bStart, bEnd)} @@\n`];
  let at = aStart;
  for (const change of changes) {
    for (; at < change.aStart; at++) out.push(marked(" ", a[at] as string));
    for (; at < change.aEnd; at++) out.push(marked("-", a[at] as string));
    for (let i = change.bStart; i < change.bEnd; i++) out.push(marked("+", b[i] as string));
  }
  for (; at < aEnd; at++) out.push(marked(" ", a[at] as string));
  return out.join("");
}

/** `start,count`; the count is left out when it is 1, and an empty range names the line before it. */
function position(start: number, end: number): string {
  const count = end - start;
  if (count === 1) return `${start + 1}`;
  return `${count === 0 ? start : start + 1},${count}`;
}

function marked(mark: string, line: string): string {
  return line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`;
}

function isBinary(bytes: Uint8Array | null): boolean {
  return bytes !== null && (bytes.subarray(0, 8_000).includes(0) || !isUtf8(bytes));
}

function sameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a !== null && b !== null && a.length === b.length && a.every((byte, i) => byte === b[i]);
}

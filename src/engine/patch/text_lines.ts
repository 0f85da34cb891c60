/**
 * A text file as lines that can be put together again byte for byte.
 *
 * LF ends a line and nothing else does; CRLF is LF whose CR belongs to the terminator (O-20). There is always an element
 * after the last LF: `a LF b LF` is `["a", "b", ""]`, so a final newline is an ordinary empty last line that a hunk can
 * add or remove, and an empty file is `[""]`. A byte order mark at the start is set aside and put back.
 */

import { isUtf8 } from "node:buffer";
import type { Pacer } from "../../base/pacer.ts";
import { ToolError } from "../../base/tool_error.ts";
import { encodeUtf8 } from "../../base/utf8.ts";

/** The lines without their terminators; never changed once made. */
export interface TextLines {
  readonly hasBom: boolean;
  /** Never empty. */
  readonly lines: readonly string[];
  /** Per line 1 where it ends in CRLF; null where no line does. The last element has no terminator. */
  readonly crlf: Uint8Array | null;
}

/** One element of a rebuilt file: a line of the old one, or new text. */
export type NewLine =
  | { readonly kind: "kept"; readonly oldIndex: number }
  /** `replaces`: index of the line whose terminator it takes over; null: that of the line above it. */
  | { readonly kind: "new"; readonly text: string; readonly replaces: number | null };

/** Replaces the lines `start`…`end` (half-open, 0-based) by `lines`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly NewLine[];
}

/** Splits `bytes`. @throws ToolError UNSUPPORTED_ENCODING with the offset of the first byte that is not UTF-8 */
export async function parseText(
  bytes: Uint8Array,
  path: string,
  options: { readonly pacer: Pacer },
): Promise<TextLines> {
  const splitter = new LineSplitter();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      splitter.add(decoder.decode(bytes.subarray(at, at + CHUNK_BYTES), { stream: true }));
      if (options.pacer.isDue) await options.pacer.rest();
    }
    splitter.add(decoder.decode());
  } catch (cause) {
    const offset = firstInvalidByte(bytes);
    throw new ToolError(
      "UNSUPPORTED_ENCODING",
      `Cannot edit ${path}: the byte at offset ${offset} is not valid UTF-8`,
      {
        details: { path, byte_offset: offset, retry_hint: "Change this file with a command that knows its encoding" },
        cause,
      },
    );
  }
  return splitter.finish();
}

/** Bytes of the file. */
export async function formatText(
  text: TextLines,
  options: { readonly pacer: Pacer },
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = text.hasBom ? [encodeUtf8("\ufeff")] : [];
  for (let from = 0; from < text.lines.length; from += JOINED_LINES) {
    chunks.push(encodeUtf8(joinLines(text, from)));
    if (options.pacer.isDue) await options.pacer.rest();
  }
  if (chunks.length === 1) return chunks[0] as Uint8Array<ArrayBuffer>;
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
    if (options.pacer.isDue) await options.pacer.rest();
  }
  return whole;
}

/** Lines as `read_file` counts them: the empty element after a final newline is none. */
export function totalLines(text: TextLines): number {
  const count = text.lines.length;
  return text.lines[count - 1] === "" ? count - 1 : count;
}

/**
 * Applies splices, which are sorted by `start` and do not overlap.
 *
 * Terminators (O-20): a kept line keeps its own, a replacing line takes that of the line it replaces, any other new line
 * that of the line above it; at the top of the file that of the line below.
 */
export async function spliceText(
  text: TextLines,
  splices: readonly Splice[],
  options: { readonly pacer: Pacer },
): Promise<TextLines> {
  const lines: string[] = [];
  const terminators: Terminator[] = [];
  const keep = (index: number) => {
    lines.push(text.lines[index] as string);
    terminators.push(terminatorOf(text, index));
  };
  let at = 0;
  const keepUntil = async (end: number) => {
    for (; at < end; at++) {
      keep(at);
      if (at % PACED_LINES === 0 && options.pacer.isDue) await options.pacer.rest();
    }
  };
  for (const splice of splices) {
    await keepUntil(splice.start);
    for (const line of splice.lines) {
      if (line.kind === "kept") {
        keep(line.oldIndex);
      } else {
        lines.push(line.text);
        terminators.push(line.replaces === null ? UNKNOWN : terminatorOf(text, line.replaces));
      }
    }
    at = splice.end;
  }
  await keepUntil(text.lines.length);
  if (lines.length === 0) lines.push("");
  return { hasBom: text.hasBom, lines, crlf: settle(terminators) };
}

/** Decoded at once: about 2 ms. */
const CHUNK_BYTES = 1 << 20;
/** Joined and encoded at once: about as much, for lines of usual length. */
const JOINED_LINES = 8_192;

/** Up to `JOINED_LINES` lines with their terminators. */
function joinLines(text: TextLines, from: number): string {
  const end = Math.min(text.lines.length, from + JOINED_LINES);
  const lines = text.lines.slice(from, end);
  const crlf = text.crlf;
  const withReturns = crlf === null ? lines : lines.map((line, i) => crlf[from + i] === 1 ? `${line}\r` : line);
  return withReturns.join("\n") + (end === text.lines.length ? "" : "\n");
}
/** Lines between two looks at the clock. */
const PACED_LINES = 4_096;
const CARRIAGE_RETURN = 0x0d;

/** Splits text that arrives in pieces. */
class LineSplitter {
  readonly #lines: string[] = [];
  /** Indexes of lines that end in CRLF. */
  readonly #crlf: number[] = [];
  /** Pieces of the line that has not ended yet. */
  #open: string[] = [];

  add(text: string): void {
    const pieces = text.split("\n");
    for (let i = 0; i < pieces.length - 1; i++) {
      this.#open.push(pieces[i] as string);
      this.#end(this.#open.length === 1 ? this.#open[0] as string : this.#open.join(""));
      this.#open = [];
    }
    this.#open.push(pieces.at(-1) as string);
  }

  finish(): TextLines {
    const lines = this.#lines;
    lines.push(this.#open.join(""));
    const hasBom = (lines[0] as string).charCodeAt(0) === 0xfeff;
    if (hasBom) lines[0] = (lines[0] as string).slice(1);
    if (this.#crlf.length === 0) return { hasBom, lines, crlf: null };
    const crlf = new Uint8Array(lines.length);
    for (const index of this.#crlf) crlf[index] = 1;
    return { hasBom, lines, crlf };
  }

  #end(line: string): void {
    if (line.charCodeAt(line.length - 1) === CARRIAGE_RETURN) {
      this.#crlf.push(this.#lines.length);
      this.#lines.push(line.slice(0, -1));
    } else {
      this.#lines.push(line);
    }
  }
}

const LF = 0;
const CRLF = 1;
const UNKNOWN = 2;
type Terminator = typeof LF | typeof CRLF | typeof UNKNOWN;

function terminatorOf(text: TextLines, index: number): Terminator {
  if (index >= text.lines.length - 1) return UNKNOWN;
  return text.crlf?.[index] === 1 ? CRLF : LF;
}

function settle(terminators: readonly Terminator[]): Uint8Array | null {
  if (!terminators.includes(CRLF)) return null;
  const crlf = new Uint8Array(terminators.length);
  let above: Terminator = terminators.find((terminator) => terminator !== UNKNOWN) ?? LF;
  // The last element has no terminator.
  for (let i = 0; i < terminators.length - 1; i++) {
    const own = terminators[i] as Terminator;
    if (own !== UNKNOWN) above = own;
    crlf[i] = above === CRLF ? 1 : 0;
  }
  return crlf;
}

/** Offset of the first sequence that is not UTF-8, found by halving; only run for files that are refused. */
function firstInvalidByte(bytes: Uint8Array): number {
  let sound = 0;
  let broken = bytes.length + 1;
  while (broken - sound > 1) {
    const middle = Math.floor((sound + broken) / 2);
    if (isSoundPrefix(bytes.subarray(0, middle))) sound = middle;
    else broken = middle;
  }
  // The sound prefix may end inside the sequence that turned out broken.
  while (sound > 0 && !isUtf8(bytes.subarray(Math.max(0, sound - 4), sound)) && !isUtf8(bytes.subarray(0, sound))) {
    sound--;
  }
  return sound;
}

/** True if nothing in `bytes` is broken; a sequence cut off at the end is not. */
function isSoundPrefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    // What it throws is the answer.
    return false;
  }
}

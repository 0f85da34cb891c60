/** The part of a stream that one response shows: everything new since the last one, shortened from its start. */

import { characterBoundaryAfter, decodeUtf8, takeSuffixWithin, utf8Length } from "../../base/utf8.ts";
import { countLines } from "../../base/fit_text.ts";
import { jsonTextBytes } from "../../base/json_text.ts";
import { HeadTailBuffer } from "./head_tail_buffer.ts";
import {
  boundaryAfter,
  incompleteCharacterBytes,
  incompleteEscapeBytes,
  MAX_ESCAPE_BYTES,
  validSequenceLength,
} from "./incomplete_suffix.ts";
import { renderTerminal } from "./render_terminal.ts";

/** Lines of one response (contract 4.4). */
const MAX_LINES = 2_000;
/** Start of a cut stream that is shown as well (O-40). */
const HEAD_EXCERPT_BYTES = 1_024;
const LINE_FEED = 0x0a;
/** Raw bytes of a terminal that are looked at for each byte that may be shown: coloured output has 2–4. */
const RENDERED_LOOK_FACTOR = 4;

/** The text to show and everything it leaves out. */
export interface StreamWindow {
  readonly text: string;
  /** Position of the first byte of `text`; the next response starts at `endOffset`. */
  readonly startOffset: number;
  readonly endOffset: number;
  /** Null: everything new is in `text`. */
  readonly truncatedBy: "lines" | "bytes" | null;
  /** Lines of `text`. */
  readonly lines: number;
  /** Raw bytes that `text` stands for. */
  readonly bytes: number;
  /** New bytes that are no longer kept where they would have been shown. */
  readonly omittedBytes: number;
  /** Bytes of the whole stream that fell out of the tail. */
  readonly droppedBytes: number;
  /** All new bytes before `startOffset`, kept or not. */
  readonly hiddenBytes: number;
  /** First new bytes of a cut stream, where they are kept; else empty. */
  readonly head: string;
  readonly nulCount: number;
  /** Bytes that are part of no valid UTF-8 sequence. */
  readonly invalidBytes: number;
}

/** Bounds of the text. */
export interface WindowOptions {
  /** UTF-8 bytes of the text. */
  readonly maxBytes: number;
  /** Most bytes of the text as a JSON string, where an escape counts with all its characters. */
  readonly maxJsonBytes: number;
  /** False: more may come, so half a character waits for its other half. */
  readonly ended: boolean;
  /** True for a terminal: escape sequences are removed and carriage returns resolved. */
  readonly rendered: boolean;
}

/** One stream of a command with the cursor that all pollers share (contract 4.1). */
export class OutputStream {
  readonly buffer: HeadTailBuffer;
  #cursor = 0;

  constructor(budgetBytes: number) {
    this.buffer = new HeadTailBuffer(budgetBytes);
  }

  /** Position up to which responses have shown the stream. */
  get cursor(): number {
    return this.#cursor;
  }

  /** True when a response now would show something that none before it did. */
  hasNews(options: Pick<WindowOptions, "ended" | "rendered">): boolean {
    const fresh = this.buffer.total - this.#cursor;
    if (fresh === 0) return false;
    // Only a short rest can consist of nothing but a beginning.
    if (fresh > 300 || options.ended) return true;
    return fresh > heldBack(this.buffer.read(this.#cursor, fresh).bytes, options);
  }

  /** Takes everything new and moves the cursor behind it. */
  takeWindow(options: WindowOptions): StreamWindow {
    const { buffer } = this;
    const cursor = this.#cursor;
    const from = Math.max(cursor, buffer.tailStart);
    let end = buffer.total;
    // On terminals control sequences take more room than what they show, so the cut is made on what is shown.
    const lookBytes = options.rendered ? options.maxBytes * RENDERED_LOOK_FACTOR + 4 : options.maxBytes + 4;
    const lookFrom = Math.max(from, end - lookBytes);
    // What stands before tells whether the cut is inside a sequence.
    const before = options.rendered ? Math.min(MAX_ESCAPE_BYTES, lookFrom - from) : 0;
    const looked: Uint8Array = buffer.read(lookFrom - before, Infinity).bytes;
    let bytes = looked.subarray(before > 0 ? boundaryAfter(looked, before) : 0);
    const held = options.ended ? 0 : heldBack(bytes, options);
    bytes = bytes.subarray(0, bytes.length - held);
    end -= held;
    this.#cursor = end;
    const cutWithin = (maxBytes: number): Cut =>
      (options.rendered ? cutRendered : cutRaw)(bytes, { alreadyCut: lookFrom > from, maxBytes });
    let cut = cutWithin(options.maxBytes);
    for (
      let size = jsonTextBytes(cut.text);
      size > options.maxJsonBytes && cut.bytes > 0;
      size = jsonTextBytes(cut.text)
    ) {
      // The smaller of both sizes, else the next cut could be the same one again.
      const bytes = Math.min(cut.bytes, utf8Length(cut.text));
      cut = cutWithin(Math.floor(bytes * options.maxJsonBytes / size));
    }
    const startOffset = end - cut.bytes;
    return {
      ...cut,
      startOffset,
      endOffset: end,
      lines: countLines(cut.text),
      omittedBytes: from - cursor,
      droppedBytes: buffer.droppedBytes,
      hiddenBytes: startOffset - cursor,
      head: this.#headExcerpt({ from: cursor, end: startOffset }, options),
    };
  }

  #headExcerpt(hidden: { readonly from: number; readonly end: number }, options: WindowOptions): string {
    const range = this.buffer.read(hidden.from, Math.min(HEAD_EXCERPT_BYTES, hidden.end - hidden.from));
    if (range.offset !== hidden.from) return "";
    const kept = range.bytes.subarray(0, range.bytes.length - heldBack(range.bytes, options));
    return options.rendered ? renderTerminal(decodeUtf8(kept)) : replaceNul(decodeUtf8(kept));
  }
}

function heldBack(bytes: Uint8Array, options: Pick<WindowOptions, "rendered">): number {
  return (options.rendered ? incompleteEscapeBytes(bytes) : 0) || incompleteCharacterBytes(bytes);
}

interface Cut {
  readonly text: string;
  readonly bytes: number;
  readonly truncatedBy: StreamWindow["truncatedBy"];
  readonly nulCount: number;
  readonly invalidBytes: number;
}

interface CutOptions {
  /** Whether something before `bytes` is left out already. */
  readonly alreadyCut: boolean;
  readonly maxBytes: number;
  /** Where a cut inside a line may be: the first such position from the one given on. */
  readonly boundary: (bytes: Uint8Array, start: number) => number;
}

type CutBounds = Omit<CutOptions, "boundary">;

function cutRaw(bytes: Uint8Array, bounds: CutBounds): Cut {
  const { start, truncatedBy } = tailStartWithin(bytes, { ...bounds, boundary: characterBoundaryAfter });
  const kept = bytes.subarray(start);
  return { text: replaceNul(decodeUtf8(kept)), bytes: kept.length, truncatedBy, ...countOdd(kept) };
}

/** A terminal's bytes are bounded by what they look like; the raw range is cut at the line that is shown first. */
function cutRendered(bytes: Uint8Array, { alreadyCut, maxBytes }: CutBounds): Cut {
  const boundary = boundaryAfter;
  const whole = tailStartWithin(bytes, { alreadyCut, maxBytes: bytes.length, boundary });
  let kept = bytes.subarray(whole.start);
  let truncatedBy = whole.truncatedBy;
  let text = renderTerminal(decodeUtf8(kept));
  for (let shown = utf8Length(text); shown > maxBytes && kept.length > maxBytes; shown = utf8Length(text)) {
    const target = Math.max(maxBytes, Math.floor(kept.length * maxBytes / shown));
    kept = kept.subarray(tailStartWithin(kept, { alreadyCut: true, maxBytes: target, boundary }).start);
    truncatedBy = "bytes";
    text = renderTerminal(decodeUtf8(kept));
  }
  if (utf8Length(text) > maxBytes) {
    text = takeSuffixWithin(text, maxBytes);
    truncatedBy = "bytes";
  }
  return { text, bytes: kept.length, truncatedBy, ...countOdd(kept) };
}

/** Start of the last whole lines within both limits; when not even the last line fits, of its last whole characters. */
function tailStartWithin(
  bytes: Uint8Array,
  { alreadyCut, maxBytes, boundary }: CutOptions,
): { start: number; truncatedBy: StreamWindow["truncatedBy"] } {
  let start = Math.max(0, bytes.length - maxBytes);
  const byBytes = start > 0 || alreadyCut;
  if (byBytes) {
    const isLineStart = bytes[start - 1] === LINE_FEED;
    const lineEnd = bytes.indexOf(LINE_FEED, start);
    if (isLineStart) {
      // Already at a line.
    } else if (lineEnd >= 0 && lineEnd < bytes.length - 1) {
      start = lineEnd + 1;
    } else {
      start = boundary(bytes, start);
    }
  }
  const byLines = startOfLastLines(bytes, MAX_LINES);
  if (byLines > start) return { start: byLines, truncatedBy: "lines" };
  return { start, truncatedBy: byBytes ? "bytes" : null };
}

function startOfLastLines(bytes: Uint8Array, lines: number): number {
  // The final LF ends the last line and begins none.
  let at = bytes.length - 1;
  for (let seen = 0; seen < lines; seen++) {
    if (at <= 0) return 0;
    at = bytes.lastIndexOf(LINE_FEED, at - 1);
  }
  return at + 1;
}

function countOdd(bytes: Uint8Array): { nulCount: number; invalidBytes: number } {
  let nulCount = 0;
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) nulCount++;
  return { nulCount, invalidBytes: countInvalidBytes(bytes) };
}

const STRICT = new TextDecoder("utf-8", { fatal: true });

/** Bytes outside valid UTF-8 sequences (RFC 3629 section 4). */
export function countInvalidBytes(bytes: Uint8Array): number {
  try {
    STRICT.decode(bytes);
    return 0;
  } catch {
    // Not valid: counted below, byte by byte.
  }
  let invalid = 0;
  for (let at = 0; at < bytes.length;) {
    const length = validSequenceLength(bytes, at);
    if (length === 0) invalid++;
    at += length || 1;
  }
  return invalid;
}

/** NUL is shown as U+2400, because many clients end a text at it. The raw bytes stay readable in base64. */
export function replaceNul(text: string): string {
  return text.replaceAll("\0", "\u2400");
}

/** Searches one open file piece by piece, in constant memory. */

import type { SourceFile } from "../../platform/source_reader.ts";
import { decodedCharacters } from "./decoded_step.ts";
import { previewOf } from "./preview.ts";
import { utf16LabelOf, Utf16Source } from "./utf16_source.ts";
import type { ScanKernel } from "./scan_kernel.ts";
import type { FoundLine, TextMatcher } from "./text_matcher.ts";

/** What is kept of the lines of a file. */
export interface ScanOptions {
  /** Lines shown before and after each match. */
  readonly contextLines: number;
  /** UTF-8 bytes of one shown line. */
  readonly maxPreviewBytes: number;
  /** The scan of a file ends after so many matching lines. */
  readonly limitLines: number;
}

/** One matching line with the lines around it. */
export interface LineMatch {
  /** Counted from 1. */
  readonly line: number;
  /** Characters (code points) before the match, plus 1. */
  readonly column: number;
  readonly preview: string;
  /** Why `preview` is not the whole line; null when it is. */
  readonly cutBy: "chars" | "bytes" | null;
  readonly before: readonly string[];
  readonly after: string[];
}

/** Null for a binary file: one with a NUL in its first 4,096 bytes, or, if it is large or matches, in the first piece. */
export type ScanResult = readonly LineMatch[] | null;

/** Bytes at the start of a file in which a NUL marks it as binary (contract 3.6). */
const BINARY_PROBE_BYTES = 4_096;
/** A read shorter than asked ends a file unless it stopped at a page: some file systems give page by page. */
const PAGE_BYTES = 4_096;
/** Part of an over-long line that is looked at again with what follows it. */
const OVERLAP_BYTES = 65_536;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Used for one file at a time. */
export class FileScanner {
  readonly #kernel: ScanKernel;

  constructor(kernel: ScanKernel) {
    this.#kernel = kernel;
  }

  /** Takes UTF-16 with a byte order mark for the text that it is. @throws SystemError when a read fails */
  scan(file: SourceFile, matcher: TextMatcher, options: ScanOptions): ScanResult {
    matcher.prepare();
    const { buffer } = this.#kernel;
    const count = file.read(buffer);
    const label = utf16LabelOf(buffer.subarray(0, Math.min(count, 2)));
    const scan = new Scan(this.#kernel, matcher, options);
    if (label === null) return this.#scan(file, scan, { count, roomBytes: buffer.length });
    const decoded = new Utf16Source(buffer.slice(0, count), file, label);
    return this.#scan(decoded, scan, { count: decoded.read(buffer), roomBytes: buffer.length });
  }

  /** Goes on after the first read, which gave `count` bytes of `roomBytes`. */
  #scan(file: SourceFile, scan: Scan, first: { count: number; roomBytes: number }): ScanResult {
    scan.filled = first.count;
    scan.isAtEnd = isEnd(first.count, first.roomBytes);
    // A file that does not fit the buffer is looked through before `advance` moves what is in it.
    if (this.#hasNul(scan.isAtEnd ? Math.min(scan.filled, BINARY_PROBE_BYTES) : scan.filled)) return null;
    scan.skipMark();
    let isDone = scan.advance();
    if (scan.isAtEnd && scan.matches.length > 0 && this.#hasNul(scan.filled)) return null;
    while (!isDone && !scan.isAtEnd) {
      const room = this.#kernel.buffer.subarray(scan.filled);
      const count = file.read(room);
      scan.filled += count;
      scan.isAtEnd = isEnd(count, room.length);
      isDone = scan.advance();
    }
    return scan.matches;
  }

  #hasNul(end: number): boolean {
    return this.#kernel.findByte(0, end, 0) < end;
  }
}

function isEnd(count: number, roomBytes: number): boolean {
  return count === 0 || (count < roomBytes && count % PAGE_BYTES !== 0);
}

class Scan {
  readonly matches: LineMatch[] = [];
  readonly #kernel: ScanKernel;
  readonly #matcher: TextMatcher;
  readonly #options: ScanOptions;
  /** Bytes in the buffer. */
  filled = 0;
  isAtEnd = false;
  /** Offset of the first line that was not searched; lines before it are kept as context. */
  #at = 0;
  /** Number of the line at `#at`. */
  #line = 1;
  /** Characters of that line which left the buffer already. */
  #charactersGone = 0;
  /** True while the rest of an over-long line, which matched, is passed over. */
  #isPassing = false;

  constructor(kernel: ScanKernel, matcher: TextMatcher, options: ScanOptions) {
    this.#kernel = kernel;
    this.#matcher = matcher;
    this.#options = options;
  }

  /** Drops a byte order mark (RFC 3629 section 6): it is no part of the first line. */
  skipMark(): void {
    const [first, second, third] = this.#kernel.buffer;
    if (this.filled >= 3 && first === 0xef && second === 0xbb && third === 0xbf) this.#move(3);
  }

  /** Searches what is complete in the buffer and makes room; true when no more is wanted. */
  advance(): boolean {
    if (this.#isPassing && !this.#passRest()) return false;
    let end = this.filled;
    if (!this.isAtEnd) end = this.#kernel.lineStart(this.#at, this.filled);
    if (end === this.#at && !this.isAtEnd) return this.#advanceInLongLine();
    this.#fillContext(end);
    if (this.#search(end)) return true;
    if (!this.isAtEnd) this.#drop(end);
    return false;
  }

  /** Searches the lines in [#at, end); true when the limit is reached and all context is there. */
  #search(end: number): boolean {
    const { limitLines } = this.#options;
    while (this.#at < end && this.matches.length < limitLines) {
      const found = this.#matcher.next(this.#at, end);
      if (found === null) break;
      this.#line += this.#kernel.countByte(this.#at, found.start, LINE_FEED);
      this.#take(found, end);
      this.#line++;
      this.#at = found.next;
      this.#charactersGone = 0;
    }
    if (this.matches.length >= limitLines && this.#isContextComplete()) return true;
    this.#line += this.#kernel.countByte(this.#at, end, LINE_FEED);
    if (this.#at < end) this.#charactersGone = 0;
    this.#at = end;
    return false;
  }

  #take(found: FoundLine, end: number): void {
    const { contextLines, maxPreviewBytes } = this.#options;
    const bytes = this.#kernel.buffer.subarray(found.start, this.#shownEnd(found.start, found.end));
    const { text, cutBy } = previewOf(bytes, { matchAt: found.matchAt - found.start, limitBytes: maxPreviewBytes });
    const match: LineMatch = {
      line: this.#line,
      column: this.#charactersGone + this.#charactersBetween(found.start, found.matchAt) + 1,
      preview: text,
      cutBy,
      before: this.#linesBefore(found.start),
      after: [],
    };
    this.matches.push(match);
    if (contextLines > 0) this.#linesAfter(match, found.next, end);
  }

  #charactersBetween(start: number, at: number): number {
    // Counting bytes that continue no character is exact for UTF-8 and fast; the exact walk is for ordinary lines.
    if (at - start > OVERLAP_BYTES) return this.#kernel.countCharacters(start, at);
    return decodedCharacters(this.#kernel.buffer.subarray(start, at), at - start);
  }

  #linesBefore(start: number): string[] {
    const lines: string[] = [];
    for (let to = start; lines.length < this.#options.contextLines && to > 0;) {
      const from = this.#kernel.lineStart(0, to - 1);
      lines.unshift(this.#lineText(from, to));
      to = from;
    }
    return lines;
  }

  #linesAfter(match: LineMatch, start: number, end: number): void {
    for (let from = start; match.after.length < this.#options.contextLines && from < end;) {
      const next = Math.min(this.#kernel.findByte(from, end, LINE_FEED) + 1, end);
      match.after.push(this.#lineText(from, next));
      from = next;
    }
  }

  /** Text of the line in [from, to), terminator included there but not in the text. */
  #lineText(from: number, to: number): string {
    const { buffer } = this.#kernel;
    const end = to > from && buffer[to - 1] === LINE_FEED ? to - 1 : to;
    const line = buffer.subarray(from, this.#shownEnd(from, end));
    return previewOf(line, { matchAt: 0, limitBytes: this.#options.maxPreviewBytes }).text;
  }

  /** Where the shown part of the line in [from, end) ends: a CR at the end is part of no preview. */
  #shownEnd(from: number, end: number): number {
    let shown = end;
    while (shown > from && this.#kernel.buffer[shown - 1] === CARRIAGE_RETURN) shown--;
    return shown;
  }

  /** Gives matches of earlier pieces the lines after them that have come since. */
  #fillContext(end: number): void {
    const { contextLines } = this.#options;
    if (contextLines === 0) return;
    for (const match of this.matches.slice(-contextLines)) {
      const missing = this.#line - match.line - 1;
      if (match.after.length === missing && match.after.length < contextLines) this.#linesAfter(match, this.#at, end);
    }
  }

  #isContextComplete(): boolean {
    return this.isAtEnd || (this.matches.at(-1) as LineMatch).after.length >= this.#options.contextLines;
  }

  /** Drops what was searched, except for the lines that later matches may show. */
  #drop(end: number): void {
    let keep = end;
    for (let lines = 0; lines < this.#options.contextLines && keep > 0 && end - keep < OVERLAP_BYTES; lines++) {
      keep = this.#kernel.lineStart(0, keep - 1);
    }
    this.#move(keep);
  }

  /** Moves the bytes from `from` on to the front. */
  #move(from: number): void {
    this.#kernel.buffer.copyWithin(0, from, this.filled);
    this.filled -= from;
    this.#at = Math.max(0, this.#at - from);
  }

  /** No line ends in the buffer: reads on, in a larger buffer as long as there is one, then part by part. */
  #advanceInLongLine(): boolean {
    if (this.#at > 0) {
      this.#move(this.#at);
      return false;
    }
    if (this.filled < this.#kernel.buffer.length) return false;
    if (this.#kernel.grow()) {
      this.#matcher.prepare();
      return false;
    }
    const gone = this.#charactersGone;
    const found = this.matches.length < this.#options.limitLines ? this.#matcher.next(0, this.filled) : null;
    if (found !== null) {
      this.#take(found, this.filled);
      this.#isPassing = true;
      this.filled = 0;
      return this.matches.length >= this.#options.limitLines && this.#options.contextLines === 0;
    }
    const keep = this.filled - OVERLAP_BYTES;
    this.#charactersGone = gone + this.#kernel.countCharacters(0, keep);
    this.#move(keep);
    return false;
  }

  /** Passes over the rest of a line; true when its end was met. */
  #passRest(): boolean {
    const feed = this.#kernel.findByte(0, this.filled, LINE_FEED);
    if (feed >= this.filled) {
      this.filled = 0;
      return false;
    }
    this.#isPassing = false;
    this.#charactersGone = 0;
    this.#line++;
    this.#at = 0;
    this.#move(feed + 1);
    return true;
  }
}

/** Collects one page of whole lines out of a stream of chunks, counting all lines on the way. */

import { afterLineFeed, countLineFeeds } from "../../base/line_feeds.ts";
import { isContinuationByte, takeWholeCharacters } from "../../base/utf8.ts";

/** The lines that are wanted. */
export interface PageRequest {
  /** First line, from 1. */
  readonly startLine: number;
  /** Lines wanted; at least 1. */
  readonly maxLines: number;
  /** Bytes of content at most. */
  readonly maxBytes: number;
  /** Bytes into the first line. */
  readonly lineOffset: number;
}

/** Why a page ends where it does. */
export type PageEnd =
  /** All lines wanted, or the end of the file. */
  | "complete"
  /** The next line would exceed `maxBytes`. */
  | "bytes"
  /** Not even the first line fits: a prefix of it. */
  | "first_line";

/** Takes the chunks of one file; holds the page and nothing else. */
export class LinePage {
  readonly #request: PageRequest;
  /** LFs met so far; the line being read is this plus one. */
  #lineFeeds = 0;
  #lastByte = LF;
  #isOpen = true;
  #content = new Uint8Array(0);
  #used = 0;
  /** Bytes of `#content` up to the end of the last whole line. */
  #wholeBytes = 0;
  #wholeLines = 0;
  #end: PageEnd = "complete";
  /** Bytes of the first line still to skip. */
  #toSkip: number;
  #isFirstLineFound = false;
  /** Bytes of the first line passed by, for the message about an offset behind its end. */
  #skipped = 0;

  constructor(request: PageRequest) {
    this.#request = request;
    this.#toSkip = request.lineOffset;
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    const lineFeeds = countLineFeeds(chunk);
    const from = this.#isOpen ? this.#start(chunk, lineFeeds) : -1;
    if (from >= 0) this.#collect(chunk, from);
    this.#lineFeeds += lineFeeds;
    this.#lastByte = chunk[chunk.length - 1] as number;
  }

  /** Lines of the file, once all was pushed. */
  get totalLines(): number {
    return this.#lineFeeds + (this.#lastByte === LF ? 0 : 1);
  }

  /** The page, once all was pushed. */
  finish(): { content: Uint8Array; lines: number; end: PageEnd; lineOffset: number; offsetPastLine: boolean } {
    if (this.#end === "first_line") {
      const content = takeWholeCharacters(this.#content, Math.min(this.#used, this.#request.maxBytes));
      return { content, lines: 1, end: "first_line", lineOffset: this.#skipped, offsetPastLine: false };
    }
    if (this.#end === "complete" && this.#isOpen && this.#used > this.#wholeBytes) {
      this.#wholeBytes = this.#used;
      this.#wholeLines++;
    }
    return {
      content: this.#content.subarray(0, this.#wholeBytes),
      lines: this.#wholeLines,
      end: this.#end,
      lineOffset: this.#skipped,
      offsetPastLine: this.#toSkip > 0 || (this.#request.lineOffset > 0 && this.#wholeLines === 0),
    };
  }

  /** Where in `chunk` the page goes on; -1 when it does not reach into this chunk. */
  #start(chunk: Uint8Array, lineFeeds: number): number {
    let at = 0;
    if (!this.#isFirstLineFound) {
      const missing = this.#request.startLine - 1 - this.#lineFeeds;
      if (missing > 0) {
        if (lineFeeds < missing) return -1;
        at = afterLineFeed(chunk, missing);
      }
      this.#isFirstLineFound = true;
    }
    return this.#skip(chunk, at);
  }

  /** Passes by `lineOffset` bytes of the first line, and on to the start of a character. */
  #skip(chunk: Uint8Array, from: number): number {
    let at = from;
    if (this.#toSkip > 0) {
      const lineEnd = chunk.indexOf(LF, at);
      const available = (lineEnd < 0 ? chunk.length : lineEnd + 1) - at;
      const passed = Math.min(available, this.#toSkip);
      this.#toSkip -= passed;
      this.#skipped += passed;
      at += passed;
      if (lineEnd >= 0 && at > lineEnd) {
        // The offset is at or behind the end of the line: there is nothing of it to show.
        this.#isOpen = false;
        return -1;
      }
      if (this.#toSkip > 0 || at >= chunk.length) return -1;
    }
    if (this.#request.lineOffset > 0 && this.#used === 0) {
      while (at < chunk.length && isContinuationByte(chunk[at] as number)) {
        at++;
        this.#skipped++;
      }
    }
    return at < chunk.length ? at : -1;
  }

  #collect(chunk: Uint8Array, from: number): void {
    for (let at = from; this.#isOpen && at < chunk.length;) {
      const found = chunk.indexOf(LF, at);
      const end = found < 0 ? chunk.length : found + 1;
      const room = this.#request.maxBytes - this.#used;
      if (end - at > room) {
        this.#append(chunk.subarray(at, at + room));
        this.#end = this.#wholeLines === 0 ? "first_line" : "bytes";
        this.#isOpen = false;
        // One byte more tells a cut inside a character from one behind it.
        if (this.#end === "first_line") this.#append(chunk.subarray(at + room, at + room + 1));
        return;
      }
      this.#append(chunk.subarray(at, end));
      at = end;
      if (found < 0) return;
      this.#wholeBytes = this.#used;
      this.#wholeLines++;
      if (this.#wholeLines === this.#request.maxLines) this.#isOpen = false;
    }
  }

  #append(bytes: Uint8Array): void {
    const needed = this.#used + bytes.length;
    if (needed > this.#content.length) {
      const grown = new Uint8Array(Math.max(needed, Math.min(this.#content.length * 2, this.#request.maxBytes + 1)));
      grown.set(this.#content.subarray(0, this.#used));
      this.#content = grown;
    }
    this.#content.set(bytes, this.#used);
    this.#used = needed;
  }
}

const LF = 0x0a;

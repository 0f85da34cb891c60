/** Text that is collected up to a number of bytes and lines and then only counted. */

import { isUtf8 } from "node:buffer";
import { characterBoundaryBefore } from "../../base/utf8.ts";
import { concatBytes } from "./_bytes.ts";

/** Lines of any text answer of the git tools (contract 3.13). */
export const MAX_LINES = 2_000;

/** Takes lines as bytes; what comes after the bound is counted and not kept. */
export class BoundedText {
  readonly #maxBytes: number;
  readonly #maxJsonBytes: number;
  readonly #parts: Uint8Array[] = [];
  #skipLines: number;
  #bytes = 0;
  #jsonBytes = 0;
  #lines = 0;
  #truncatedBy: "" | "lines" | "bytes" = "";

  /** `maxBytes` of UTF-8 after the first `skipLines`, and what they may take as a JSON string without its quotes. */
  constructor(
    maxBytes: number,
    { maxJsonBytes = Number.POSITIVE_INFINITY, skipLines = 0 }: { maxJsonBytes?: number; skipLines?: number } = {},
  ) {
    this.#maxBytes = maxBytes;
    this.#maxJsonBytes = maxJsonBytes;
    this.#skipLines = skipLines;
  }

  /** True while the next line will not be taken because it lies before the page. */
  get isSkipping(): boolean {
    return this.#skipLines > 0;
  }

  /** Empty while everything fits. */
  get truncatedBy(): "" | "lines" | "bytes" {
    return this.#truncatedBy;
  }

  get lines(): number {
    return this.#lines;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes one line with its terminator. After the first that does not fit, nothing more is taken. */
  addLine(line: Uint8Array): void {
    if (this.#truncatedBy !== "") return;
    if (this.#skipLines > 0) {
      this.#skipLines--;
      return;
    }
    if (this.#lines >= MAX_LINES) {
      this.#truncatedBy = "lines";
      return;
    }
    const jsonBytes = this.#maxJsonBytes === Number.POSITIVE_INFINITY ? 0 : jsonBytesOf(line);
    if (this.#bytes + line.length > this.#maxBytes || this.#jsonBytes + jsonBytes > this.#maxJsonBytes) {
      this.#truncatedBy = "bytes";
      // A first line over the limit is cut inside rather than leaving nothing.
      if (this.#lines === 0) {
        const room = Math.min(this.#maxBytes, Math.floor(this.#maxJsonBytes / JSON_BYTES_PER_BYTE));
        this.#take(line.subarray(0, characterBoundaryBefore(line, room)));
      }
      return;
    }
    this.#jsonBytes += jsonBytes;
    this.#take(line);
  }

  /** Passes over `lines` that all lie before the page; false, and nothing is passed over, when some of them do not. */
  skipWhole(lines: number): boolean {
    if (lines > this.#skipLines) return false;
    this.#skipLines -= lines;
    return true;
  }

  /** Takes the lines of `bytes`, the last one complete or not. */
  addText(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && this.#truncatedBy === "";) {
      const end = bytes.indexOf(10, at);
      const next = end < 0 ? bytes.length : end + 1;
      this.addLine(bytes.subarray(at, next));
      at = next;
    }
  }

  /** What was taken, invalid UTF-8 as U+FFFD. */
  text(): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(concatBytes(this.#parts));
  }

  #take(line: Uint8Array): void {
    // A copy: the line is a view into a chunk that may be large.
    this.#parts.push(line.slice());
    this.#bytes += line.length;
    this.#lines++;
  }
}

/** Most bytes that one byte takes in a JSON string: `\\u0001` (RFC 8259 section 7). */
const JSON_BYTES_PER_BYTE = 6;

/** Bytes of a line in a JSON string; a byte that is no UTF-8 becomes U+FFFD, three bytes. */
function jsonBytesOf(line: Uint8Array): number {
  let bytes = line.length;
  let isAscii = true;
  for (const byte of line) {
    if (byte >= 0x80) isAscii = false;
    else if (byte === 0x22 || byte === 0x5c || (byte >= 0x08 && byte <= 0x0d && byte !== 0x0b)) bytes++;
    else if (byte < 0x20) bytes += JSON_BYTES_PER_BYTE - 1;
  }
  return isAscii || isUtf8(line) ? bytes : bytes + 2 * line.filter((byte) => byte >= 0x80).length;
}

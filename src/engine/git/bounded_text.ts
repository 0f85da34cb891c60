/** Text that is collected up to a number of bytes and lines and then only counted. */

import { characterBoundaryBefore } from "../../base/utf8.ts";
import { concatBytes } from "./_bytes.ts";

/** Lines of any text answer of the git tools (contract 3.13). */
export const MAX_LINES = 2_000;

export class BoundedText {
  readonly #maxBytes: number;
  readonly #parts: Uint8Array[] = [];
  #bytes = 0;
  #lines = 0;
  #truncatedBy: "" | "lines" | "bytes" = "";

  /** `maxBytes` of UTF-8. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
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
    if (this.#lines >= MAX_LINES) {
      this.#truncatedBy = "lines";
      return;
    }
    if (this.#bytes + line.length > this.#maxBytes) {
      this.#truncatedBy = "bytes";
      // A first line over the limit is cut inside rather than leaving nothing.
      if (this.#lines === 0) this.#take(line.subarray(0, characterBoundaryBefore(line, this.#maxBytes)));
      return;
    }
    this.#take(line);
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

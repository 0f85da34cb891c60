/** A file of UTF-16 text, read as UTF-8. */

import type { SourceFile } from "../../platform/source_reader.ts";
import { encodeUtf8 } from "../../base/utf8.ts";

/** Byte order, in the names of the Encoding Standard. */
export type Utf16Label = "utf-16le" | "utf-16be";

/** The encoding that a byte order mark at the start of a file announces; null without one. */
export function utf16LabelOf(start: Uint8Array): Utf16Label | null {
  if (start.length < 2) return null;
  if (start[0] === 0xff && start[1] === 0xfe) return "utf-16le";
  return start[0] === 0xfe && start[1] === 0xff ? "utf-16be" : null;
}

/** What is decoded at a time: as UTF-8 at most one and a half times as long. */
const CHUNK_BYTES = 65_536;

/** Fills each buffer as far as the file goes, so that a short read means its end. The mark at the start is left out. */
export class Utf16Source implements SourceFile {
  readonly #rest: SourceFile;
  readonly #decoder: TextDecoder;
  readonly #chunk = new Uint8Array(CHUNK_BYTES);
  #encoded: Uint8Array;
  #isAtEnd = false;

  /** `start` is what was read of `rest` already. */
  constructor(start: Uint8Array, rest: SourceFile, label: Utf16Label) {
    this.#rest = rest;
    this.#decoder = new TextDecoder(label);
    this.#encoded = encodeUtf8(this.#decoder.decode(start, { stream: true }));
  }

  read(into: Uint8Array<ArrayBuffer>): number {
    let filled = 0;
    while (filled < into.length) {
      if (this.#encoded.length === 0) {
        if (this.#isAtEnd) break;
        this.#readOn();
        continue;
      }
      const part = this.#encoded.subarray(0, into.length - filled);
      into.set(part, filled);
      filled += part.length;
      this.#encoded = this.#encoded.subarray(part.length);
    }
    return filled;
  }

  close(): void {
    this.#rest.close();
  }

  #readOn(): void {
    const count = this.#rest.read(this.#chunk);
    this.#isAtEnd = count === 0;
    this.#encoded = encodeUtf8(this.#decoder.decode(this.#chunk.subarray(0, count), { stream: count > 0 }));
  }
}

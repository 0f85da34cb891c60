/** The text of one object, kept up to the bounds of a page. */

import { concatBytes } from "./_bytes.ts";
import { BoundedText } from "./bounded_text.ts";
import type { FileChange } from "./patch_reader.ts";

/** A page of what git prints; `files` is complete whatever was cut. */
export interface ShowResult {
  readonly content: string;
  readonly files: readonly FileChange[];
  /** Of a merge, first one first; empty for everything else. */
  readonly parents: readonly string[];
  /** The bound that cut the text; empty when nothing was cut. */
  readonly truncatedBy: "" | "lines" | "bytes";
  /** Lines of the page. */
  readonly lines: number;
  /** UTF-8 bytes of the page. */
  readonly bytes: number;
  readonly warnings: readonly string[];
}

/** What `git cat-file --batch` says of an object. */
export interface ObjectFacts {
  /** Full object name. */
  readonly name: string;
  readonly type: string;
  /** Bytes. */
  readonly size: number;
}

/** Bounds of a page of text. */
export interface TextBounds {
  /** UTF-8 bytes of the text. */
  readonly maxBytes: number;
  /** Bytes that the text may take as JSON; unlimited by default. */
  readonly maxJsonBytes?: number;
  /** Lines before the first that is wanted. */
  readonly skipLines?: number;
}

/** git calls a file binary when its first 8000 bytes hold a NUL (xdiff-interface.c). */
const BINARY_PROBE_BYTES = 8_000;

/** Content that comes in pieces, kept up to a bound unless it is binary. */
export class BlobText {
  readonly #text: BoundedText;
  readonly #maxBytes: number;
  #rest: Uint8Array = new Uint8Array(0);
  #seen = 0;
  #isBinary = false;

  constructor(bounds: TextBounds) {
    this.#text = new BoundedText(bounds.maxBytes, bounds);
    this.#maxBytes = bounds.maxBytes;
  }

  /** False when nothing more is wanted. */
  push(chunk: Uint8Array): boolean {
    if (this.#seen < BINARY_PROBE_BYTES) {
      this.#isBinary ||= chunk.subarray(0, BINARY_PROBE_BYTES - this.#seen).includes(0);
      this.#seen += chunk.length;
    }
    if (this.#isBinary) return false;
    const bytes = concatBytes([this.#rest, chunk]);
    const end = bytes.lastIndexOf(10) + 1;
    this.#text.addText(bytes.subarray(0, end));
    this.#rest = bytes.slice(end);
    // A line before the page only has to end; one longer than the bound will not fit: no need to wait for its end.
    if (this.#text.isSkipping) this.#rest = this.#rest.slice(0, 1);
    else if (this.#rest.length > this.#maxBytes) this.#text.addText(this.#rest);
    return this.#text.truncatedBy === "";
  }

  /** The page, once all pieces were pushed. */
  result(object: ObjectFacts): ShowResult {
    if (this.#isBinary) {
      const warnings = [`binary blob ${object.name} of ${object.size} bytes: not shown`];
      return pageOf(new BoundedText(this.#maxBytes), { files: [], parents: [], warnings });
    }
    this.#text.addText(this.#rest);
    return pageOf(this.#text, { files: [], parents: [], warnings: [] });
  }
}

/** The page that `text` holds, and what is known beside it. */
export function pageOf(
  text: BoundedText,
  facts: { files: readonly FileChange[]; parents: readonly string[]; warnings: readonly string[] },
): ShowResult {
  return {
    content: text.text(),
    files: facts.files,
    parents: facts.parents,
    truncatedBy: text.truncatedBy,
    lines: text.lines,
    bytes: text.bytes,
    warnings: text.truncatedBy === "" ? facts.warnings : ["output truncated", ...facts.warnings],
  };
}

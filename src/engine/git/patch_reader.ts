/**
 * Reads `git diff --raw -z -p` and `git show --raw -z -p` while they are printed.
 *
 * Grammar: `[header LF] *(raw NUL path NUL [path NUL]) NUL patch`, where raw is `:mode mode oid oid status`
 * (git-diff(1), "Raw output format"). The list of files comes first and complete; the patch behind it is kept up to the
 * bounds of the text and after that only counted, up to a budget.
 */

import { concatBytes, splitPathFields } from "./_bytes.ts";
import type { BoundedText } from "./bounded_text.ts";

/** `mode`: nothing but the file mode differs. */
export type FileStatus =
  | "modified"
  | "added"
  | "deleted"
  | "renamed"
  | "copied"
  | "typechange"
  | "unmerged"
  | "mode";

/** One entry of the list of files. */
export interface FileChange {
  /** Workspace-relative. */
  readonly path: string;
  /** Where it was before a rename or copy. */
  readonly originalPath?: string;
  status: FileStatus;
  binary: boolean;
  /** Lines; undefined when the patch was not read that far. */
  additions?: number;
  /** As `additions`. */
  removals?: number;
}

/** Where the text goes and how the output begins. */
export interface PatchReaderOptions {
  readonly text: BoundedText;
  /** Prefix that makes paths workspace-relative (`Repository.below`). */
  readonly below: string;
  /** A commit header stands before the list of files. */
  readonly hasHeader: boolean;
}

/** 64 MiB of patch, and 2 s, are read for the counts of files whose text no longer fits; then git is stopped. */
const COUNT_BYTES = 64 * 1024 * 1024;
const COUNT_MS = 2_000;
/** 32 MiB of header and file list; a commit with 200,000 files has about 20. */
const LIST_BYTES = 32 * 1024 * 1024;

/** NULs looked at for the end of a header, and bytes before each: a raw entry without its path has at most 170. */
const NUL_TRIES = 1_000;
const RAW_BYTES = 256;
/** A line longer than any text may be (contract 3.15) is taken by its beginning, so that no piece is copied twice. */
const LONG_LINE_BYTES = 1_100_000;
const NOTHING: Uint8Array = new Uint8Array(0);
const RAW = /(^|\n)(:+[0-7]{6} [0-7]{6} [^\0\n]*)$/;
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** One entry of the list as it is printed; a second path only of a rename or copy. */
interface RawEntry {
  readonly raw: string;
  readonly letters: string;
  readonly paths: readonly [string, string | undefined];
}

/** Takes the output chunk by chunk; `files` is complete once the list has ended. */
export class PatchReader {
  readonly files: FileChange[] = [];
  /** Those of them whose combined diff git leaves out beside the list (git-diff(1), "Combined diff format"). */
  readonly combined: FileChange[] = [];
  readonly #options: PatchReaderOptions;
  #list: Uint8Array[] = [];
  #listBytes = 0;
  #endedWithNul = false;
  #inPatch = false;
  #rest: Uint8Array = NOTHING;
  /** The line that goes on was taken already; what is left of it does not count. */
  #isInsideLongLine = false;
  #patchBytes = 0;
  #startedAt = 0;
  #current = -1;
  #oldLeft = 0;
  #newLeft = 0;
  /** Modified files whose mode differs; the list has no name for content in the working tree. */
  readonly #otherMode = new Set<FileChange>();

  constructor(options: PatchReaderOptions) {
    this.#options = options;
  }

  /** Takes a piece of output; false when nothing more is wanted. */
  push(chunk: Uint8Array): boolean {
    if (this.#inPatch) return this.#pushPatch(chunk);
    const end = this.#endOfListIn(chunk);
    this.#list.push(chunk);
    this.#listBytes += chunk.length;
    if (end < 0) return this.#listBytes < LIST_BYTES;
    const bytes = concatBytes(this.#list);
    const listEnd = bytes.length - chunk.length + end;
    this.#list = [];
    this.#takeList(bytes.subarray(0, listEnd));
    this.#inPatch = true;
    this.#startedAt = performance.now();
    return this.#pushPatch(bytes.subarray(listEnd + 1));
  }

  /** Call once after the last piece. */
  finish(): void {
    if (!this.#inPatch) {
      if (this.#listBytes > 0) this.#takeList(concatBytes(this.#list));
      return;
    }
    if (this.#rest.length > 0) this.#takeLine(this.#rest);
    this.#rest = NOTHING;
    for (const file of this.#otherMode) {
      if (file.additions === 0 && file.removals === 0 && !file.binary) file.status = "mode";
    }
  }

  /** Offset in `chunk` of the NUL behind the last entry of the list, which follows the entry's own; -1 if it is not there. */
  #endOfListIn(chunk: Uint8Array): number {
    for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, at + 1)) {
      if (at === 0 ? this.#endedWithNul : chunk[at - 1] === 0) return at;
    }
    this.#endedWithNul = chunk.at(-1) === 0;
    return -1;
  }

  #takeList(bytes: Uint8Array): void {
    let list = bytes;
    if (this.#options.hasHeader) list = this.#takeHeader(bytes);
    const fields = splitPathFields(list.at(-1) === 0 ? list : concatBytes([list, new Uint8Array(1)]));
    for (let at = 0; at < fields.length;) {
      const raw = fields[at++] as string;
      const letters = raw.slice(raw.lastIndexOf(" ") + 1);
      const first = fields[at++] ?? "";
      const second = /^[RC]/.test(letters) ? fields[at++] ?? "" : undefined;
      if (raw.startsWith(":") && first !== "") this.#addFile({ raw, letters, paths: [first, second] });
    }
  }

  /** Gives the header to the text and returns the list behind it. */
  #takeHeader(bytes: Uint8Array): Uint8Array {
    let tries = 0;
    // Nearly always the first NUL: header and first raw entry have none between them. A note may hold any.
    for (let at = bytes.indexOf(0); at >= 0 && tries < NUL_TRIES; at = bytes.indexOf(0, at + 1), tries++) {
      const start = RAW.exec(DECODER.decode(bytes.subarray(Math.max(0, at - RAW_BYTES), at)));
      if (start === null) continue;
      const rawLength = (start[2] as string).length;
      this.#addHeader(bytes.subarray(0, at - rawLength));
      return bytes.subarray(at - rawLength);
    }
    this.#addHeader(bytes);
    return new Uint8Array(0);
  }

  #addHeader(bytes: Uint8Array): void {
    this.#options.text.addText(bytes.map((byte) => byte === 0 ? 10 : byte));
  }

  #addFile({ raw, letters, paths: [first, second] }: RawEntry): void {
    const { below } = this.#options;
    const path = below + (second ?? first);
    const change: FileChange = {
      path,
      ...(second === undefined ? {} : { originalPath: below + first }),
      status: raw.startsWith("::") ? "unmerged" : statusOf(letters[0] as string),
      binary: false,
    };
    const [oldMode, newMode, oldName, newName] = raw.slice(1).split(" ");
    const sameContent = oldName === newName && !/^0+$/.test(newName ?? "");
    if (raw.startsWith("::")) this.combined.push(change);
    if (change.status === "modified" && oldMode !== newMode) {
      if (sameContent) change.status = "mode";
      else this.#otherMode.add(change);
    }
    this.files.push(change);
  }

  #pushPatch(chunk: Uint8Array): boolean {
    this.#patchBytes += chunk.length;
    const bytes = this.#rest.length === 0 ? chunk : concatBytes([this.#rest, chunk]);
    let at = 0;
    for (;;) {
      const end = bytes.indexOf(10, at);
      if (end < 0) break;
      if (!this.#isInsideLongLine) this.#takeLine(bytes.subarray(at, end + 1));
      this.#isInsideLongLine = false;
      at = end + 1;
    }
    this.#rest = this.#isInsideLongLine ? NOTHING : bytes.slice(at);
    if (this.#rest.length > LONG_LINE_BYTES) {
      this.#takeLine(this.#rest);
      this.#rest = NOTHING;
      this.#isInsideLongLine = true;
    }
    if (this.#options.text.truncatedBy === "") return true;
    return this.#patchBytes < COUNT_BYTES && performance.now() - this.#startedAt < COUNT_MS;
  }

  #takeLine(line: Uint8Array): void {
    const file = this.files[this.#current];
    const first = line[0];
    if (this.#oldLeft > 0 || this.#newLeft > 0) {
      this.#options.text.addLine(line);
      if (first === 43) {
        this.#newLeft--;
        if (file !== undefined) file.additions = (file.additions ?? 0) + 1;
      } else if (first === 45) {
        this.#oldLeft--;
        if (file !== undefined) file.removals = (file.removals ?? 0) + 1;
      } else if (first !== 92) {
        this.#oldLeft--;
        this.#newLeft--;
      }
      return;
    }
    this.#takeMeta(line, file);
  }

  #takeMeta(line: Uint8Array, file: FileChange | undefined): void {
    const { text, below } = this.#options;
    const words = DECODER.decode(line.length > 8192 ? line.subarray(0, 8192) : line);
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(words);
    if (hunk !== null) {
      this.#oldLeft = Number(hunk[1] ?? 1);
      this.#newLeft = Number(hunk[2] ?? 1);
    } else if (words.startsWith("diff --git ")) {
      this.#enterFile(words);
    } else if (file !== undefined) {
      noteMeta(file, words);
      const moved = below === "" ? null : /^((?:rename|copy) (?:from|to) )("?)(.*)$/s.exec(words);
      if (moved !== null) {
        text.addLine(new TextEncoder().encode(`${moved[1]}${moved[2]}${below}${moved[3]}`));
        return;
      }
    }
    text.addLine(line);
  }

  /** Finds the file of a `diff --git` line: the sections come in the order of the list, a type change takes two. */
  #enterFile(words: string): void {
    const line = words.endsWith("\n") ? words.slice(0, -1) : words;
    for (let at = Math.max(0, this.#current); at < this.files.length; at++) {
      const file = this.files[at] as FileChange;
      const names = `diff --git ${quoted("a/" + (file.originalPath ?? file.path))} ${quoted("b/" + file.path)}`;
      if (names !== line) continue;
      this.#current = at;
      file.additions ??= 0;
      file.removals ??= 0;
      return;
    }
    // A name that is not UTF-8, or too long to compare: the next in order.
    this.#current = Math.min(this.#current + 1, this.files.length);
  }
}

function noteMeta(file: FileChange, words: string): void {
  if (words.startsWith("Binary files ") || words.startsWith("GIT binary patch")) file.binary = true;
  else if (words.startsWith("* Unmerged path ")) file.status = "unmerged";
}

const STATUS_BY_LETTER: Readonly<Record<string, FileStatus>> = {
  A: "added",
  C: "copied",
  D: "deleted",
  R: "renamed",
  T: "typechange",
  U: "unmerged",
};

function statusOf(letter: string): FileStatus {
  return STATUS_BY_LETTER[letter] ?? "modified";
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};

/** A name as git quotes it with `core.quotePath=false`: control characters, `"` and `\` only. */
export function quoted(name: string): string {
  // deno-lint-ignore no-control-regex
  const special = /[\x00-\x1f\x7f"\\]/g;
  if (!special.test(name)) return name;
  const body = name.replace(
    special,
    (unit) => ESCAPES[unit] ?? "\\" + unit.charCodeAt(0).toString(8).padStart(3, "0"),
  );
  return `"${body}"`;
}

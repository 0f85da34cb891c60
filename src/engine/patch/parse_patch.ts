/**
 * The patch text.
 *
 * ```
 * patch    = *1(BOM) [blank] [fence] begin *(op / blank) end [blank] [fence]
 * begin    = "*** Begin Patch" LF              ; compared after trimming
 * end      = "*** End Patch" [LF]              ; compared after trimming
 * op       = add / delete / update
 * add      = "*** Add File: " path LF *( "+" text LF )
 * delete   = "*** Delete File: " path LF
 * update   = "*** Update File: " path LF [move] *hunk [move]    ; at most one move
 * move     = "*** Move to: " path LF
 * hunk     = *header 1*line [eof]              ; the first hunk may have no header
 * header   = "@@" [scope] ["@@"] LF            ; consecutive headers nest, outermost first
 * line     = (" " / "-" / "+") text LF / LF    ; an empty line is an empty context line
 * eof      = "*** End of File" LF
 * ```
 *
 * LF separates lines; a CR before it is dropped. Only a line that starts in column 1 with `*** ` is a marker.
 *
 * Accepted beside the grammar, each with a note in the result: a surrounding code fence or here-document; a second
 * envelope after the first; `--- a/x` and `+++ b/x` lines, with what git writes above them, before the first hunk; `\ No newline at end of file`; `@@` or
 * `*** End of File` in an added file. Everything else is refused with its line number and the right form.
 */

import { ToolError } from "../../base/tool_error.ts";
import type { Hunk, HunkLine, HunkLineKind, ParsedPatch, PatchOperation } from "./parsed_patch.ts";
import {
  ADD,
  after,
  BEGIN,
  DELETE,
  END,
  END_OF_FILE,
  FORM,
  isBoundary,
  MOVE,
  nearestForm,
  quoted,
  scopeOf,
  UPDATE,
} from "./patch_markers.ts";

/** Reads the patch. @throws ToolError PATCH_FAILED with `details.line` */
export function parsePatch(text: string): ParsedPatch {
  return new PatchParser(text).parse();
}

const FENCE = /^(?:```|~~~)[\w-]*$/;
const HEREDOC_START = /^(?:(?:cat|apply_patch)\b.*)?<<-?\s*['"]?(\w+)['"]?$/;
/** Lines that git writes above the names of a unified diff; none of them could be a line of a hunk. */
const GIT_HEADER = /^(?:diff --git |index [0-9a-f]+\.\.[0-9a-f]+|(?:old|new) mode \d+$)/;
const KINDS: Readonly<Record<string, HunkLineKind>> = { " ": "context", "-": "removed", "+": "added" };

class PatchParser {
  readonly #lines: string[];
  readonly #operations: PatchOperation[] = [];
  readonly #notes: string[] = [];
  /** Index of the next line. */
  #at = 0;

  constructor(text: string) {
    const plain = text.startsWith("\ufeff") ? text.slice(1) : text;
    this.#lines = plain.split("\n").map((line) => line.endsWith("\r") ? line.slice(0, -1) : line);
  }

  parse(): ParsedPatch {
    const closer = this.#openEnvelope();
    for (;;) {
      const line = this.#peek();
      if (line === null) {
        this.#fail(this.#lastLine(), `the patch ends without "${END}"`, `close it with the line ${END}`);
      } else if (line.trim() === "") this.#at++;
      else if (line.trimEnd() === END) {
        this.#at++;
        if (!this.#nextEnvelope()) break;
      } else this.#operation(line);
    }
    this.#checkTail(closer);
    if (this.#operations.length === 0) {
      throw new ToolError("PATCH_FAILED", "Cannot apply the patch: No files were modified.", {
        details: { retry_hint: `Put at least one operation between ${BEGIN} and ${END}` },
      });
    }
    return { operations: this.#operations, notes: this.#notes };
  }

  /** Returns the line that closes what surrounds the envelope; null when nothing does. */
  #openEnvelope(): string | null {
    this.#skipBlank();
    let closer: string | null = null;
    const first = this.#peek()?.trim() ?? "";
    const heredoc = HEREDOC_START.exec(first);
    if (FENCE.test(first) || heredoc !== null) {
      closer = heredoc === null ? first.slice(0, 3) : heredoc[1] as string;
      this.#notes.push(`patch line ${this.#at + 1}: ignored ${JSON.stringify(first)} around the patch`);
      this.#at++;
      this.#skipBlank();
    }
    const begin = this.#peek();
    if (begin?.trim() === BEGIN) {
      this.#at++;
      return closer;
    }
    if (begin === null) this.#fail(this.#at, "the patch is empty", FORM);
    if (begin.includes(`${BEGIN}\\n`)) {
      this.#fail(
        this.#at,
        "its line breaks are written as backslash and n",
        "send real line breaks in the JSON string",
      );
    }
    if (/^(?:diff --git |--- |Index: )/.test(begin)) {
      this.#fail(this.#at, `a unified diff starts here instead of "${BEGIN}"`, FORM);
    }
    this.#fail(this.#at, `expected "${BEGIN}", found ${quoted(begin)}`, FORM);
  }

  #nextEnvelope(): boolean {
    for (let i = this.#at; i < this.#lines.length; i++) {
      const line = (this.#lines[i] as string).trim();
      if (line === "") continue;
      if (line !== BEGIN) return false;
      this.#notes.push(`patch line ${i + 1}: a second envelope was applied together with the first`);
      this.#at = i + 1;
      return true;
    }
    return false;
  }

  #checkTail(closer: string | null): void {
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = (this.#lines[this.#at] as string).trim();
      if (line === "" || line === closer || (closer === null && line === "EOF")) continue;
      this.#fail(this.#at, `text after "${END}": ${quoted(line)}`, `end the patch with ${END}`);
    }
  }

  #operation(line: string): void {
    const at = this.#at;
    this.#at++;
    const add = after(line, ADD);
    if (add !== null) return this.#add(this.#path(add, at), at);
    const deleted = after(line, DELETE);
    if (deleted !== null) {
      this.#operations.push({ kind: "delete", path: this.#path(deleted, at), patchLine: at + 1 });
      const next = this.#peek();
      if (next !== null && next.trim() !== "" && !next.startsWith("***")) {
        this.#fail(this.#at, `${DELETE} takes no lines, found ${quoted(next)}`, "leave the file's lines out");
      }
      return;
    }
    const updated = after(line, UPDATE);
    if (updated !== null) return this.#update(this.#path(updated, at), at);
    this.#fail(at, `Unrecognized patch line ${quoted(line)}`, nearestForm(line));
  }

  #add(path: string, at: number): void {
    const lines: string[] = [];
    for (let line = this.#peek(); line !== null && !isBoundary(line); line = this.#peek()) {
      if (line.startsWith("+")) {
        lines.push(line.slice(1));
      } else if (line === "" && this.#skipBlankBeforeBoundary()) {
        break;
      } else if (lines.length === 0 && line.startsWith("@@") || line.trimEnd() === END_OF_FILE) {
        this.#notes.push(`patch line ${this.#at + 1}: ignored ${quoted(line)} in an added file`);
      } else if (line.startsWith("\\ No newline")) {
        this.#noteNoNewline();
      } else {
        this.#fail(this.#at, `every line of an added file starts with "+", found ${quoted(line)}`, `+${line}`);
      }
      this.#at++;
    }
    this.#operations.push({ kind: "add", path, patchLine: at + 1, lines });
  }

  #update(path: string, at: number): void {
    let moveTo = this.#move(null);
    this.#skipDiffNames();
    const hunks: Hunk[] = [];
    for (let line = this.#peek(); line !== null && !isBoundary(line); line = this.#peek()) {
      if (line.startsWith(MOVE)) {
        moveTo = this.#move(moveTo);
        this.#skipBlankBeforeBoundary();
        continue;
      }
      if (hunks.length === 0 && this.#skipBlankBeforeBoundary()) break;
      hunks.push(this.#hunk());
    }
    this.#operations.push({ kind: "update", path, patchLine: at + 1, moveTo, hunks });
  }

  #move(earlier: string | null): string | null {
    const line = this.#peek();
    const target = line === null ? null : after(line, MOVE);
    if (target === null) return earlier;
    if (earlier !== null) this.#fail(this.#at, `a second "${MOVE}" for one file`, `one ${MOVE} <path> per file`);
    const path = this.#path(target, this.#at);
    this.#at++;
    return path;
  }

  #hunk(): Hunk {
    const start = this.#at;
    const scopes = this.#headers();
    const lines: HunkLine[] = [];
    let atEndOfFile = false;
    for (let line = this.#peek(); line !== null; line = this.#peek()) {
      if (line.trimEnd() === END_OF_FILE) {
        atEndOfFile = true;
        this.#at++;
        this.#skipBlankBeforeBoundary();
        break;
      }
      if (line.startsWith("@@") || isBoundary(line) || line.startsWith(MOVE)) break;
      if (line.startsWith("\\ No newline")) this.#noteNoNewline();
      else lines.push(this.#hunkLine(line));
      this.#at++;
    }
    if (lines.length === 0) {
      this.#fail(start, "a hunk without lines", 'lines that start with " ", "-" or "+" after the @@ line');
    }
    return { patchLine: start + 1, scopes, lines, atEndOfFile };
  }

  #headers(): string[] {
    const scopes: string[] = [];
    for (let line = this.#peek(); line?.startsWith("@@") === true; line = this.#peek()) {
      const scope = scopeOf(line);
      if (scope !== "") scopes.push(scope);
      this.#at++;
    }
    return scopes;
  }

  #hunkLine(line: string): HunkLine {
    const kind = KINDS[line.charAt(0)];
    if (line === "") return { kind: "context", text: "", isBare: true };
    if (kind !== undefined) return { kind, text: line.slice(1), isBare: false };
    if (line.startsWith("***")) this.#fail(this.#at, `Unrecognized patch line ${quoted(line)}`, nearestForm(line));
    this.#fail(
      this.#at,
      `a hunk line starts with " ", "-" or "+", found ${quoted(line)}`,
      `" ${line}" for a context line`,
    );
  }

  /** `--- a/x` and `+++ b/x` before the first hunk are the names of a unified diff and no lines of the file. */
  #skipDiffNames(): void {
    let at = this.#at;
    while (GIT_HEADER.test(this.#lines[at] ?? "")) at++;
    const [first, second, third] = this.#lines.slice(at, at + 3);
    if (first?.startsWith("--- ") !== true || second?.startsWith("+++ ") !== true) return;
    if (third?.startsWith("@@") !== true) return;
    this.#notes.push(`patch line ${this.#at + 1}: ignored the file names of a unified diff`);
    this.#at = at + 2;
  }

  #noteNoNewline(): void {
    this.#notes.push(
      `patch line ${this.#at + 1}: ignored "\\ No newline at end of file"; the end of the file stays as it is`,
    );
  }

  #path(raw: string, at: number): string {
    const path = raw.trim();
    if (path === "") this.#fail(at, "the path is missing", "*** Update File: <path relative to the workspace>");
    return path;
  }

  /** Index of the line that would come next; a final line break does not count as one. */
  #lastLine(): number {
    return this.#lines.at(-1) === "" ? this.#lines.length - 1 : this.#lines.length;
  }

  #peek(): string | null {
    return this.#lines[this.#at] ?? null;
  }

  #skipBlank(): void {
    while (this.#peek()?.trim() === "") this.#at++;
  }

  /** Skips empty lines when nothing but they stand before the next marker or the end; false, and no move, otherwise. */
  #skipBlankBeforeBoundary(): boolean {
    let at = this.#at;
    while (this.#lines[at] === "") at++;
    const line = this.#lines[at];
    if (at === this.#at || (line !== undefined && !isBoundary(line))) return false;
    this.#at = at;
    return true;
  }

  #fail(index: number, fact: string, form: string): never {
    throw new ToolError("PATCH_FAILED", `Cannot read the patch: line ${index + 1}: ${fact}`, {
      details: { line: index + 1, expected: form, retry_hint: `Right form: ${form}` },
    });
  }
}

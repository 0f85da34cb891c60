/** The files of one call as they would be after it, built up in memory before anything is written. */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { Pacer } from "../../base/pacer.ts";
import { ToolError } from "../../base/tool_error.ts";
import { SystemError } from "../../platform/errno.ts";
import { describeKind, type FileFacts } from "../../platform/file_facts.ts";
import type { ExtendedAttribute, WriteTree } from "../../platform/write_tree.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { formatText, parseText, type TextLines, totalLines } from "./text_lines.ts";
import { writeFault } from "./write_fault.ts";

/** A file as it was when the call first looked at it. */
export interface Baseline {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256 of `bytes`, lower-case hexadecimal. */
  readonly revision: string;
  readonly facts: FileFacts;
  readonly attributes: readonly ExtendedAttribute[];
}

/** What a file carries besides its bytes; a move takes it along. */
export interface FileNature {
  readonly mode: number;
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  readonly attributes: readonly ExtendedAttribute[];
}

/** What is known of a staged file once nothing changes it any more. */
interface Settled {
  readonly bytes: Uint8Array<ArrayBuffer> | null;
  readonly revision: string | null;
  readonly totalLines: number;
  readonly isChanged: boolean;
}

/** One resolved path. */
export class StagedFile {
  /** Relative to the root. */
  readonly path: string;
  /** `path` without its last component, `.` at the top. */
  readonly directory: string;
  readonly name: string;
  /** Null when nothing was there. */
  readonly baseline: Baseline | null;
  readonly #pacer: Pacer;
  /** Null: the file would not exist. Undefined: `#text` has the content. */
  #bytes: Uint8Array<ArrayBuffer> | null | undefined;
  #nature: FileNature;
  #text: TextLines | null = null;
  #settled: Settled | null = null;
  /** True once an earlier operation of the same call removed it. */
  wasDeleted = false;

  constructor(path: string, baseline: Baseline | null, options: { readonly pacer: Pacer }) {
    const slash = path.lastIndexOf("/");
    this.path = path;
    this.directory = slash < 0 ? "." : path.slice(0, slash);
    this.name = path.slice(slash + 1);
    this.baseline = baseline;
    this.#pacer = options.pacer;
    this.#bytes = baseline?.bytes ?? null;
    this.#nature = baseline === null ? NEW_FILE : natureOf(baseline);
  }

  get exists(): boolean {
    return this.#bytes !== null;
  }

  get nature(): FileNature {
    return this.#nature;
  }

  /** Lines of the staged content, which must exist. @throws ToolError UNSUPPORTED_ENCODING */
  async text(): Promise<TextLines> {
    this.#text ??= await parseText(this.#bytes as Uint8Array, this.path, { pacer: this.#pacer });
    return this.#text;
  }

  /** Bytes of the staged content, which must exist. */
  async content(): Promise<Uint8Array<ArrayBuffer>> {
    this.#bytes ??= await formatText(this.#text as TextLines, { pacer: this.#pacer });
    return this.#bytes;
  }

  /** Lines of the staged content as `read_file` counts them; 0 when it does not exist. */
  async countLines(): Promise<number> {
    if (!this.exists) return 0;
    return this.#text === null ? await countLinesOf(await this.content(), this.#pacer) : totalLines(this.#text);
  }

  write(bytes: Uint8Array<ArrayBuffer>, nature?: FileNature): void {
    this.#become(bytes, null);
    if (nature !== undefined) this.#nature = nature;
  }

  /** The bytes are made from `text` when they are needed, so that a chain of edits makes them once. */
  writeText(text: TextLines): void {
    this.#become(undefined, text);
  }

  remove(): void {
    this.#become(null, null);
    this.wasDeleted = true;
  }

  /** Works out what `bytes`, `revision`, `totalLines` and `isChanged` answer; needed after the last change. */
  async settle(): Promise<void> {
    if (this.#settled !== null) return;
    const bytes = this.exists ? await this.content() : null;
    const isBaseline = bytes !== null && bytes === this.baseline?.bytes;
    const revision = bytes === null
      ? null
      : isBaseline
      ? this.baseline?.revision ?? ""
      : await revisionOf(bytes, this.#pacer);
    const before = this.baseline;
    const isSame = before === null || bytes === null
      ? before === bytes
      : this.#nature.mode === before.facts.mode && revision === before.revision;
    this.#settled = { bytes, revision, totalLines: await this.countLines(), isChanged: !isSame };
  }

  /** Content it will have; null when it will not exist. */
  get bytes(): Uint8Array<ArrayBuffer> | null {
    return this.#known.bytes;
  }

  /** SHA-256 of the content; empty when there is none. */
  get revision(): string {
    return this.#known.revision ?? "";
  }

  get totalLines(): number {
    return this.#known.totalLines;
  }

  /** True if committing would change the file or its mode. */
  get isChanged(): boolean {
    return this.#known.isChanged;
  }

  get #known(): Settled {
    if (this.#settled === null) throw new Error(`${this.path} is not settled`);
    return this.#settled;
  }

  #become(bytes: Uint8Array<ArrayBuffer> | null | undefined, text: TextLines | null): void {
    this.#bytes = bytes;
    this.#text = text;
    this.#settled = null;
  }
}

/** Largest file that is edited: JavaScript strings end at 512 MiB, and an edit holds the old and the new text. */
export const MAX_FILE_BYTES = 1 << 28;

/** Staged files by resolved path. */
export class StagedTree {
  /** Keeps the call from holding the event loop. */
  readonly pacer = new Pacer();
  readonly #workspace: Workspace;
  readonly #tree: WriteTree;
  readonly #files = new Map<string, StagedFile>();

  constructor(options: { readonly workspace: Workspace; readonly tree: WriteTree }) {
    this.#workspace = options.workspace;
    this.#tree = options.tree;
  }

  /** Every file the call named, in the order of first use. */
  files(): StagedFile[] {
    return [...this.#files.values()];
  }

  /** After the last operation: makes what the commit and the report need. */
  async settle(): Promise<void> {
    const written = this.files().filter((file) => file.exists).map((file) => file.path);
    this.#workspace.checkTogether(written, (path) => path);
    for (const file of this.#files.values()) await file.settle();
  }

  /** Resolved path of an argument, without looking at the file. @throws ToolError with the path codes of contract 1.5 */
  resolve(spelled: string): string {
    const target = this.#workspace.resolveTarget(spelled);
    if (target.kind === "directory") {
      throw new ToolError("PATCH_FAILED", `Cannot change ${spelled}: it is a directory`, {
        details: { path: target.path },
      });
    }
    if (target.kind !== null && target.kind !== "file") {
      throw new ToolError(
        "INVALID_ARGUMENT",
        `Cannot change ${spelled}: not a regular file but ${describeKind(target.kind)}`,
        {
          details: { path: target.path, kind: target.kind },
        },
      );
    }
    return target.path;
  }

  /** The error for a path argument where a file is needed and none is, with what was probably meant. */
  missing(spelled: string): ToolError {
    const meant = PROBABLY_MEANT.map(([pattern, replacement]) => spelled.replace(pattern, replacement))
      .find((path) => path !== spelled && path !== "" && this.#isFile(path));
    if (meant === undefined) {
      try {
        this.#workspace.resolveExisting(spelled);
      } catch (fault) {
        if (fault instanceof ToolError) return fault;
        throw fault;
      }
    }
    return new ToolError(
      "NOT_FOUND",
      `Cannot change ${spelled}: no such file${meant === undefined ? "" : `; ${meant} is one`}`,
      {
        details: {
          path: spelled,
          retry_hint: meant === undefined ? "Use list_files to find its path" : `Name the file ${meant}`,
          ...(meant === undefined ? {} : { did_you_mean: meant }),
        },
      },
    );
  }

  #isFile(path: string): boolean {
    try {
      return this.#workspace.resolveTarget(path).kind === "file";
    } catch {
      // A spelling that is not even allowed is not what was meant.
      return false;
    }
  }

  /** The staged file at a path argument, read from the disk when it is named for the first time. */
  async take(spelled: string): Promise<StagedFile> {
    const path = this.resolve(spelled);
    let file = this.#files.get(path);
    if (file === undefined) {
      file = new StagedFile(path, await this.#read(path, spelled), { pacer: this.pacer });
      this.#files.set(path, file);
    }
    return file;
  }

  async #read(path: string, spelled: string): Promise<Baseline | null> {
    const slash = path.lastIndexOf("/");
    try {
      using directory = this.#tree.openDirectory(slash < 0 ? "." : path.slice(0, slash));
      const name = path.slice(slash + 1);
      if (directory.facts(name) === null) return null;
      const read = await directory.read(name, { limitBytes: MAX_FILE_BYTES });
      const revision = await revisionOf(read.bytes, this.pacer);
      return { bytes: read.bytes, revision, facts: read.facts, attributes: read.attributes };
    } catch (fault) {
      if (!(fault instanceof SystemError)) throw fault;
      if (fault.errno === "ENOENT") return null;
      if (fault.errno === "ENOTDIR") {
        throw new ToolError("NOT_A_DIRECTORY", `Cannot use ${spelled}: a part of its path is a file`, { cause: fault });
      }
      if (fault.errno === "EFBIG") {
        throw new ToolError("PATCH_FAILED", `Cannot edit ${spelled}: it is larger than ${MAX_FILE_BYTES} bytes`, {
          details: {
            path,
            limit_bytes: MAX_FILE_BYTES,
            retry_hint: "Edit a file of this size with a command such as sed",
          },
          cause: fault,
        });
      }
      throw writeFault(fault, path);
    }
  }
}

/** Prefixes of a unified diff, and quotation marks around a path. */
const PROBABLY_MEANT: readonly (readonly [RegExp, string])[] = [[/^[ab]\//, ""], [/^(["'`])(.*)\1$/, "$2"]];

/** SHA-256 in lower-case hexadecimal. */
export async function revisionOf(bytes: Uint8Array, pacer: Pacer): Promise<string> {
  const hash = createHash("sha256");
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    hash.update(bytes.subarray(at, at + CHUNK_BYTES));
    if (pacer.isDue) await pacer.rest();
  }
  return hash.digest("hex");
}

/** Lines as `read_file` counts them: LF ends a line, and an unterminated last one counts. */
export async function countLinesOf(bytes: Uint8Array, pacer: Pacer): Promise<number> {
  let lines = 0;
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    const chunk = bytes.subarray(from, from + CHUNK_BYTES);
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) lines++;
    if (pacer.isDue) await pacer.rest();
  }
  return bytes.length === 0 || bytes.at(-1) === LF ? lines : lines + 1;
}

const LF = 0x0a;
/** Worked on between two looks at the clock: 1 to 4 ms. */
const CHUNK_BYTES = 1 << 20;

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && (a === b || Buffer.from(a.buffer, a.byteOffset, a.length).equals(b));
}

/** Contract 7.2: new files get 0644, whatever the umask. */
const NEW_FILE: FileNature = { mode: 0o644, owner: null, attributes: [] };

function natureOf(baseline: Baseline): FileNature {
  return {
    mode: baseline.facts.mode,
    owner: { uid: baseline.facts.uid, gid: baseline.facts.gid },
    attributes: baseline.attributes.filter((attribute) => isKept(attribute.name)),
  };
}

/** The kernel itself drops file capabilities and signatures when a file is written (capabilities(7)); so does a patch. */
function isKept(attribute: string): boolean {
  return attribute.startsWith("user.") || attribute === "system.posix_acl_access" || attribute === "security.selinux";
}

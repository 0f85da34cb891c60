/** The files of one call as they would be after it, built up in memory before anything is written. */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { ToolError } from "../../base/tool_error.ts";
import { SystemError } from "../../platform/errno.ts";
import { describeKind } from "../../platform/file_facts.ts";
import type { ExtendedAttribute, ReadFile, WriteFacts, WriteTree } from "../../platform/write_tree.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { formatText, parseText, type TextLines } from "./text_lines.ts";
import { writeFault } from "./write_fault.ts";

/** A file as it was when the call first looked at it. */
export interface Baseline {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256 of `bytes`, lower-case hexadecimal. */
  readonly revision: string;
  readonly facts: WriteFacts;
  readonly attributes: readonly ExtendedAttribute[];
}

/** What a file carries besides its bytes; a move takes it along. */
export interface FileNature {
  readonly mode: number;
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  readonly attributes: readonly ExtendedAttribute[];
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
  /** Null: the file would not exist. Undefined: `#text` has the content. */
  #bytes: Uint8Array<ArrayBuffer> | null | undefined;
  #nature: FileNature;
  #text: TextLines | null = null;
  #revision: string | null = null;
  /** Undefined until asked for after a change. */
  #isChanged: boolean | undefined;
  /** True once an earlier operation of the same call removed it. */
  wasDeleted = false;

  constructor(path: string, baseline: Baseline | null) {
    const slash = path.lastIndexOf("/");
    this.path = path;
    this.directory = slash < 0 ? "." : path.slice(0, slash);
    this.name = path.slice(slash + 1);
    this.baseline = baseline;
    this.#bytes = baseline?.bytes ?? null;
    this.#nature = baseline === null ? NEW_FILE : natureOf(baseline);
  }

  get exists(): boolean {
    return this.#bytes !== null;
  }

  /** Content it would have; null when it would not exist. */
  get bytes(): Uint8Array<ArrayBuffer> | null {
    if (this.#bytes === undefined) this.#bytes = formatText(this.#text as TextLines);
    return this.#bytes;
  }

  get nature(): FileNature {
    return this.#nature;
  }

  /** SHA-256 of the staged content, which must exist. */
  get revision(): string {
    const bytes = this.bytes as Uint8Array;
    this.#revision ??= bytes === this.baseline?.bytes ? this.baseline.revision : revisionOf(bytes);
    return this.#revision;
  }

  /** Lines of the staged content, which must exist. @throws ToolError UNSUPPORTED_ENCODING */
  text(): TextLines {
    this.#text ??= parseText(this.#bytes as Uint8Array, this.path);
    return this.#text;
  }

  write(bytes: Uint8Array<ArrayBuffer>, nature?: FileNature): void {
    this.#bytes = bytes;
    this.#text = null;
    this.#forget();
    if (nature !== undefined) this.#nature = nature;
  }

  /** The bytes are made from `text` when they are needed, so that a chain of edits makes them once. */
  writeText(text: TextLines): void {
    this.#bytes = undefined;
    this.#text = text;
    this.#forget();
  }

  remove(): void {
    this.#bytes = null;
    this.#text = null;
    this.#forget();
    this.wasDeleted = true;
  }

  #forget(): void {
    this.#revision = null;
    this.#isChanged = undefined;
  }

  /** True if committing would change the file or its mode. */
  get isChanged(): boolean {
    return this.#isChanged ??= this.#differs();
  }

  #differs(): boolean {
    const before = this.baseline;
    const after = this.bytes;
    if (before === null || after === null) return (before === null) !== (after === null);
    return this.#nature.mode !== before.facts.mode || !sameBytes(before.bytes, after);
  }
}

/** Largest file that is edited: JavaScript strings end at 512 MiB, and an edit holds the old and the new text. */
export const MAX_FILE_BYTES = 1 << 28;

/** Staged files by resolved path. */
export class StagedTree {
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

  /** The staged file at a path argument, read from the disk when it is named for the first time. */
  async take(spelled: string): Promise<StagedFile> {
    const path = this.resolve(spelled);
    let file = this.#files.get(path);
    if (file === undefined) {
      file = new StagedFile(path, await this.#read(path, spelled));
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
      return baselineOf(await directory.read(name, { limitBytes: MAX_FILE_BYTES }));
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

export function revisionOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && (a === b || Buffer.from(a.buffer, a.byteOffset, a.length).equals(b));
}

function baselineOf(read: ReadFile): Baseline {
  return { bytes: read.bytes, revision: revisionOf(read.bytes), facts: read.facts, attributes: read.attributes };
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

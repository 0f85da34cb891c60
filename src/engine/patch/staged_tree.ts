/** The files of one call as they would be after it, built up in memory before anything is written. */

import { Pacer } from "../../base/pacer.ts";
import { ToolError } from "../../base/tool_error.ts";
import { directoryOf, nameOf } from "../../base/tree_path.ts";
import { SystemError } from "../../platform/errno.ts";
import { describeKind } from "../../platform/file_facts.ts";
import type { WriteTree } from "../../platform/write_tree.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { revisionOf } from "./read_content.ts";
import { type Baseline, StagedFile } from "./staged_file.ts";
import { writeFault } from "./write_fault.ts";

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
    try {
      using directory = this.#tree.openDirectory(directoryOf(path));
      const name = nameOf(path);
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

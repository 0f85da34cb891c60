/** The confined tree: turns the path arguments of tools into real places inside the root (contract 1.9). */

import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ToolError } from "../../base/tool_error.ts";

export type EntryKind = "file" | "directory" | "symlink" | "fifo" | "socket" | "device";

/** An existing place inside the root, symlinks resolved. */
export interface ResolvedPath {
  /** Workspace-relative with `/`, `.` for the root. */
  readonly path: string;
  readonly absolute: string;
  readonly kind: EntryKind;
}

/** A place that may be written: its last component is not a symlink, its nearest existing ancestor lies inside. */
export interface TargetPath {
  readonly path: string;
  readonly absolute: string;
  /** Null when nothing is there yet. */
  readonly kind: EntryKind | null;
}

export class Workspace {
  /** Canonical absolute path. */
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** Resolves an existing path. @throws ToolError with the path codes of contract 1.5 */
  resolveExisting(spelled: string): ResolvedPath {
    const lexical = join(this.root, checkSpelling(spelled));
    let absolute: string;
    try {
      absolute = realpathSync(lexical);
    } catch (fault) {
      throw this.#missing(spelled, lexical, fault);
    }
    const path = this.#inside(absolute);
    if (path === null) throw escaped(spelled, isSymlink(lexical));
    return { path, absolute, kind: kindOf(statSync(absolute)) };
  }

  /** Resolves a path that is going to be written. @throws ToolError with the path codes of contract 1.5 */
  resolveTarget(spelled: string): TargetPath {
    const checked = checkSpelling(spelled);
    const lexical = join(this.root, checked);
    if (lexical === this.root) {
      throw new ToolError("PATH_OUTSIDE_WORKSPACE", `Cannot write ${spelled}: it names the workspace root`);
    }
    if (isSymlink(lexical)) {
      throw new ToolError(
        "SYMLINK_ESCAPE",
        `Cannot write ${spelled}: it is a symbolic link; write to its target instead`,
      );
    }
    let ancestor = dirname(lexical);
    const rest: string[] = [lexical.slice(ancestor.length + 1)];
    for (;;) {
      try {
        const real = realpathSync(ancestor);
        if (this.#inside(real) === null) throw escaped(spelled, false);
        const absolute = join(real, ...rest);
        return { path: relative(this.root, absolute), absolute, kind: kindAt(absolute) };
      } catch (fault) {
        if (fault instanceof ToolError) throw fault;
        rest.unshift(ancestor.slice(dirname(ancestor).length + 1));
        ancestor = dirname(ancestor);
      }
    }
  }

  #inside(absolute: string): string | null {
    if (absolute === this.root) return ".";
    return absolute.startsWith(this.root + "/") ? absolute.slice(this.root.length + 1) : null;
  }

  #missing(spelled: string, lexical: string, cause: unknown): ToolError {
    if (isSymlink(lexical)) {
      return new ToolError("NOT_FOUND", `Cannot open ${spelled}: the target of this link does not exist`, { cause });
    }
    return new ToolError("NOT_FOUND", `Cannot open ${spelled}: no such file or directory`, { cause });
  }
}

function checkSpelling(spelled: string): string {
  if (spelled === "") {
    throw new ToolError(
      "INVALID_ARGUMENT",
      "Cannot use an empty path: name a file or directory relative to the workspace",
    );
  }
  if (spelled.includes("\0")) throw new ToolError("INVALID_ARGUMENT", "Cannot use a path with a NUL character");
  if (spelled.startsWith("/") || /^[A-Za-z]:[\\/]/.test(spelled)) {
    throw new ToolError(
      "ABSOLUTE_PATH_DENIED",
      `Cannot use the absolute path ${spelled}: paths are relative to the workspace root`,
    );
  }
  if (spelled.split("/").includes("..")) {
    throw new ToolError("PATH_OUTSIDE_WORKSPACE", `Cannot use ${spelled}: ".." is not allowed in paths`);
  }
  return spelled;
}

function escaped(spelled: string, itself: boolean): ToolError {
  return itself
    ? new ToolError("SYMLINK_ESCAPE", `Cannot use ${spelled}: it is a symbolic link that leaves the workspace`)
    : new ToolError(
      "PATH_OUTSIDE_WORKSPACE",
      `Cannot use ${spelled}: it leads outside the workspace through a symbolic link`,
    );
}

function isSymlink(absolute: string): boolean {
  return kindAt(absolute) === "symlink";
}

function kindAt(absolute: string): EntryKind | null {
  try {
    return kindOf(lstatSync(absolute));
  } catch {
    // Nothing there, or not reachable: for a target both mean that it does not exist yet.
    return null;
  }
}

function kindOf(stats: Stats): EntryKind {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  if (stats.isSymbolicLink()) return "symlink";
  if (stats.isFIFO()) return "fifo";
  return stats.isSocket() ? "socket" : "device";
}

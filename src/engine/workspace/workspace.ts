/**
 * The confined tree: turns the path arguments of tools into real places inside the root (contract 1.9).
 *
 * Names are resolved in user space and opened beneath the root without following links; when a link was swapped in
 * between, the kernel refuses and the resolution starts again (O-25).
 */

import { existsSync } from "node:fs";
import { pathToPlainText } from "../../base/path_text.ts";
import { ioError, ToolError } from "../../base/tool_error.ts";
import { directoryOf, nameOf, pathIn } from "../../base/tree_path.ts";
import { SystemError } from "../../platform/errno.ts";
import { describeKind, type EntryKind, type FileFacts } from "../../platform/file_facts.ts";
import { type DirectoryHandle, type FileHandle, openTree, type Tree } from "../../platform/tree.ts";
import { gitDirectoryAround, holdsAlso } from "./_git_directory.ts";
import { resolveLinks } from "./_resolve_links.ts";
import { nearMiss } from "./_near_miss.ts";
import {
  asPathError,
  asTargetRoot,
  gitMetadata,
  leavesThroughLink,
  linkAsTarget,
  notADirectory,
  notFound,
  workspaceGone,
} from "./path_errors.ts";
import { parseSpelling, shown, type SpellingOptions } from "./path_spelling.ts";

/** An existing place inside the root, symlinks resolved. */
export interface ResolvedPath {
  /** Workspace-relative with `/`, `.` for the root; names that are not UTF-8 escaped as `base/path_text.ts` says. */
  readonly path: string;
  /** For other programs and plain file calls. A name that is not UTF-8 stays escaped, so those do not find it. */
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

/** A regular file, open for reading. Whoever opened it closes it. */
export interface OpenedFile {
  readonly path: string;
  readonly handle: FileHandle;
}

/** A directory, open for listing. Whoever opened it closes it. */
export interface OpenedDirectory {
  readonly path: string;
  readonly handle: DirectoryHandle;
}

/** What differs from an ordinary run. */
export interface WorkspaceOptions {
  /** Whether file tools may write inside `.git` (O-26): only in dangerous mode. */
  readonly gitWrites?: "refused" | "allowed";
  /** The tree to use instead of the platform's own. */
  readonly openTree?: (root: string) => Tree;
}

/** Owns the tree of its root, which is opened at first use; `close` gives it back. */
export class Workspace {
  /** Canonical absolute path. */
  readonly root: string;
  readonly #gitWrites: "refused" | "allowed";
  readonly #openTree: (root: string) => Tree;
  #tree: Tree | undefined;

  constructor(root: string, options: WorkspaceOptions = {}) {
    this.root = root;
    this.#gitWrites = options.gitWrites ?? "refused";
    this.#openTree = options.openTree ?? openTree;
  }

  /** The tree beneath the root, for paths that this class resolved: `openDirectory` of a parent to write in, and so on. */
  get tree(): Tree {
    return this.#tree ??= this.#openTree(this.root);
  }

  /** Whether the directory of the workspace is no longer there. */
  get isGone(): boolean {
    return !existsSync(this.root);
  }

  /** The failure of whatever needs the workspace once it is gone. */
  goneError(cause?: unknown): ToolError {
    return workspaceGone(this.root, cause);
  }

  /** @throws ToolError NOT_FOUND when the workspace is gone: a walk upwards would otherwise find what lies above it, or nothing */
  requireRoot(): void {
    if (this.isGone) throw this.goneError();
  }

  /** Resolves an existing path. @throws ToolError with the path codes of contract 1.5 */
  resolveExisting(spelled: string, options: SpellingOptions = {}): ResolvedPath {
    const { path, facts } = this.#resolve(spelled, options);
    return { path, absolute: this.absoluteOf(path), kind: facts.kind };
  }

  /**
   * Opens a regular file for reading.
   *
   * @throws ToolError with the path codes, IS_DIRECTORY, INVALID_ARGUMENT for special files
   */
  openFile(spelled: string): OpenedFile {
    return this.#opening(spelled, {}, (path) => ({ path, handle: this.tree.openFile(path) }));
  }

  /** Opens a directory for listing. @throws ToolError with the path codes, NOT_A_DIRECTORY */
  openDirectory(spelled: string, options: SpellingOptions = {}): OpenedDirectory {
    return this.#opening(spelled, options, (path, facts) => {
      if (facts.kind !== "directory") throw notADirectory(spelled, facts.kind);
      return { path, handle: this.tree.openDirectory(path) };
    });
  }

  /** The deepest existing directory on the way to a path, resolved, and the names below it. @throws ToolError with the path codes */
  nearestDirectory(spelled: string): { path: string; rest: string[] } {
    return this.#nearestDirectory(spelled, parseSpelling(spelled, { emptyIsRoot: true, root: this.root }));
  }

  /** Resolves a path that is going to be written. @throws ToolError with the path codes, PERMISSION_REQUIRED in `.git` */
  resolveTarget(spelled: string): TargetPath {
    const lexical = parseSpelling(spelled, { root: this.root });
    if (lexical === ".") throw asTargetRoot(spelled);
    const { path: parent, rest } = this.#nearestDirectory(spelled, directoryOf(lexical));
    if (rest.length > 0) this.#checkCreatable(spelled, pathIn(parent, rest[0] as string));
    const path = [...rest, nameOf(lexical)].reduce(pathIn, parent);
    if (this.#gitWrites === "refused" && path.split("/").some(isGitName)) {
      throw gitMetadata(spelled, "a .git directory");
    }
    this.checkTogether([path], () => spelled);
    const kind = rest.length > 0 ? null : this.#kindOf(spelled, path);
    if (kind === "symlink") throw linkAsTarget(spelled);
    return { path, absolute: this.absoluteOf(path), kind };
  }

  /**
   * Refuses files that would belong to a git directory once all of `paths`, resolved, exist.
   *
   * @throws ToolError PERMISSION_REQUIRED, naming the file by `spelledOf`
   */
  checkTogether(paths: readonly string[], spelledOf: (path: string) => string): void {
    if (this.#gitWrites === "allowed") return;
    const holds = holdsAlso(paths, (path, kind) => this.#holds(path, kind));
    for (const path of paths) {
      // Security: its hooks and its configuration run programs, outside the sandbox, when somebody uses it (O-26).
      const directory = gitDirectoryAround(path, holds);
      if (directory === null) continue;
      const where = directory === "."
        ? "the workspace, which is a git directory"
        : `the git directory ${shown(directory)}`;
      throw gitMetadata(spelledOf(path), where);
    }
  }

  /** Absolute form of a resolved path. */
  absoluteOf(path: string): string {
    const absolute = path === "." ? this.root : `${this.root}/${path}`;
    return pathToPlainText(absolute) ?? absolute;
  }

  /** Gives up the descriptor of the root. */
  close(): void {
    this.#tree?.close();
    this.#tree = undefined;
  }

  #resolve(spelled: string, options: SpellingOptions): { path: string; facts: FileFacts } {
    return this.#opening(spelled, options, (path, facts) => ({ path, facts }));
  }

  /** Resolves, then opens; again from the start when a link turned up in between. */
  #opening<T>(spelled: string, options: SpellingOptions, open: (path: string, facts: FileFacts) => T): T {
    const lexical = parseSpelling(spelled, { ...options, root: this.root });
    for (let attempt = 0;; attempt++) {
      try {
        const { path, facts } = this.#followed(spelled, lexical);
        return open(path, facts);
      } catch (fault) {
        if (!isSwapped(fault)) throw asPathError(fault, spelled);
        if (attempt === SWAP_ATTEMPTS) {
          throw ioError({ path: shown(spelled), errno: fault.errno, step: "open", cause: fault });
        }
      }
    }
  }

  #followed(spelled: string, lexical: string): { path: string; facts: FileFacts } {
    try {
      const facts = this.tree.facts(lexical);
      // The common case, one call: no link on the way.
      if (facts.kind !== "symlink") return { path: lexical, facts };
    } catch (fault) {
      if (!(fault instanceof SystemError) || !FOLLOWED_ERRNOS.has(fault.errno)) throw fault;
    }
    const resolution = resolveLinks(this.tree, lexical);
    switch (resolution.kind) {
      case "inside":
        return resolution;
      case "outside":
        throw leavesThroughLink(spelled, resolution);
      case "missing": {
        const { path: nearest, rest } = this.#nearestDirectory(spelled, directoryOf(lexical));
        const meant = resolution.isLink ? null : nearMiss(this.tree, nearest, [...rest, nameOf(lexical)]);
        throw notFound({ spelled, errno: resolution.errno, isLink: resolution.isLink, nearest, meant });
      }
    }
  }

  /**
   * The deepest existing ancestor of `lexical` (itself included), resolved, and the names below it that do not exist.
   *
   * Looked for by halves: of a path of thousands of names that are not there each would be tried otherwise.
   */
  #nearestDirectory(spelled: string, lexical: string): { path: string; rest: string[] } {
    const whole = this.#directoryAt(spelled, lexical);
    if (whole !== null) return { path: whole, rest: [] };
    const names = lexical.split("/");
    let path = ".";
    let found = 0;
    for (let missing = names.length; missing - found > 1;) {
      const middle = (found + missing) >> 1;
      const resolved = this.#directoryAt(spelled, names.slice(0, middle).join("/"));
      if (resolved === null) missing = middle;
      else [found, path] = [middle, resolved];
    }
    return { path, rest: names.slice(found) };
  }

  /** Resolved path of the directory at `lexical`; null where none is. @throws ToolError when it lies outside */
  #directoryAt(spelled: string, lexical: string): string | null {
    for (let attempt = 0; attempt <= SWAP_ATTEMPTS; attempt++) {
      try {
        const resolution = resolveLinks(this.tree, lexical);
        if (resolution.kind === "outside") throw leavesThroughLink(spelled, { isItself: false });
        return resolution.kind === "inside" && resolution.facts.kind === "directory" ? resolution.path : null;
      } catch (fault) {
        if (!isSwapped(fault)) throw asPathError(fault, spelled);
      }
    }
    throw ioError({ path: shown(spelled), errno: "ELOOP", step: "open" });
  }

  /** A missing parent can be made unless its name is taken by something that is no directory. */
  #checkCreatable(spelled: string, parent: string): void {
    const kind = this.#kindOf(spelled, parent);
    if (kind === null || kind === "directory") return;
    throw new ToolError(
      kind === "symlink" ? "NOT_FOUND" : "NOT_A_DIRECTORY",
      `Cannot write ${shown(spelled)}: ${shown(parent)} is ${
        kind === "symlink" ? "a symbolic link without a target" : describeKind(kind)
      }`,
      { details: { path: spelled, parent } },
    );
  }

  #holds(path: string, wanted: "file" | "directory"): boolean {
    const kind = this.#kindOf(path, path);
    return kind === wanted || kind === "symlink";
  }

  #kindOf(spelled: string, path: string): EntryKind | null {
    try {
      return this.tree.facts(path).kind;
    } catch (fault) {
      if (fault instanceof SystemError && fault.errno === "ENOENT") return null;
      throw asPathError(fault, spelled);
    }
  }
}

/** Resolutions before giving up on a path that somebody keeps changing; each is a handful of system calls. */
const SWAP_ATTEMPTS = 100;
/** What the kernel says where a link stands in the way (openat2(2)) or where the missing part needs an explanation. */
const FOLLOWED_ERRNOS: ReadonlySet<string> = new Set(["ELOOP", "EXDEV", "EAGAIN", "ENOENT", "ENOTDIR"]);
const SWAP_ERRNOS: ReadonlySet<string> = new Set(["ELOOP", "EXDEV", "EAGAIN", "ENOENT", "ENOTDIR", "EINVAL"]);

/** True where the place changed between resolution and opening: what was there a moment ago is not any more. */
function isSwapped(fault: unknown): fault is SystemError {
  return fault instanceof SystemError && fault.constructor === SystemError && SWAP_ERRNOS.has(fault.errno);
}

/** `.git` in any letter case, because some file systems do not tell them apart, and its short name on FAT and NTFS. */
function isGitName(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === ".git" || lower === "git~1";
}

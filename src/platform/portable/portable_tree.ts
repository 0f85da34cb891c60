/**
 * The tree without FFI: ordinary file calls, with device and inode compared on the open handle.
 *
 * Not race-free: between check and open a name may be swapped. The comparison afterwards finds most swaps, not all.
 */

import {
  closeSync,
  constants,
  type Dir,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  read as readFile,
  readlinkSync,
  readSync,
  realpathSync,
} from "node:fs";
import type { Dirent } from "node:fs";
import { join } from "node:path";
import { pathToPlainText, pathToText } from "../../base/path_text.ts";
import { encodeUtf8 } from "../../base/utf8.ts";
import { pathIn } from "../../base/tree_path.ts";
import { MissingPermission, missingPermission, NotRegularError, SystemError } from "../errno.ts";
import { type EntryKind, type FileFacts, isSameObject } from "../file_facts.ts";
import type { DirectoryEntry, DirectoryHandle, FileHandle, Tree } from "../tree.ts";
import { factsOfStats } from "./facts_of_stats.ts";

/** The tree at `root`, a canonical absolute path. @throws SystemError when it is no directory */
export function openPortableTree(root: string): Tree {
  const facts = factsAt(root, ".");
  if (facts.kind !== "directory") throw new SystemError("ENOTDIR", "open", root);
  return new PortableTree(root);
}

class PortableTree implements Tree {
  readonly root: string;
  readonly raceReason = "no FFI: paths are checked again on the open handle, which does not close every race";

  constructor(root: string) {
    this.root = root;
  }

  facts(path: string): FileFacts {
    return checkedFacts(this.root, path);
  }

  readLink(path: string): string {
    checkedFacts(this.root, path);
    return attempt("readlink", path, () => textOf(readlinkSync(plain(this.root, path))));
  }

  openFile(path: string): FileHandle {
    const seen = checkedFacts(this.root, path);
    if (seen.kind === "symlink") throw new SystemError("ELOOP", "open", path);
    if (seen.kind !== "file") throw new NotRegularError(seen.kind, path);
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    const fd = attempt("open", path, () => openSync(plain(this.root, path), flags));
    const file = new PortableFile(fd);
    try {
      // Security: a parent swapped for a link after the check gives another object, or another path, now.
      const opened = file.facts();
      if (!isSameObject(opened, seen) || !isSameObject(opened, checkedFacts(this.root, path))) {
        throw new SystemError("ELOOP", "open", path);
      }
      return file;
    } catch (fault) {
      file.close();
      throw fault;
    }
  }

  openDirectory(path: string): DirectoryHandle {
    const facts = checkedFacts(this.root, path);
    if (facts.kind === "symlink") throw new SystemError("ELOOP", "open", path);
    if (facts.kind !== "directory") throw new SystemError("ENOTDIR", "open", path);
    return new PortableDirectory(this, path);
  }

  canonical(absolute: string): string | null {
    const text = pathToPlainText(absolute);
    if (text === null) return null;
    try {
      return textOf(realpathSync(text));
    } catch {
      // Nothing there, a loop of links, or not permitted to look: in each case there is no canonical name to offer.
      return null;
    }
  }

  close(): void {}

  [Symbol.dispose](): void {}
}

class PortableFile implements FileHandle {
  readonly fd = null;
  #descriptor: number | null;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  facts(): FileFacts {
    return attempt("fstat", "the open file", () => factsOfStats(fstatSync(this.#open(), { bigint: true })));
  }

  readSync(into: Uint8Array<ArrayBuffer>, position: number): number {
    return attempt("read", "the open file", () => readSync(this.#open(), into, 0, into.length, position));
  }

  read(into: Uint8Array<ArrayBuffer>, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      readFile(this.#open(), into, 0, into.length, position, (fault, count) => {
        if (fault === null) resolve(count);
        else reject(asSystemError(fault, "read", "the open file"));
      });
    });
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #open(): number {
    if (this.#descriptor === null) throw new SystemError("EBADF", "read", "a closed file");
    return this.#descriptor;
  }
}

class PortableDirectory implements DirectoryHandle {
  readonly fd = null;
  readonly #tree: PortableTree;
  readonly #path: string;

  constructor(tree: PortableTree, path: string) {
    this.#tree = tree;
    this.#path = path;
  }

  facts(): FileFacts {
    return this.#tree.facts(this.#path);
  }

  *batches(): Generator<readonly DirectoryEntry[]> {
    const directory: Dir = attempt("opendir", this.#path, () => opendirSync(plain(this.#tree.root, this.#path)));
    try {
      for (;;) {
        const batch: DirectoryEntry[] = [];
        for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
          batch.push({ name: textOf(entry.name), kind: kindOfEntry(entry) });
          if (batch.length === BATCH_ENTRIES) break;
        }
        if (batch.length > 0) yield batch;
        if (batch.length < BATCH_ENTRIES) return;
      }
    } finally {
      directory.closeSync();
    }
  }

  factsOf(name: string): FileFacts | null {
    try {
      return this.#tree.facts(this.#join(name));
    } catch (fault) {
      if (fault instanceof SystemError && (fault.errno === "ENOENT" || fault.errno === "EILSEQ")) return null;
      throw fault;
    }
  }

  readLink(name: string): string | null {
    try {
      return this.#tree.readLink(this.#join(name));
    } catch (fault) {
      if (fault instanceof SystemError && (fault.errno === "ENOENT" || fault.errno === "EINVAL")) return null;
      throw fault;
    }
  }

  openDirectory(name: string): DirectoryHandle {
    return this.#tree.openDirectory(this.#join(name));
  }

  openFile(name: string): FileHandle {
    return this.#tree.openFile(this.#join(name));
  }

  close(): void {}

  [Symbol.dispose](): void {}

  #join(name: string): string {
    return pathIn(this.#path, name);
  }
}

/** Entries per batch, as many as a getdents64 call gives. */
const BATCH_ENTRIES = 1_000;

/** Facts of `path` after every parent was seen to be a real directory. */
function checkedFacts(root: string, path: string): FileFacts {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) throw new SystemError("EXDEV", "open", path);
  for (let count = 1; count < names.length; count++) {
    const parent = factsAt(root, names.slice(0, count).join("/"));
    if (parent.kind === "symlink") throw new SystemError("ELOOP", "open", path);
    if (parent.kind !== "directory") throw new SystemError("ENOTDIR", "open", path);
  }
  return factsAt(root, names.join("/"));
}

function factsAt(root: string, path: string): FileFacts {
  return attempt("lstat", path, () => factsOfStats(lstatSync(plain(root, path), { bigint: true })));
}

function plain(root: string, path: string): string {
  const text = pathToPlainText(path);
  // EILSEQ: these bytes are no text, and text is all that these calls take.
  if (text === null) throw new SystemError("EILSEQ", "open", path);
  return join(root, text);
}

function textOf(name: string): string {
  return pathToText(encodeUtf8(name));
}

function kindOfEntry(entry: Dirent): EntryKind | null {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "symlink" : null;
}

function attempt<T>(step: string, path: string, act: () => T): T {
  try {
    return act();
  } catch (fault) {
    throw asSystemError(fault, step, path);
  }
}

function asSystemError(fault: unknown, step: string, path: string): unknown {
  if (fault instanceof SystemError) return fault;
  const code = (fault as { code?: unknown }).code;
  if (typeof code === "string" && /^E[A-Z0-9]+$/.test(code)) return new SystemError(code, step, path);
  const permission = missingPermission(fault);
  return permission === null ? fault : new MissingPermission(permission, step, path);
}

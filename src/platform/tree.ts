/**
 * Files of one directory tree, opened so that nothing outside the tree is ever reached.
 *
 * Paths are relative to the root with `/`, in the text form of `base/path_text.ts`, without `..`; `.` is the root. No
 * operation here follows a symlink: where one stands on the way (or at the end, unless said otherwise) it fails with
 * `ELOOP`, and the caller resolves the link in user space and comes again (O-25). Every failure is a `SystemError`.
 *
 * Whoever opens a handle closes it; handles are `Disposable`, so `using file = tree.openFile(path)` does.
 */

import type { EntryKind, FileFacts } from "./file_facts.ts";
import { openLinuxTree } from "./linux/linux_tree.ts";
import { openPortableTree } from "./portable/portable_tree.ts";

/** An open regular file. */
export interface FileHandle extends Disposable {
  /** Descriptor number for system calls; null without FFI. */
  readonly fd: number | null;
  /** Fresh facts of the open object, whatever its name points at meanwhile. */
  facts(): FileFacts;
  /** Reads at `position` into `into`; returns the bytes read, 0 at the end. Blocks: for small reads. */
  readSync(into: Uint8Array<ArrayBuffer>, position: number): number;
  /** As `readSync`, without blocking. `into` belongs to the read until it settles; do not close before that. */
  read(into: Uint8Array<ArrayBuffer>, position: number): Promise<number>;
  close(): void;
}

/** An entry as the directory itself lists it. */
export interface DirectoryEntry {
  /** Text form (`base/path_text.ts`). */
  readonly name: string;
  /** Null where the file system does not say: ask `factsOf`. */
  readonly kind: EntryKind | null;
}

/** An open directory. Names given to its methods are single components. */
export interface DirectoryHandle extends Disposable {
  /** Descriptor number for `…at` system calls; null without FFI. */
  readonly fd: number | null;
  facts(): FileFacts;
  /** All entries except `.` and `..`, in the file system's order, in batches of bounded size. Can be read once. */
  batches(): Iterable<readonly DirectoryEntry[]>;
  /** Facts of an entry, of a link itself; null when it is gone. */
  factsOf(name: string): FileFacts | null;
  /** Target text of a link; null when there is no link of that name. */
  readLink(name: string): string | null;
  openDirectory(name: string): DirectoryHandle;
  openFile(name: string): FileHandle;
  close(): void;
}

/** A view of one tree for reading; one per workspace, closed with it. */
export interface Tree extends Disposable {
  /** Canonical absolute path of the root. */
  readonly root: string;
  /** Null when a name swapped at any moment cannot lead outside (O-25); else the reason why it may. */
  readonly raceReason: string | null;
  /** Facts of the object at `path`; a link at the end is described itself. */
  facts(path: string): FileFacts;
  /** Target text of the link at `path`. */
  readLink(path: string): string;
  /** Opens a regular file for reading. A FIFO, socket or device is not opened: `NotRegularError`. */
  openFile(path: string): FileHandle;
  /** Opens a directory for listing. */
  openDirectory(path: string): DirectoryHandle;
  /**
   * Canonical absolute path (text form) of any absolute path, following links anywhere; null where nothing is. It only
   * turns names into names: open what it returns through the tree.
   */
  canonical(absolute: string): string | null;
  close(): void;
}

/** Opens the tree at `root`, a canonical absolute path. @throws SystemError when it is no directory that can be opened */
export function openTree(root: string): Tree {
  return openLinuxTree(root) ?? openPortableTree(root);
}

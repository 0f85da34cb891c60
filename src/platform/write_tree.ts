/**
 * Changes to files of one directory tree, made relative to open directories so that a name swapped at any moment cannot
 * lead outside the tree (O-25).
 *
 * Nothing here follows a symlink. Each step (one system call that can fail) is announced to `beforeStep` first, which is
 * where tests inject faults and deaths. Every failure is a `SystemError`.
 */

import type { FileFacts } from "./file_facts.ts";
import { openLinuxWriteTree } from "./linux/linux_write_tree.ts";
import { openPortableWriteTree } from "./portable/portable_write_tree.ts";

/** What is announced before it is done; the name is also the `step` of the error when it fails. */
export type WriteStep =
  | "open"
  | "create"
  | "write"
  | "chown"
  | "setxattr"
  | "chmod"
  | "fsync"
  | "link"
  | "rename"
  | "unlink"
  | "mkdir"
  | "rmdir"
  | "fsync_directory"
  | "journal_write"
  | "journal_fsync"
  | "journal_remove";

/** Called before a step on `path` (relative to the root); whatever it throws is the step's failure. */
export type BeforeStep = (step: WriteStep, path: string) => void;

/** Extended attribute with its raw value. */
export interface ExtendedAttribute {
  readonly name: string;
  readonly value: Uint8Array<ArrayBuffer>;
}

/** A regular file as it was read. */
export interface ReadFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly facts: FileFacts;
  /** Empty where the system cannot say. */
  readonly attributes: readonly ExtendedAttribute[];
}

/** What a new file is given besides its bytes. */
export interface NewFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The twelve permission bits, set exactly (no umask). */
  readonly mode: number;
  /** Owner to take over where the process may; null: whoever runs this. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  readonly attributes: readonly ExtendedAttribute[];
}

/** An open directory; `name` is one component. The caller closes it. */
export interface WriteDirectory extends Disposable {
  /** Relative to the root, `.` for the root itself. */
  readonly path: string;
  /** Null when there is nothing of that name. */
  facts(name: string): FileFacts | null;
  /** Reads a regular file; anything else is refused without opening it (`EINVAL`). */
  read(name: string, options: { readonly limitBytes: number }): Promise<ReadFile>;
  /**
   * Makes a file that did not exist and forces it to the disk. Returns what could not be kept (`owner`, names of
   * extended attributes). After a failure the partial file is removed where that is possible.
   */
  create(name: string, file: NewFile): Promise<readonly string[]>;
  /** Gives the file a second name (linkat(2)). */
  link(name: string, second: string): void;
  /** Renames within this directory, over whatever is there. With `mustBeNew` an existing target is `EEXIST`. */
  rename(from: string, to: string, options?: { readonly mustBeNew: boolean }): void;
  unlink(name: string): void;
  makeDirectory(name: string): void;
  removeDirectory(name: string): void;
  /** Forces names in this directory to the disk. */
  sync(): Promise<void>;
  close(): void;
}

/** A view of one tree for changes; whoever opened it closes it. */
export interface WriteTree extends Disposable {
  /** Canonical absolute path. */
  readonly root: string;
  /** True when directories are held by descriptors, so that a swapped parent cannot lead outside. */
  readonly isRaceFree: boolean;
  /** Opens a directory for changes in it. @throws SystemError */
  openDirectory(path: string): WriteDirectory;
  close(): void;
}

/** Opens the tree at `root`, a canonical absolute path, for changes. */
export function openWriteTree(root: string, options: { readonly beforeStep?: BeforeStep } = {}): WriteTree {
  const beforeStep = options.beforeStep ?? (() => {});
  return openLinuxWriteTree(root, beforeStep) ?? openPortableWriteTree(root, beforeStep);
}

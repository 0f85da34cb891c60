/** The confined tree on Linux: every open is beneath a descriptor of the root, kept for the life of the tree. */

import { NotRegularError } from "../errno.ts";
import type { FileFacts } from "../file_facts.ts";
import { isSameObject } from "../file_facts.ts";
import type { DirectoryEntry, DirectoryHandle, FileHandle, Tree } from "../tree.ts";
import { directoryBatches } from "./directory_records.ts";
import {
  canonicalPath,
  closeDescriptor,
  factsOfDescriptor,
  factsOfName,
  type FileLibc,
  fileLibc,
  O_DIRECTORY,
  O_NOCTTY,
  O_NONBLOCK,
  O_PATH,
  O_RDONLY,
  readAt,
  readAtSync,
  readLinkAt,
} from "./file_calls.ts";
import { openBeneath, openRootDirectory } from "./open_beneath.ts";
import { SystemError } from "../errno.ts";

/** The tree at `root`, or null where FFI or Linux is missing. @throws SystemError when `root` is no directory */
export function openLinuxTree(root: string): Tree | null {
  const libc = fileLibc();
  return libc === null ? null : new LinuxTree(libc, root);
}

class LinuxTree implements Tree {
  readonly root: string;
  readonly raceReason = null;
  readonly #libc: FileLibc;
  readonly #fd: number;

  constructor(libc: FileLibc, root: string) {
    this.#libc = libc;
    this.root = root;
    this.#fd = openRootDirectory(libc, root);
  }

  facts(path: string): FileFacts {
    return factsBeneath(this.#libc, this.#fd, path);
  }

  readLink(path: string): string {
    const fd = openBeneath(this.#libc, { directory: this.#fd, path, flags: O_PATH });
    try {
      return readLinkAt(this.#libc, fd, "");
    } finally {
      closeDescriptor(this.#libc, fd);
    }
  }

  openFile(path: string): FileHandle {
    return openRegular(this.#libc, this.#fd, path);
  }

  openDirectory(path: string): DirectoryHandle {
    return openListable(this.#libc, this.#fd, path);
  }

  canonical(absolute: string): string | null {
    return canonicalPath(this.#libc, absolute);
  }

  close(): void {
    closeDescriptor(this.#libc, this.#fd);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

class LinuxFile implements FileHandle {
  readonly #libc: FileLibc;
  #fd: number;

  constructor(libc: FileLibc, fd: number) {
    this.#libc = libc;
    this.#fd = fd;
  }

  get fd(): number {
    return this.#fd;
  }

  facts(): FileFacts {
    return factsOfDescriptor(this.#libc, this.#fd, "the open file");
  }

  readSync(into: Uint8Array<ArrayBuffer>, position: number): number {
    return readAtSync(this.#libc, this.#fd, into, position);
  }

  read(into: Uint8Array<ArrayBuffer>, position: number): Promise<number> {
    return readAt(this.#libc, this.#fd, into, position);
  }

  close(): void {
    this.#fd = closeOnce(this.#libc, this.#fd);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

class LinuxDirectory implements DirectoryHandle {
  readonly #libc: FileLibc;
  #fd: number;

  constructor(libc: FileLibc, fd: number) {
    this.#libc = libc;
    this.#fd = fd;
  }

  get fd(): number {
    return this.#fd;
  }

  facts(): FileFacts {
    return factsOfDescriptor(this.#libc, this.#fd, "the open directory");
  }

  batches(): Iterable<readonly DirectoryEntry[]> {
    return directoryBatches(this.#libc, this.#fd);
  }

  factsOf(name: string): FileFacts | null {
    return orNull(() => factsOfName(this.#libc, this.#fd, name));
  }

  readLink(name: string): string | null {
    return orNull(() => readLinkAt(this.#libc, this.#fd, name));
  }

  openDirectory(name: string): DirectoryHandle {
    return openListable(this.#libc, this.#fd, name);
  }

  openFile(name: string): FileHandle {
    return openRegular(this.#libc, this.#fd, name);
  }

  close(): void {
    this.#fd = closeOnce(this.#libc, this.#fd);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function factsBeneath(libc: FileLibc, directory: number, path: string): FileFacts {
  const fd = openBeneath(libc, { directory, path, flags: O_PATH });
  try {
    return factsOfDescriptor(libc, fd, path);
  } finally {
    closeDescriptor(libc, fd);
  }
}

/**
 * Security: the object is looked at through O_PATH, which opens nothing, before it is opened: opening a FIFO wakes its
 * writer and opening a device may act. O_NONBLOCK covers the moment between the two, in which a name may be swapped.
 */
function openRegular(libc: FileLibc, directory: number, path: string): FileHandle {
  const seen = factsBeneath(libc, directory, path);
  if (seen.kind === "symlink") throw new SystemError("ELOOP", "open", path);
  if (seen.kind !== "file") throw new NotRegularError(seen.kind, path);
  const fd = openBeneath(libc, { directory, path, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY });
  try {
    const opened = factsOfDescriptor(libc, fd, path);
    if (!isSameObject(opened, seen) && opened.kind !== "file") throw new NotRegularError(opened.kind, path);
    return new LinuxFile(libc, fd);
  } catch (fault) {
    closeDescriptor(libc, fd);
    throw fault;
  }
}

function openListable(libc: FileLibc, directory: number, path: string): DirectoryHandle {
  return new LinuxDirectory(libc, openBeneath(libc, { directory, path, flags: O_RDONLY | O_DIRECTORY | O_NONBLOCK }));
}

/** Closes and gives the number that stands for "closed", so that a second close cannot hit a reused descriptor. */
function closeOnce(libc: FileLibc, fd: number): number {
  if (fd >= 0) closeDescriptor(libc, fd);
  return -1;
}

function orNull<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch (fault) {
    // ENOENT: the entry went away since it was listed. EINVAL: readlinkat on what is no link.
    if (fault instanceof SystemError && (fault.errno === "ENOENT" || fault.errno === "EINVAL")) return null;
    throw fault;
  }
}

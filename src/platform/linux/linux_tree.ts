/** The confined tree on Linux: every open is beneath a descriptor of the root, kept for the life of the tree. */

import { NotRegularError, SystemError } from "../errno.ts";
import { type FileFacts, isSameObject } from "../file_facts.ts";
import type { DirectoryEntry, DirectoryHandle, FileHandle, Tree } from "../tree.ts";
import { directoryBatches } from "./directory_batches.ts";
import {
  canonicalPath,
  closeDescriptor,
  factsOfDescriptor,
  factsOfName,
  type FileLibc,
  fileLibc,
  readAt,
  readAtSync,
  readLinkAt,
} from "./file_calls.ts";
import { openBeneath, openRootDirectory } from "./open_beneath.ts";
import { O_DIRECTORY, O_NOCTTY, O_NONBLOCK, O_PATH, O_RDONLY } from "./open_flags.ts";

/** The tree at `root`, or null where FFI or Linux is missing. @throws SystemError when `root` is no directory */
export function openLinuxTree(root: string): Tree | null {
  const libc = fileLibc();
  return libc === null ? null : new LinuxTree(libc, root);
}

/**
 * Milliseconds between two looks at whether the root's path still names the directory that is open: somebody may have
 * moved the workspace away and made it anew, and commands and git, which go by the path, would be in another tree.
 */
const ROOT_CHECK_MS = 500;

class LinuxTree implements Tree {
  readonly root: string;
  readonly raceReason = null;
  readonly #libc: FileLibc;
  #fd: number;
  #checkAt: number;

  constructor(libc: FileLibc, root: string) {
    this.#libc = libc;
    this.root = root;
    this.#fd = openRootDirectory(libc, root);
    this.#checkAt = performance.now() + ROOT_CHECK_MS;
  }

  facts(path: string): FileFacts {
    return factsBeneath(this.#libc, this.#root(), path);
  }

  readLink(path: string): string {
    const fd = openBeneath(this.#libc, { directory: this.#root(), path, flags: O_PATH });
    try {
      return readLinkAt(this.#libc, fd, "");
    } finally {
      closeDescriptor(this.#libc, fd);
    }
  }

  openFile(path: string): FileHandle {
    return openRegular(this.#libc, this.#root(), path);
  }

  openDirectory(path: string): DirectoryHandle {
    return openListable(this.#libc, this.#root(), path);
  }

  canonical(absolute: string): string | null {
    return canonicalPath(this.#libc, absolute);
  }

  close(): void {
    this.#fd = closeOnce(this.#libc, this.#fd);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Descriptor of the directory that the root's path names. */
  #root(): number {
    const now = performance.now();
    if (now < this.#checkAt || this.#fd < 0) return this.#fd;
    this.#checkAt = now + ROOT_CHECK_MS;
    let fresh: number;
    try {
      fresh = openRootDirectory(this.#libc, this.root);
    } catch {
      // Nothing is there now: the open directory stays, and what is asked of it fails for itself.
      return this.#fd;
    }
    const isSame = isSameObject(
      factsOfDescriptor(this.#libc, fresh, this.root),
      factsOfDescriptor(this.#libc, this.#fd, this.root),
    );
    closeDescriptor(this.#libc, isSame ? fresh : this.#fd);
    if (!isSame) this.#fd = fresh;
    return this.#fd;
  }
}

/** An open descriptor of the tree. */
class LinuxHandle {
  protected readonly libc: FileLibc;
  #fd: number;

  constructor(libc: FileLibc, fd: number) {
    this.libc = libc;
    this.#fd = fd;
  }

  get fd(): number {
    return this.#fd;
  }

  facts(): FileFacts {
    return factsOfDescriptor(this.libc, this.#fd, "what was opened");
  }

  close(): void {
    this.#fd = closeOnce(this.libc, this.#fd);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

class LinuxFile extends LinuxHandle implements FileHandle {
  readSync(into: Uint8Array<ArrayBuffer>, position: number): number {
    return readAtSync(this.libc, this.fd, into, position);
  }

  read(into: Uint8Array<ArrayBuffer>, position: number): Promise<number> {
    return readAt(this.libc, this.fd, into, position);
  }
}

class LinuxDirectory extends LinuxHandle implements DirectoryHandle {
  batches(): Iterable<readonly DirectoryEntry[]> {
    return directoryBatches(this.libc, this.fd);
  }

  factsOf(name: string): FileFacts | null {
    return orNull(() => factsOfName(this.libc, this.fd, name));
  }

  readLink(name: string): string | null {
    return orNull(() => readLinkAt(this.libc, this.fd, name));
  }

  openDirectory(name: string): DirectoryHandle {
    return openListable(this.libc, this.fd, name);
  }

  openFile(name: string): FileHandle {
    return openRegular(this.libc, this.fd, name);
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

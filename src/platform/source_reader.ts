/**
 * Reads many files of one directory quickly: one open, one read and one close each.
 *
 * The caller knows from the listing that a name was a regular file. Security: should the name be swapped since, the open
 * follows no link, waits for no writer (O_NONBLOCK) and takes no terminal; a directory fails to be read, and a FIFO gives
 * no bytes or those that its writer sends.
 */

import { SystemError } from "./errno.ts";
import { closeDescriptor, cPath, type FileLibc, fileLibc } from "./linux/file_calls.ts";
import { lastErrno, openLibc } from "./linux/libc.ts";
import type { DirectoryHandle, FileHandle } from "./tree.ts";
import { O_CLOEXEC, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } from "./linux/open_flags.ts";
import { EINTR } from "./linux/errno_numbers.ts";

/** An open file that is read from the start to the end. */
export interface SourceFile {
  /** Fills `into` as far as the next bytes go; returns their number, 0 at the end. @throws SystemError */
  read(into: Uint8Array<ArrayBuffer>): number;
  close(): void;
}

/** One per thread; it may reuse its buffers. */
export interface SourceReader {
  /** Opens the file `name` of `directory`; the caller closes it. @throws SystemError */
  open(directory: DirectoryHandle, name: string): SourceFile;
}

/** By system calls where FFI is permitted, else through the tree's own handles. */
export function createSourceReader(): SourceReader {
  const libc = fileLibc();
  return libc === null ? new PortableReader() : new LinuxReader(libc);
}

class LinuxReader implements SourceReader {
  readonly #libc: FileLibc;
  readonly #read: ReturnType<typeof openRead>;
  readonly #names = new Uint8Array(NAME_BYTES);
  readonly #encoder = new TextEncoder();

  constructor(libc: FileLibc) {
    this.#libc = libc;
    this.#read = openRead();
  }

  open(directory: DirectoryHandle, name: string): SourceFile {
    const fd = this.#libc.openat(directory.fd as number, this.#nameOf(name), OPEN_FLAGS, 0);
    if (fd < 0) throw new SystemError(lastErrno(), "open", name);
    return new LinuxSource(this.#libc, this.#read, fd);
  }

  /** The name with its NUL, in memory that the next call uses again. */
  #nameOf(name: string): Uint8Array<ArrayBuffer> {
    if (name.includes("\\") || name.length * 3 >= NAME_BYTES) return cPath(name);
    const { written } = this.#encoder.encodeInto(name, this.#names);
    this.#names[written] = 0;
    return this.#names;
  }
}

/** NAME_MAX is 255 bytes on Linux; three bytes for each UTF-16 unit at most. */
const NAME_BYTES = 1_024;
const OPEN_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

function openRead() {
  return openLibc({ read: { parameters: ["i32", "buffer", "usize"], result: "isize" } }).read;
}

class LinuxSource implements SourceFile {
  readonly #libc: FileLibc;
  readonly #read: ReturnType<typeof openRead>;
  readonly #fd: number;

  constructor(libc: FileLibc, read: ReturnType<typeof openRead>, fd: number) {
    this.#libc = libc;
    this.#read = read;
    this.#fd = fd;
  }

  read(into: Uint8Array<ArrayBuffer>): number {
    for (;;) {
      const count = Number(this.#read(this.#fd, into, into.length));
      if (count >= 0) return count;
      const errno = lastErrno();
      if (errno !== EINTR) throw new SystemError(errno, "read", `descriptor ${this.#fd}`);
    }
  }

  close(): void {
    closeDescriptor(this.#libc, this.#fd);
  }
}

class PortableReader implements SourceReader {
  open(directory: DirectoryHandle, name: string): SourceFile {
    return new PortableSource(directory.openFile(name));
  }
}

class PortableSource implements SourceFile {
  readonly #handle: FileHandle;
  #position = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  read(into: Uint8Array<ArrayBuffer>): number {
    const count = this.#handle.readSync(into, this.#position);
    this.#position += count;
    return count;
  }

  close(): void {
    this.#handle.close();
  }
}

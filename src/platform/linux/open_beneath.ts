/** Opens a name beneath a directory so that no symlink, `..` or mount trick leads out of it (O-25). */

import { SystemError } from "../errno.ts";
import { cPath, type FileLibc } from "./file_calls.ts";
import { lastErrno } from "./libc.ts";
import { O_CLOEXEC, O_DIRECTORY, O_NOFOLLOW, O_PATH } from "./open_flags.ts";
import { EAGAIN, EINTR, ENOSYS, ENOTDIR, EPERM } from "./errno_numbers.ts";
import { AT_FDCWD } from "./at_flags.ts";

/** One opening, in the terms of openat2(2). */
export interface OpenBeneath {
  /** Directory descriptor that the name must stay beneath. */
  readonly directory: number;
  /** Relative path in text form; `.` is the directory itself. */
  readonly path: string;
  /** open(2) flags; O_CLOEXEC is added, and no link is ever followed. */
  readonly flags: number;
  /** Permission bits with O_CREAT, else absent. */
  readonly mode?: number;
}

/**
 * Opens by openat2(2); the caller owns the descriptor.
 *
 * A symlink anywhere fails with ELOOP, except that O_PATH gives the link at the end itself.
 *
 * @throws SystemError with the errno of the kernel
 */
export function openBeneath(libc: FileLibc, request: OpenBeneath): number {
  if (!hasOpenat2) return walkBeneath(libc, request);
  const path = cPath(request.path);
  for (let attempt = 0;; attempt++) {
    // O_NOFOLLOW only where it means "the link itself": with O_DIRECTORY it would turn ELOOP into ENOTDIR.
    const isLookOnly = (request.flags & (O_PATH | O_DIRECTORY)) === O_PATH;
    const how = new BigUint64Array([
      BigInt(request.flags | O_CLOEXEC | (isLookOnly ? O_NOFOLLOW : 0)),
      BigInt(request.mode ?? 0),
      RESOLVE_CONFINED,
    ]);
    const fd = Number(libc.openat2(SYS_OPENAT2, BigInt(request.directory), path, new Uint8Array(how.buffer), 24n));
    if (fd >= 0) return fd;
    const errno = lastErrno();
    // EAGAIN: a rename raced with the walk and the kernel could not prove that it stayed inside (openat2(2)).
    if ((errno === EAGAIN && attempt < RACE_ATTEMPTS) || errno === EINTR) continue;
    if (errno === ENOSYS || (errno === EPERM && !openat2Works(libc))) {
      hasOpenat2 = false;
      return walkBeneath(libc, request);
    }
    throw new SystemError(errno, "openat2", request.path);
  }
}

/** Opens a canonical absolute directory, no link itself, as the root of a tree. The caller owns the descriptor. */
export function openRootDirectory(libc: FileLibc, absolute: string): number {
  const fd = libc.openat(AT_FDCWD, cPath(absolute), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
  if (fd < 0) throw new SystemError(lastErrno(), "open", absolute);
  return fd;
}

/** RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH (linux/openat2.h). */
const RESOLVE_CONFINED = 0x02n | 0x04n | 0x08n;
const SYS_OPENAT2 = 437n;
/** Retries of a walk that raced with renames; each is one system call. */
const RACE_ATTEMPTS = 64;

/** False on kernels before 5.6 and where a container's filter refuses the call; a fact about this process, found once. */
let hasOpenat2 = true;

function openat2Works(libc: FileLibc): boolean {
  const how = new BigUint64Array([BigInt(O_PATH | O_CLOEXEC), 0n, 0n]);
  const fd = Number(libc.openat2(SYS_OPENAT2, BigInt(AT_FDCWD), cPath("/"), new Uint8Array(how.buffer), 24n));
  if (fd >= 0) libc.close(fd);
  return fd >= 0;
}

/** The same promise without openat2: one component at a time, each opened in its parent's descriptor without following. */
function walkBeneath(libc: FileLibc, request: OpenBeneath): number {
  const names = request.path.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) throw new SystemError("EXDEV", "open", request.path);
  let directory = request.directory;
  for (let at = 0; at < names.length - 1; at++) {
    const next = openOne(libc, directory, { ...request, path: names[at] as string, flags: O_PATH | O_DIRECTORY });
    if (directory !== request.directory) libc.close(directory);
    directory = next;
  }
  try {
    return openOne(libc, directory, { ...request, path: names.at(-1) ?? "." });
  } finally {
    if (directory !== request.directory) libc.close(directory);
  }
}

function openOne(libc: FileLibc, directory: number, request: OpenBeneath): number {
  const path = cPath(request.path);
  const fd = libc.openat(directory, path, request.flags | O_CLOEXEC | O_NOFOLLOW, request.mode ?? 0);
  if (fd >= 0) return fd;
  const errno = lastErrno();
  // O_DIRECTORY on a link says ENOTDIR (open(2)); the caller must learn that it is a link.
  if (errno === ENOTDIR && isLink(libc, directory, path)) throw new SystemError("ELOOP", "open", request.path);
  throw new SystemError(errno, "open", request.path);
}

function isLink(libc: FileLibc, directory: number, path: Uint8Array<ArrayBuffer>): boolean {
  return Number(libc.readlinkat(directory, path, new Uint8Array(1), 1n)) >= 0;
}

/** System calls that change files, relative to directory descriptors (linkat(2), renameat2(2), statx(2) and others). */

import { errnoName, SystemError } from "../errno.ts";
import { type EntryKind, type FileFacts, kindOfMode } from "../file_facts.ts";
import type { ExtendedAttribute } from "../write_tree.ts";
import { lastErrno, openLibc } from "./libc.ts";
import { O_CLOEXEC, O_NOFOLLOW } from "./open_flags.ts";
import { AT_EMPTY_PATH, AT_REMOVEDIR, AT_SYMLINK_NOFOLLOW } from "./at_flags.ts";

/** Renaming fails where the target exists (renameat2(2)). */
export const RENAME_NOREPLACE = 1;
const STATX_BASIC_STATS = 0x7ff;
const SYS_OPENAT2 = 437n;
/** openat2(2): BENEATH | NO_SYMLINKS | NO_MAGICLINKS. */
const RESOLVE_CONFINED = 0x08n | 0x04n | 0x02n;
const LOCK_EX_NB = 2 | 4;
/** Bytes of struct statx. */
const STATX_BYTES = 256;
/** Up to this size a copy to or from the page cache is cheaper than a hop to another thread (about 0.1 ms). */
const BLOCKING_BYTES = 1 << 18;
/** One write(2) or read(2) moves at most this much, so that a fault is noticed early. */
const CHUNK_BYTES = 1 << 24;

const SYMBOLS = {
  open: { parameters: ["buffer", "i32", "u32"], result: "i32" },
  openat: { parameters: ["i32", "buffer", "i32", "u32"], result: "i32" },
  openat2: { name: "syscall", parameters: ["i64", "i64", "buffer", "buffer", "u64"], result: "i64" },
  close: { parameters: ["i32"], result: "i32" },
  statx: { parameters: ["i32", "buffer", "i32", "u32", "buffer"], result: "i32" },
  pread: { parameters: ["i32", "buffer", "usize", "i64"], result: "isize" },
  preadSlow: { name: "pread", parameters: ["i32", "buffer", "usize", "i64"], result: "isize", nonblocking: true },
  pwrite: { parameters: ["i32", "buffer", "usize", "i64"], result: "isize" },
  pwriteSlow: { name: "pwrite", parameters: ["i32", "buffer", "usize", "i64"], result: "isize", nonblocking: true },
  fsync: { parameters: ["i32"], result: "i32" },
  fsyncSlow: { name: "fsync", parameters: ["i32"], result: "i32", nonblocking: true },
  fchmod: { parameters: ["i32", "u32"], result: "i32" },
  fchown: { parameters: ["i32", "u32", "u32"], result: "i32" },
  flistxattr: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  fgetxattr: { parameters: ["i32", "buffer", "buffer", "usize"], result: "isize" },
  fsetxattr: { parameters: ["i32", "buffer", "buffer", "usize", "i32"], result: "i32" },
  fremovexattr: { parameters: ["i32", "buffer"], result: "i32" },
  linkat: { parameters: ["i32", "buffer", "i32", "buffer", "i32"], result: "i32" },
  renameat2: { parameters: ["i32", "buffer", "i32", "buffer", "u32"], result: "i32" },
  unlinkat: { parameters: ["i32", "buffer", "i32"], result: "i32" },
  mkdirat: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  flock: { parameters: ["i32", "i32"], result: "i32" },
} as const;

type Libc = ReturnType<typeof openLibc<typeof SYMBOLS>>;
type Name = Uint8Array<ArrayBuffer>;

let loaded: Libc | undefined;

/** The calls; throws what `Deno.dlopen` throws where FFI is not possible. */
function libc(): Libc {
  loaded ??= openLibc(SYMBOLS);
  return loaded;
}

/** True where these calls can be used; the reason is not needed because the portable way exists. */
export function canCall(): boolean {
  if (Deno.build.os !== "linux") return false;
  try {
    libc();
    return true;
  } catch {
    // No FFI permission, or a C library without one of the symbols.
    return false;
  }
}

/** Opens an absolute path (open(2)). */
export function openAbsolute(path: Name, flags: number): number {
  return checked(libc().open(path, flags | O_CLOEXEC, 0o600));
}

/** Opens beneath `directory` without following any link (openat2(2)). */
export function openBeneath(directory: number, path: Name, flags: number): number {
  const how = new Uint8Array(new BigUint64Array([BigInt(flags | O_CLOEXEC), 0n, RESOLVE_CONFINED]).buffer);
  for (let attempt = 0;; attempt++) {
    const fd = Number(libc().openat2(SYS_OPENAT2, BigInt(directory), path, how, 24n));
    if (fd >= 0) return fd;
    const errno = lastErrno();
    // EAGAIN: something was renamed during the walk (openat2(2), NOTES); a few tries settle it.
    if (errnoName(errno) !== "EAGAIN" || attempt >= 8) throw failure(errno);
  }
}

/** Opens one name in `directory`, never through a link. */
export function openName(directory: number, name: Name, flags: number): number {
  return checked(libc().openat(directory, name, flags | O_CLOEXEC | O_NOFOLLOW, 0o600));
}

/** close(2); its failure is not looked at, because the descriptor is gone either way. */
export function closeDescriptor(fd: number): void {
  libc().close(fd);
}

/** Facts of one name in a directory; null when nothing is there. */
export function factsOfName(directory: number, name: Name): FileFacts | null {
  const buffer = new Uint8Array(STATX_BYTES);
  if (libc().statx(directory, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, buffer) === 0) return decodeStatx(buffer);
  const errno = lastErrno();
  if (errnoName(errno) === "ENOENT") return null;
  throw failure(errno);
}

/** Facts of an open file. */
export function factsOfDescriptor(fd: number): FileFacts {
  const buffer = new Uint8Array(STATX_BYTES);
  checked(libc().statx(fd, EMPTY_NAME, AT_EMPTY_PATH, STATX_BASIC_STATS, buffer));
  return decodeStatx(buffer);
}

/** Reads until the end or until `into` is full; returns the bytes read. */
export async function readAll(fd: number, into: Uint8Array<ArrayBuffer>): Promise<number> {
  let at = 0;
  while (at < into.length) {
    const part = into.subarray(at, at + CHUNK_BYTES);
    let count = Number(
      part.length <= BLOCKING_BYTES
        ? libc().pread(fd, part, BigInt(part.length), BigInt(at))
        : await libc().preadSlow(fd, part, BigInt(part.length), BigInt(at)),
    );
    // errno of the other thread is not visible here: the same call is made again on this one to learn it.
    if (count < 0) count = checked(Number(libc().pread(fd, part, BigInt(part.length), BigInt(at))));
    if (count === 0) break;
    at += count;
  }
  return at;
}

/** Writes everything from the start of the file. */
export async function writeAll(fd: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  let at = 0;
  while (at < bytes.length) {
    const part = bytes.subarray(at, at + CHUNK_BYTES);
    let count = Number(
      part.length <= BLOCKING_BYTES
        ? libc().pwrite(fd, part, BigInt(part.length), BigInt(at))
        : await libc().pwriteSlow(fd, part, BigInt(part.length), BigInt(at)),
    );
    // A failed write wrote nothing: the same call on this thread fails alike and tells why.
    if (count < 0) count = checked(Number(libc().pwrite(fd, part, BigInt(part.length), BigInt(at))));
    at += count;
  }
}

/** Forces a file or directory to the disk without blocking the thread. */
export async function syncDescriptor(fd: number): Promise<void> {
  if (await libc().fsyncSlow(fd) === 0) return;
  checked(libc().fsync(fd));
  // The kernel reports a lost write once (fsync(2)): the second call's success does not take it back.
  throw new SystemError("EIO", "fsync", "");
}

/** fchmod(2). @throws SystemError */
export function changeMode(fd: number, mode: number): void {
  checked(libc().fchmod(fd, mode));
}

/** fchown(2). @throws SystemError */
export function changeOwner(fd: number, uid: number, gid: number): void {
  checked(libc().fchown(fd, uid, gid));
}

/** Extended attributes of an open file (listxattr(7)), access control lists and labels included; empty where unsupported. */
export function readAttributes(fd: number): ExtendedAttribute[] {
  const list = new Uint8Array(65_536);
  const length = Number(libc().flistxattr(fd, list, BigInt(list.length)));
  if (length <= 0) return [];
  const found: ExtendedAttribute[] = [];
  for (const name of new TextDecoder().decode(list.subarray(0, length)).split("\0")) {
    if (name === "") continue;
    const value = new Uint8Array(65_536);
    const bytes = Number(libc().fgetxattr(fd, new TextEncoder().encode(name + "\0"), value, BigInt(value.length)));
    if (bytes >= 0) found.push({ name, value: value.slice(0, bytes) });
  }
  return found;
}

/** fsetxattr(2), made or replaced. @throws SystemError */
export function setAttribute(fd: number, attribute: ExtendedAttribute): void {
  const name = new TextEncoder().encode(attribute.name + "\0");
  // A zero-length buffer has no address to pass; the size argument alone says that it is empty.
  const value = attribute.value.length > 0 ? attribute.value : new Uint8Array(1);
  checked(libc().fsetxattr(fd, name, value, BigInt(attribute.value.length), 0));
}

/** Removes an attribute if it is there and may be removed. */
export function removeAttribute(fd: number, name: string): void {
  libc().fremovexattr(fd, new TextEncoder().encode(name + "\0"));
}

/** linkat(2) within one directory; a link that stands there is linked itself. @throws SystemError */
export function linkName(directory: number, name: Name, second: Name): void {
  checked(libc().linkat(directory, name, directory, second, 0));
}

/** renameat2(2) within one directory. @throws SystemError */
export function renameName(directory: number, from: Name, to: Name, flags: number): void {
  checked(libc().renameat2(directory, from, directory, to, flags));
}

/** unlinkat(2) of what is no directory. @throws SystemError */
export function unlinkName(directory: number, name: Name): void {
  checked(libc().unlinkat(directory, name, 0));
}

/** mkdirat(2) with mode 0777 less the umask. @throws SystemError */
export function makeDirectoryAt(directory: number, name: Name): void {
  checked(libc().mkdirat(directory, name, 0o777));
}

/** unlinkat(2) of an empty directory. @throws SystemError */
export function removeDirectoryAt(directory: number, name: Name): void {
  checked(libc().unlinkat(directory, name, AT_REMOVEDIR));
}

/** Takes the exclusive lock of an open file if it is free (flock(2)); it ends with the descriptor or the process. */
export function tryLockDescriptor(fd: number): boolean {
  if (libc().flock(fd, LOCK_EX_NB) === 0) return true;
  const errno = lastErrno();
  if (errnoName(errno) === "EAGAIN" || errnoName(errno) === "EINTR") return false;
  throw failure(errno);
}

const EMPTY_NAME = new Uint8Array(1);

function checked(result: number): number {
  if (result < 0) throw failure(lastErrno());
  return result;
}

/** Step and path are filled in by the caller, who knows them. */
function failure(errno: number): SystemError {
  return new SystemError(errno, "", "");
}

/** Layout of struct statx (statx(2)), the same on every architecture. */
function decodeStatx(buffer: Uint8Array<ArrayBuffer>): FileFacts {
  const view = new DataView(buffer.buffer);
  const mode = view.getUint16(28, true);
  const nanoseconds = (at: number) =>
    view.getBigInt64(at, true) * 1_000_000_000n + BigInt(view.getUint32(at + 8, true));
  const kind: EntryKind = kindOfMode(mode);
  return {
    kind,
    size: Number(view.getBigUint64(40, true)),
    mode: mode & 0o7777,
    dev: view.getUint32(136, true) * 0x100000 + view.getUint32(140, true),
    ino: view.getBigUint64(32, true),
    nlink: view.getUint32(16, true),
    uid: view.getUint32(20, true),
    gid: view.getUint32(24, true),
    changedNs: nanoseconds(96),
    modifiedNs: nanoseconds(112),
  };
}

/** The system calls that the confined tree needs, with errors turned into `SystemError`. */

import { pathToBytes, pathToText } from "../../base/path_text.ts";
import { SystemError } from "../errno.ts";
import { type FileFacts, kindOfMode } from "../file_facts.ts";
import { lastErrno, openLibc } from "./libc.ts";
import { EINTR } from "./errno_numbers.ts";
import { AT_EMPTY_PATH, AT_FDCWD, AT_SYMLINK_NOFOLLOW } from "./at_flags.ts";

/** The calls of libc that this room uses. */
export type FileLibc = ReturnType<typeof openFileLibc>;

/** The calls, or null where FFI is not permitted or this is not Linux. */
export function fileLibc(): FileLibc | null {
  if (loaded !== undefined) return loaded;
  try {
    loaded = isSupportedHost() ? openFileLibc() : null;
  } catch {
    // No FFI, or a C library without these names: the portable tree serves.
    loaded = null;
  }
  return loaded;
}

/** Closes a descriptor. An error is ignored: the number is gone in any case (close(2)). */
export function closeDescriptor(libc: FileLibc, fd: number): void {
  libc.close(fd);
}

/** Facts of an open descriptor. */
export function factsOfDescriptor(libc: FileLibc, fd: number, path: string): FileFacts {
  return statxAt(libc, fd, { name: EMPTY, flags: AT_EMPTY_PATH, path });
}

/** Facts of `name` in the directory `fd`, of a link itself. */
export function factsOfName(libc: FileLibc, fd: number, name: string): FileFacts {
  return statxAt(libc, fd, { name: cPath(name), flags: AT_SYMLINK_NOFOLLOW, path: name });
}

/** Facts of what stands at `path`, links followed. @throws SystemError */
export function factsOfPath(libc: FileLibc, path: string): FileFacts {
  return statxAt(libc, AT_FDCWD, { name: cPath(path), flags: 0, path });
}

/** Target of the link `name` in the directory `fd`; with an empty name, of the link that `fd` itself is (readlinkat(2)). */
export function readLinkAt(libc: FileLibc, fd: number, name: string): string {
  const target = new Uint8Array(PATH_MAX_BYTES);
  const length = Number(libc.readlinkat(fd, cPath(name), target, BigInt(target.length)));
  if (length < 0) throw new SystemError(lastErrno(), "readlinkat", name);
  return pathToText(target.subarray(0, length));
}

/** Bytes read at `position`; 0 at the end. */
export function readAtSync(libc: FileLibc, fd: number, into: Uint8Array<ArrayBuffer>, position: number): number {
  for (;;) {
    const count = Number(libc.pread(fd, into, BigInt(into.length), BigInt(position)));
    if (count >= 0) return count;
    const errno = lastErrno();
    if (errno !== EINTR) throw new SystemError(errno, "read", `descriptor ${fd}`);
  }
}

/** As `readAtSync`, on another thread. */
export async function readAt(
  libc: FileLibc,
  fd: number,
  into: Uint8Array<ArrayBuffer>,
  position: number,
): Promise<number> {
  // The parameter `into` stays referenced by this frame until the call settles, as nonblocking FFI demands (O-52).
  const count = Number(await libc.preadLater(fd, into, BigInt(into.length), BigInt(position)));
  // errno of the other thread is out of reach: the same call made here fails the same way, or succeeds.
  return count >= 0 ? count : readAtSync(libc, fd, into, position);
}

/** Raw `linux_dirent64` records (getdents64(2)); the bytes filled, 0 at the end. */
export function readDirectoryRecords(libc: FileLibc, fd: number, into: Uint8Array<ArrayBuffer>): number {
  const count = Number(libc.getdents64(SYS_GETDENTS64, BigInt(fd), into, BigInt(into.length)));
  if (count < 0) throw new SystemError(lastErrno(), "getdents64", `descriptor ${fd}`);
  return count;
}

/** Canonical form of any absolute path; null where nothing is (realpath(3)). */
export function canonicalPath(libc: FileLibc, absolute: string): string | null {
  const resolved = new Uint8Array(PATH_MAX_BYTES);
  if (libc.realpath(cPath(absolute), resolved) === null) return null;
  return pathToText(resolved.subarray(0, resolved.indexOf(0)));
}

/** NUL-terminated bytes of a path in text form. */
export function cPath(text: string): Uint8Array<ArrayBuffer> {
  const bytes = pathToBytes(text);
  const terminated = new Uint8Array(bytes.length + 1);
  terminated.set(bytes);
  return terminated;
}

/** `PATH_MAX` with its NUL, linux/limits.h. */
const PATH_MAX_BYTES = 4096;
/** Type, mode, link count, owner, times, inode, size (statx(2)): everything but blocks and birth time. */
const STATX_WANTED = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x40 | 0x80 | 0x100 | 0x200;
const IS_ARM64 = Deno.build.arch === "aarch64";
const SYS_STATX = IS_ARM64 ? 291n : 332n;
const SYS_GETDENTS64 = IS_ARM64 ? 61n : 217n;
const EMPTY = new Uint8Array(1);

let loaded: FileLibc | null | undefined;

function isSupportedHost(): boolean {
  return Deno.build.os === "linux" && (Deno.build.arch === "x86_64" || Deno.build.arch === "aarch64") &&
    // Asked first: a terminal would get a question from dlopen itself.
    Deno.permissions.querySync({ name: "ffi" }).state === "granted";
}

function openFileLibc() {
  return openLibc({
    openat2: { name: "syscall", parameters: ["i64", "i64", "buffer", "buffer", "u64"], result: "i64" },
    openat: { parameters: ["i32", "buffer", "i32", "u32"], result: "i32" },
    statx: { name: "syscall", parameters: ["i64", "i64", "buffer", "i64", "u64", "buffer"], result: "i64" },
    getdents64: { name: "syscall", parameters: ["i64", "i64", "buffer", "u64"], result: "i64" },
    readlinkat: { parameters: ["i32", "buffer", "buffer", "usize"], result: "isize" },
    realpath: { parameters: ["buffer", "buffer"], result: "pointer" },
    pread: { parameters: ["i32", "buffer", "usize", "i64"], result: "isize" },
    preadLater: { name: "pread", parameters: ["i32", "buffer", "usize", "i64"], result: "isize", nonblocking: true },
    close: { parameters: ["i32"], result: "i32" },
  });
}

interface StatxTarget {
  readonly name: Uint8Array<ArrayBuffer>;
  readonly flags: number;
  /** For messages. */
  readonly path: string;
}

/** `struct statx` has one layout on every architecture, unlike `struct stat` (statx(2), linux/stat.h). */
function statxAt(libc: FileLibc, fd: number, target: StatxTarget): FileFacts {
  const buffer = new Uint8Array(256);
  const result = libc.statx(SYS_STATX, BigInt(fd), target.name, BigInt(target.flags), BigInt(STATX_WANTED), buffer);
  if (result < 0n) throw new SystemError(lastErrno(), "statx", target.path);
  const view = new DataView(buffer.buffer);
  const mode = view.getUint16(28, true);
  return {
    kind: kindOfMode(mode),
    size: Number(view.getBigUint64(40, true)),
    mode: mode & 0o7777,
    dev: deviceNumber(view.getUint32(136, true), view.getUint32(140, true)),
    ino: view.getBigUint64(32, true),
    nlink: view.getUint32(16, true),
    uid: view.getUint32(20, true),
    gid: view.getUint32(24, true),
    modifiedNs: view.getBigInt64(112, true) * 1_000_000_000n + BigInt(view.getUint32(120, true)),
    changedNs: view.getBigInt64(96, true) * 1_000_000_000n + BigInt(view.getUint32(104, true)),
  };
}

/** Major and minor joined as `stat` shows them (makedev(3)). */
function deviceNumber(major: number, minor: number): number {
  return Math.floor(major / 0x1000) * 0x1_0000_0000 + (minor >>> 8) * 0x10_0000 + (major & 0xfff) * 0x100 +
    (minor & 0xff);
}

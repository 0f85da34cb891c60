/**
 * Size and time of many entries of one directory, quickly: what a listing of ten thousand files shows of each.
 *
 * `DirectoryHandle.factsOf` says everything of one entry and makes a dozen objects for it; this makes one.
 */

import { pathToBytes } from "../base/path_text.ts";
import { SystemError } from "./errno.ts";
import { fileLibc } from "./linux/file_calls.ts";
import { lastErrno, openLibc } from "./linux/libc.ts";
import type { DirectoryHandle } from "./tree.ts";
import { ENOENT } from "./linux/errno_numbers.ts";
import { AT_SYMLINK_NOFOLLOW } from "./linux/at_flags.ts";

/** What a listing shows of an entry beside its name and kind. */
export interface EntryStamp {
  /** Bytes. */
  readonly size: number;
  /** Last change of the content, whole milliseconds since 1970. */
  readonly modifiedMs: number;
}

/** Asks for the stamp of `name` in `directory`, of a link itself; null when it is gone. @throws SystemError */
export type ReadStamp = (directory: DirectoryHandle, name: string) => EntryStamp | null;

/** By one system call each where FFI is permitted, else through the handle. One per thread. */
export function createStampReader(): ReadStamp {
  return fileLibc() === null ? readStampByHandle : createLinuxStampReader();
}

function readStampByHandle(directory: DirectoryHandle, name: string): EntryStamp | null {
  const facts = directory.factsOf(name);
  return facts === null ? null : { size: facts.size, modifiedMs: Number(facts.modifiedNs / NS_PER_MS) };
}

const NS_PER_MS = 1_000_000n;
const SYS_STATX = Deno.build.arch === "aarch64" ? 291n : 332n;
/** STATX_MTIME | STATX_SIZE (statx(2)). */
const STATX_WANTED = 0x40 | 0x200;
/** NAME_MAX is 255 bytes; a longer name takes the long way and fails there. */
const NAME_BYTES = 1_024;

function createLinuxStampReader(): ReadStamp {
  const { statx } = openLibc({
    statx: { name: "syscall", parameters: ["i64", "i32", "buffer", "i32", "u32", "buffer"], result: "i64" },
  });
  const names = new Uint8Array(NAME_BYTES);
  const answer = new DataView(new ArrayBuffer(256));
  const answerBytes = new Uint8Array(answer.buffer);
  const encoder = new TextEncoder();
  return (directory, name) => {
    if (name.length * 3 >= NAME_BYTES) return readStampByHandle(directory, name);
    if (name.includes("\\")) {
      const bytes = pathToBytes(name);
      names.set(bytes);
      names[bytes.length] = 0;
    } else names[encoder.encodeInto(name, names).written] = 0;
    const fd = directory.fd as number;
    if (statx(SYS_STATX, fd, names, AT_SYMLINK_NOFOLLOW, STATX_WANTED, answerBytes) < 0n) {
      const errno = lastErrno();
      if (errno === ENOENT) return null;
      throw new SystemError(errno, "statx", name);
    }
    // struct statx: stx_size at 40, stx_mtime at 112 (seconds, then nanoseconds); halves join without a BigInt.
    const size = answer.getUint32(44, true) * 0x1_0000_0000 + answer.getUint32(40, true);
    const seconds = answer.getInt32(116, true) * 0x1_0000_0000 + answer.getUint32(112, true);
    return { size, modifiedMs: seconds * 1_000 + Math.floor(answer.getUint32(120, true) / 1e6) };
  };
}

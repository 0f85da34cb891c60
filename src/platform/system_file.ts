/**
 * Files of `/proc`, `/sys` and `/dev`, read through libc.
 *
 * Deno's own file calls refuse these places to a process that gave up any permission, and this one gives up the network
 * when it serves stdio (O-53). Without FFI the plain calls are tried, which then work or fail as Deno decides.
 */

import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { pathToBytes } from "../base/path_text.ts";
import { SystemError } from "./errno.ts";
import { directoryBatches } from "./linux/directory_batches.ts";
import { cPath, factsOfPath, type FileLibc, fileLibc, readLinkAt } from "./linux/file_calls.ts";
import { lastErrno, openLibc } from "./linux/libc.ts";
import { O_CLOEXEC, O_DIRECTORY, O_RDONLY } from "./linux/open_flags.ts";
import { AT_FDCWD } from "./linux/at_flags.ts";

/** Whole content, each byte one character. Files here have no size of their own, so they are read to their end. @throws SystemError */
export function readSystemFile(path: string): string {
  const libc = fileLibc();
  if (libc === null) return readFileSync(path, "latin1");
  const { read } = calls();
  return withDescriptor(libc, { path, flags: O_RDONLY }, (fd) => {
    const chunk = new Uint8Array(CHUNK_BYTES);
    let text = "";
    for (;;) {
      const count = Number(read(fd, chunk, BigInt(chunk.length)));
      if (count < 0) throw new SystemError(lastErrno(), "read", path);
      if (count === 0) return text;
      text += String.fromCharCode(...chunk.subarray(0, count));
    }
  });
}

/** Names in a directory, in the kernel's order. @throws SystemError */
export function listSystemDirectory(path: string): string[] {
  const libc = fileLibc();
  if (libc === null) return readdirSync(path);
  return withDescriptor(libc, { path, flags: O_RDONLY | O_DIRECTORY }, (fd) => {
    const names: string[] = [];
    for (const batch of directoryBatches(libc, fd)) for (const entry of batch) names.push(entry.name);
    return names;
  });
}

/** Target of a symbolic link. @throws SystemError */
export function readSystemLink(path: string): string {
  const libc = fileLibc();
  return libc === null ? readlinkSync(path) : readLinkAt(libc, AT_FDCWD, path);
}

/** `device:inode` of what stands at any path, links followed; null when nothing does. */
export function identityOf(path: string): string | null {
  const libc = fileLibc();
  if (libc === null) {
    const facts = statSync(path, { bigint: true, throwIfNoEntry: false });
    return facts === undefined ? null : `${facts.dev}:${facts.ino}`;
  }
  if (pathToBytes(path).includes(0)) return null;
  try {
    const { dev, ino } = factsOfPath(libc, path);
    return `${dev}:${ino}`;
  } catch {
    // Not there, or not reachable: for a comparison both are "nothing".
    return null;
  }
}

/** One page of memory: most of these files fit. */
const CHUNK_BYTES = 4_096;

function withDescriptor<T>(
  libc: FileLibc,
  { path, flags }: { path: string; flags: number },
  use: (fd: number) => T,
): T {
  if (pathToBytes(path).includes(0)) throw new SystemError("EINVAL", "open", path);
  const fd = calls().open(cPath(path), flags | O_CLOEXEC);
  if (fd < 0) throw new SystemError(lastErrno(), "open", path);
  try {
    return use(fd);
  } finally {
    libc.close(fd);
  }
}

function openCalls() {
  return openLibc({
    open: { parameters: ["buffer", "i32"], result: "i32" },
    read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  });
}

let loaded: ReturnType<typeof openCalls> | undefined;

function calls(): ReturnType<typeof openCalls> {
  return loaded ??= openCalls();
}

/** An exclusive lock between processes that the kernel releases when its owner dies (flock(2)). */

import { SystemError } from "./errno.ts";
import { canCall, closeDescriptor, factsOfDescriptor, openAbsolute, tryLockDescriptor } from "./linux/write_calls.ts";
import { cString } from "./linux/libc.ts";
import { O_CREAT, O_RDWR } from "./linux/open_flags.ts";

/** A lock that is held; the kernel takes it back when the process ends. */
export interface FileLock {
  release(): void;
}

/**
 * Takes the lock on the file at `path` (made if missing), waiting up to `deadlineMs`; null when it stayed taken.
 * @throws the signal's reason when it is aborted
 */
export async function acquireFileLock(
  path: string,
  options: { readonly signal?: AbortSignal; readonly deadlineMs: number },
): Promise<FileLock | null> {
  const deadline = performance.now() + options.deadlineMs;
  for (let waitMs = 1;; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    options.signal?.throwIfAborted();
    const lock = tryLock(path);
    if (lock !== null) return lock;
    if (performance.now() >= deadline) return null;
    // The jitter keeps several waiting servers from trying at the same moments.
    await new Promise((resolve) => setTimeout(resolve, waitMs * (0.5 + Math.random())));
  }
}

/** Longest pause between two tries: about the time of a small commit. */
const MAX_WAIT_MS = 16;

function tryLock(path: string): FileLock | null {
  return canCall() ? tryLockByCalls(path) : tryLockByDeno(path);
}

function tryLockByCalls(path: string): FileLock | null {
  const fd = openNamed(path);
  try {
    if (tryLockDescriptor(fd) && isStill(path, factsOfDescriptor(fd).ino)) {
      return { release: () => closeDescriptor(fd) };
    }
  } catch (fault) {
    closeDescriptor(fd);
    throw fault;
  }
  closeDescriptor(fd);
  return null;
}

function openNamed(path: string): number {
  try {
    return openAbsolute(cString(path), O_RDWR | O_CREAT);
  } catch (fault) {
    throw fault instanceof SystemError ? new SystemError(fault.errno, "lock", path) : fault;
  }
}

function tryLockByDeno(path: string): FileLock | null {
  const file = Deno.openSync(path, { read: true, write: true, create: true, mode: 0o600 });
  // Deno 2.6 has only the waiting form; waiting there blocks this thread while another server writes, never for long.
  const { tryLockSync } = file as { tryLockSync?: (exclusive: boolean) => boolean };
  const isFree = tryLockSync === undefined ? (file.lockSync(true), true) : tryLockSync.call(file, true);
  if (isFree && isStill(path, BigInt(file.statSync().ino ?? 0))) return { release: () => file.close() };
  file.close();
  return null;
}

/** False when the file was removed or replaced after it was opened: then others lock another file. */
function isStill(path: string, inode: bigint): boolean {
  try {
    return BigInt(Deno.statSync(path).ino ?? 0) === inode;
  } catch {
    // Gone: the next try makes it anew.
    return false;
  }
}

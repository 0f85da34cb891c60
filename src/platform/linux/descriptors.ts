/** Descriptors that the server keeps for children: never below 64, always close-on-exec. */

import { SystemError } from "../errno.ts";
import { cString, lastErrno, openLibc } from "./libc.ts";
import { O_CLOEXEC, O_RDONLY } from "./open_flags.ts";

/** Children expect descriptors from 3 to 9; a source above them is never overwritten while they are put in place. */
const LOWEST = 64;
/** Duplicates to the lowest free number from a given one on, closed at execve(2) (fcntl(2)). */
export const F_DUPFD_CLOEXEC = 1030;

/** The pipe on which a trampoline reports a failed step; its writer is gone once the command runs. */
export interface StatusPipe {
  readonly read: number;
  readonly write: number;
}

let libc: ReturnType<typeof openSymbols> | undefined;

/** The pipe on which a trampoline reports (O-31); the caller closes both ends. @throws SystemError EMFILE. */
export function openStatusPipe(): StatusPipe {
  const ends = new Int32Array(2);
  if (symbols().pipe2(new Uint8Array(ends.buffer), O_CLOEXEC) < 0) throw new SystemError(lastErrno(), "pipe2", "");
  const [read, write] = [ends[0]!, ends[1]!];
  try {
    return { read, write: moveHigh(write) };
  } catch (fault) {
    closeDescriptor(read);
    throw fault;
  }
}

/** Opens `path` for reading. @throws SystemError. */
export function openDescriptor(path: string): number {
  const descriptor = symbols().open(cString(path), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw new SystemError(lastErrno(), "open", path);
  return moveHigh(descriptor);
}

/** A copy of `descriptor` from 64 on; the original is closed in any case. @throws SystemError EMFILE. */
export function moveHigh(descriptor: number): number {
  const high = symbols().fcntl(descriptor, F_DUPFD_CLOEXEC, LOWEST);
  const errno = high < 0 ? lastErrno() : 0;
  symbols().close(descriptor);
  if (high < 0) throw new SystemError(errno, "fcntl(F_DUPFD_CLOEXEC)", `descriptor ${descriptor}`);
  return high;
}

/** close(2); a bad descriptor is not an error here. */
export function closeDescriptor(descriptor: number): void {
  symbols().close(descriptor);
}

function symbols(): ReturnType<typeof openSymbols> {
  return libc ??= openSymbols();
}

function openSymbols() {
  return openLibc({
    pipe2: { parameters: ["buffer", "i32"], result: "i32" },
    open: { parameters: ["buffer", "i32"], result: "i32" },
    fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
    close: { parameters: ["i32"], result: "i32" },
  });
}

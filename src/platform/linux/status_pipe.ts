/** The close-on-exec pipe on which a trampoline reports (O-31). */

import { SystemError } from "../errno.ts";
import { lastErrno, openLibc } from "./libc.ts";
import { moveHigh } from "./trampoline.ts";

/** O_CLOEXEC. */
const CLOSE_ON_EXEC = 0x8_0000;

export interface StatusPipe {
  readonly read: number;
  readonly write: number;
}

let libc: ReturnType<typeof openSymbols> | undefined;

/** A new pipe; the caller closes both ends. @throws SystemError EMFILE. */
export function openStatusPipe(): StatusPipe {
  const ends = new Int32Array(2);
  if (symbols().pipe2(new Uint8Array(ends.buffer), CLOSE_ON_EXEC) < 0) throw new SystemError(lastErrno(), "pipe2", "");
  const [read, write] = [ends[0]!, ends[1]!];
  try {
    return { read, write: moveHigh(write) };
  } catch (fault) {
    closeDescriptor(read);
    closeDescriptor(write);
    throw fault;
  }
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
    close: { parameters: ["i32"], result: "i32" },
  });
}

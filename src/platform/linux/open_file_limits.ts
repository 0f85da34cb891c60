/** Descriptor limits of a command: what the server's parent had, because the runtime raises its own (getrlimit(2)). */

import { lastErrno, openLibc } from "./libc.ts";
import { SystemError } from "../errno.ts";
import { startSoftLimit } from "./spawn_process.ts";

/** Descriptors a process may have (getrlimit(2)). */
export const RLIMIT_NOFILE = 7;

let libc: ReturnType<typeof openSymbols> | undefined;

/** Soft limit of the parent, at most the hard limit, which stays. @throws SystemError if getrlimit(2) fails. */
export function openFileLimits(): { readonly soft: bigint; readonly hard: bigint } {
  const limits = new BigUint64Array(2);
  libc ??= openSymbols();
  if (libc.getrlimit(RLIMIT_NOFILE, new Uint8Array(limits.buffer)) !== 0) {
    throw new SystemError(lastErrno(), "getrlimit", "RLIMIT_NOFILE");
  }
  const hard = limits[1]!;
  const soft = BigInt(startSoftLimit());
  return { soft: soft < hard ? soft : hard, hard };
}

function openSymbols() {
  return openLibc({ getrlimit: { parameters: ["i32", "buffer"], result: "i32" } });
}

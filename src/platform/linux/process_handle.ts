/** Handles of processes that cannot be mistaken for a later process of the same number (pidfd_open(2)). */

import type { ExitFacts } from "../child.ts";
import { SystemError } from "../errno.ts";
import { lastErrno, openLibc } from "./libc.ts";
import { signalName } from "./signal_names.ts";

const SYS_PIDFD_SEND_SIGNAL = 424n;
const SYS_PIDFD_OPEN = 434n;
const WNOHANG = 1;
const PR_SET_CHILD_SUBREAPER = 36;
/** struct rusage (getrusage(2)): two timevals, then longs, of which the first is the peak in KiB. */
const RUSAGE_LONGS = 18;

/** A close-on-exec descriptor of `pid` that becomes readable at its end. @throws SystemError */
export function openProcess(pid: number): number {
  const fd = Number(symbols().syscall(SYS_PIDFD_OPEN, BigInt(pid), 0n, 0n, 0n));
  if (fd < 0) throw new SystemError(lastErrno(), "pidfd_open", `process ${pid}`);
  return fd;
}

/** Sends `signal` through a handle; false when the process is gone or not ours. */
export function signalProcess(handle: number, signal: number): boolean {
  return Number(symbols().syscall(SYS_PIDFD_SEND_SIGNAL, BigInt(handle), BigInt(signal), 0n, 0n)) === 0;
}

/** Sends `signal` to every process of a group; false when none is left. */
export function signalGroup(group: number, signal: number): boolean {
  return symbols().kill(-group, signal) === 0;
}

/** Takes the exit of one child of ours, never of any child, which would rob the runtime of its own. Null: it still runs, or is none. */
export function reapProcess(pid: number): ExitFacts | null {
  const status = new Int32Array(1);
  const usage = new BigInt64Array(RUSAGE_LONGS);
  const reaped = symbols().wait4(pid, new Uint8Array(status.buffer), WNOHANG, new Uint8Array(usage.buffer));
  if (reaped !== pid) return null;
  const word = status[0] as number;
  const signal = word & 0x7f;
  return {
    exitCode: signal === 0 ? (word >> 8) & 0xff : null,
    signal: signal === 0 ? null : signalName(signal),
    cpuMs: microseconds(usage, 0) / 1000 + microseconds(usage, 2) / 1000,
    peakMemoryBytes: Number(usage[4]) * 1024,
  };
}

/** Makes this process the parent of every orphan among its descendants (prctl(2)); false where that is refused. */
export function becomeSubreaper(): boolean {
  return symbols().prctl(PR_SET_CHILD_SUBREAPER, 1n, 0n, 0n, 0n) === 0;
}

/** Gives back a handle. */
export function closeProcess(handle: number): void {
  symbols().close(handle);
}

function microseconds(usage: BigInt64Array, at: number): number {
  return Number(usage[at]) * 1_000_000 + Number(usage[at + 1]);
}

const SYMBOLS = {
  syscall: { parameters: ["i64", "i64", "i64", "i64", "i64"], result: "i64" },
  wait4: { parameters: ["i32", "buffer", "i32", "buffer"], result: "i32" },
  kill: { parameters: ["i32", "i32"], result: "i32" },
  prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

let cached: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] | undefined;

function symbols(): Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] {
  return cached ??= openLibc(SYMBOLS);
}

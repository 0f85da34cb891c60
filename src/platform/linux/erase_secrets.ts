/**
 * Overwrites secrets in the argument and environment area of this process (O-51).
 *
 * That area is what /proc/PID/cmdline and /proc/PID/environ show. A command may read the command lines of processes
 * outside its domain; removing a variable from the environment leaves its bytes where they were.
 */

import { readSystemFile } from "../system_file.ts";

/** Positions in /proc/PID/stat behind the name (proc_pid_stat(5), fields 48 and 51). */
const ARG_START = 45;
const ENV_END = 48;
/** Larger areas do not exist (ARG_MAX with the default stack, execve(2)). */
const MAX_AREA_BYTES = 8 * 1024 * 1024;
const ASTERISK = 0x2a;

/**
 * Overwrites each of `secrets` where it is a whole argument, or the value of a variable or of a `--flag=value`.
 * Returns how many places were overwritten; 0 where that is not possible (no FFI, not Linux). Never throws.
 */
export function eraseSecrets(secrets: readonly string[]): number {
  const wanted = secrets.filter((secret) => secret !== "").map((secret) => new TextEncoder().encode(secret));
  if (wanted.length === 0 || Deno.build.os !== "linux") return 0;
  try {
    return overwrite(ownArea(), wanted);
  } catch {
    // Without FFI or /proc the bytes stay; the commands of such a run are not confined either, and doctor says so.
    return 0;
  }
}

/** The memory itself, not a copy. */
function ownArea(): Uint8Array {
  const stat = readSystemFile("/proc/self/stat");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const start = BigInt(fields[ARG_START] ?? 0);
  const end = BigInt(fields[ENV_END] ?? 0);
  const length = Number(end - start);
  const pointer = Deno.UnsafePointer.create(start);
  if (pointer === null || length <= 0 || length > MAX_AREA_BYTES) throw new RangeError("no argument area");
  return new Uint8Array(new Deno.UnsafePointerView(pointer).getArrayBuffer(length));
}

function overwrite(area: Uint8Array, secrets: readonly Uint8Array[]): number {
  let count = 0;
  for (let start = 0; start < area.length;) {
    const end = endOfString(area, start);
    const text = area.subarray(start, end);
    for (const secret of secrets) {
      const value = valueOf(text, secret);
      if (value === null) continue;
      value.fill(ASTERISK);
      count++;
    }
    start = end + 1;
  }
  return count;
}

function endOfString(area: Uint8Array, start: number): number {
  const end = area.indexOf(0, start);
  return end < 0 ? area.length : end;
}

/** The part of `text` that is `secret`: all of it, or what follows an equals sign. */
function valueOf(text: Uint8Array, secret: Uint8Array): Uint8Array | null {
  const at = text.length - secret.length;
  if (at < 0 || (at > 0 && text[at - 1] !== 0x3d)) return null;
  const value = text.subarray(at);
  return value.every((byte, index) => byte === secret[index]) ? value : null;
}

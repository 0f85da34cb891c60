/**
 * The largest resident set of this process (VmHWM of proc_pid_status(5)).
 *
 * A new process shares our memory until execve, and the kernel counts that as its own: a peak that is not above ours
 * says nothing about the command. getrusage(2) of ourselves would not do, as it holds the peak of whoever started us.
 */

import { readSystemFile } from "../system_file.ts";

/** Reads /proc only for a child whose peak is above what is known. */
export class OwnPeak {
  /** It only ever grows, so that an old value is good enough for everything below it. */
  #knownBytes = 0;

  /** True when `peakBytes` of a child can be what it inherited from us. */
  covers(peakBytes: number): boolean {
    if (peakBytes > this.#knownBytes) this.#knownBytes = readPeakBytes();
    return peakBytes <= this.#knownBytes;
  }
}

/** Infinity where it cannot be read: then no figure of a child is trusted. */
function readPeakBytes(): number {
  try {
    const line = /^VmHWM:\s+(\d+) kB/m.exec(readSystemFile("/proc/self/status"));
    return line === null ? Infinity : Number(line[1]) * 1024;
  } catch {
    return Infinity;
  }
}

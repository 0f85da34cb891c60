/** Memory of a process and its descendants, from proc(5); 0 where there is no /proc. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Two looks at one process tree. */
export interface Memory {
  /** Resident now, in bytes. */
  readonly now: number;
  /** Highest so far, or since `forgetPeak`, in bytes. */
  readonly peak: number;
}

/** Sums over the process and everything it started, or `isAlone` the process only. */
export function memoryOf(pid: number, { isAlone = false } = {}): Memory {
  const all = processes();
  const wanted = new Set([pid]);
  for (let grew = !isAlone; grew;) {
    grew = false;
    for (const [child, { parent }] of all) {
      if (wanted.has(parent) && !wanted.has(child)) {
        wanted.add(child);
        grew = true;
      }
    }
  }
  let [now, peak] = [0, 0];
  for (const id of wanted) {
    now += all.get(id)?.rss ?? 0;
    peak += all.get(id)?.highWater ?? 0;
  }
  return { now, peak };
}

/** Sets the peak of a process back to what it uses now (clear_refs, proc_pid_clear_refs(5)). */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // Without the right to it the peak counts from the start, which only makes our figure larger.
  }
}

interface ProcessFacts {
  readonly parent: number;
  readonly rss: number;
  readonly highWater: number;
}

function processes(): Map<number, ProcessFacts> {
  const all = new Map<number, ProcessFacts>();
  for (const name of Deno.build.os === "linux" ? readdirSync("/proc") : []) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      const kilobytes = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024;
      const parent = Number(/PPid:\s+(\d+)/.exec(status)?.[1] ?? 0);
      all.set(Number(name), { parent, rss: kilobytes("VmRSS"), highWater: kilobytes("VmHWM") });
    } catch {
      // It ended between the listing and the reading.
    }
  }
  return all;
}

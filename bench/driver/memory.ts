/** Memory of a process and its descendants, from proc(5). */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Probe } from "./measure.ts";
import type { RunningServer } from "./servers.ts";

/** Two looks at one process tree. */
export interface Memory {
  /** Resident now, in bytes. */
  readonly now: number;
  /** Highest so far, or since `forgetPeak`, in bytes. */
  readonly peak: number;
}

/** Sums over the process and everything it started, or `isAlone` the process only. @throws Error where there is no /proc */
export function memoryOf(pid: number, { isAlone = false } = {}): Memory {
  const all = processes();
  let [now, peak] = [0, 0];
  for (const id of isAlone ? [pid] : family(pid, all)) {
    now += all.get(id)?.rss ?? 0;
    peak += all.get(id)?.highWater ?? 0;
  }
  if (now === 0) throw new Error(`process ${pid} has no memory to read`);
  return { now, peak };
}

/** Sets the peak of a process and its descendants back to what they use now (clear_refs, proc_pid_clear_refs(5)). */
export function forgetPeak(pid: number): void {
  for (const id of family(pid, processes())) {
    try {
      writeFileSync(`/proc/${id}/clear_refs`, "5");
    } catch {
      // Without the right to it the peak counts from the start, which only makes the figure larger.
    }
  }
}

/** For each server its highest resident bytes from now until the probe is read, less what it has now; 0 for none. */
export function watchGrowth(servers: readonly RunningServer[]): Probe[] {
  return servers.map(({ peer, session }): Probe => {
    const before = Deno.build.os === "linux" ? memoryOf(session.pid).now : 0;
    if (Deno.build.os === "linux") forgetPeak(session.pid);
    return { name: peer.name, read: () => Math.max(0, memoryOf(session.pid).peak - before) };
  });
}

interface ProcessFacts {
  readonly parent: number;
  readonly rss: number;
  readonly highWater: number;
}

function family(pid: number, all: ReadonlyMap<number, ProcessFacts>): Set<number> {
  const members = new Set([pid]);
  for (let before = 0; before !== members.size;) {
    before = members.size;
    for (const [child, { parent }] of all) if (members.has(parent)) members.add(child);
  }
  return members;
}

function processes(): Map<number, ProcessFacts> {
  if (Deno.build.os !== "linux") throw new Error("only measured where there is /proc");
  const all = new Map<number, ProcessFacts>();
  for (const name of readdirSync("/proc")) {
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

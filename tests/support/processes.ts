/** Looks at the processes of the machine, for tests that nothing is left behind. */

import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Numbers of living processes whose command line holds `text`; zombies do not count. */
export function processesWith(text: string): number[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return pid !== Deno.pid && line.includes(text);
    } catch {
      // It ended while we looked.
      return false;
    }
  });
}

/** Waits until no process holds `text`, at most `limitMs`; gives back what is still there. */
export async function goneWithin(text: string, limitMs: number): Promise<number[]> {
  for (const deadline = Date.now() + limitMs;;) {
    const left = processesWith(text);
    if (left.length === 0 || Date.now() > deadline) return left;
    await sleep(50);
  }
}

/** Children of `pid` that ended and were not waited for. */
export function zombiesOf(pid: number): number[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((child) => {
    try {
      const stat = readFileSync(`/proc/${child}/stat`, "latin1");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state === "Z" && Number(parent) === pid;
    } catch {
      // It ended while we looked.
      return false;
    }
  });
}

/** A number of seconds that nobody else sleeps for, so that a test finds exactly its own `sleep` processes. */
export function uniqueSeconds(): string {
  return `${3000 + Math.floor(Math.random() * 6000)}.${Math.floor(Math.random() * 1e9)}`;
}

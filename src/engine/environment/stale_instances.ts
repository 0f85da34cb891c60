/** Finds and removes runtime directories whose server is gone (killed, crashed, power loss). */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { readSystemFile, readSystemLink } from "../../platform/system_file.ts";
import { removeTreeLater } from "./remove_tree.ts";

/** Age after which an instance without an owner record is nobody's: an hour covers any slow start. */
const ORPHAN_AGE_MS = 3_600_000;

/** Suffix of the record of running commands, which the run room keeps. */
const PROCESS_RECORD = "processes";

interface OwnerRecord {
  readonly pid: number;
  /** Clock ticks after boot (proc_pid_stat(5) field 22); null where `/proc` is not readable. */
  readonly startTime: string | null;
  /** Which boot and which process namespace the pid belongs to; null as above. */
  readonly boot: string | null;
  readonly pidNamespace: string | null;
}

/** The record of this process, as text. */
export function ownOwnerRecord(): string {
  const record: OwnerRecord = {
    pid: process.pid,
    startTime: startTimeOf(process.pid),
    boot: bootId(),
    pidNamespace: pidNamespace(),
  };
  return JSON.stringify(record) + "\n";
}

/** Files of this suffix beside the instances of ended servers below `parent`, absolute; never throws. */
export function staleSideFiles(parent: string, suffix: string): string[] {
  return entriesOf(parent).flatMap((hash) => {
    const group = join(parent, hash);
    const names = entriesOf(group);
    return [...instanceIds(names)]
      .filter((id) => names.includes(`${id}.${suffix}`) && isStale({ group, id, names }))
      .map((id) => join(group, `${id}.${suffix}`));
  });
}

/**
 * Removes the instances of ended servers below `parent`, except `ownId`. Returns how many; never throws.
 *
 * One with a record of processes stays until those were ended, which removes the record.
 */
export async function removeStaleInstances(parent: string, ownId: string): Promise<number> {
  let removed = 0;
  for (const hash of entriesOf(parent)) {
    const group = join(parent, hash);
    const names = entriesOf(group);
    for (const id of instanceIds(names)) {
      if (id === ownId || names.includes(`${id}.${PROCESS_RECORD}`)) continue;
      if (!isStale({ group, id, names })) continue;
      await removeTreeLater(join(group, id));
      for (const name of names) {
        if (name.startsWith(`${id}.`)) await rm(join(group, name), { force: true }).catch(() => {});
      }
      removed++;
    }
  }
  return removed;
}

function instanceIds(names: readonly string[]): Set<string> {
  return new Set(names.map((name) => name.replace(/\..*$/, "")).filter((id) => id !== ""));
}

interface Instance {
  readonly group: string;
  readonly id: string;
  /** Entries of `group`. */
  readonly names: readonly string[];
}

function isStale({ group, id, names }: Instance): boolean {
  try {
    if (!names.includes(`${id}.owner`)) return Date.now() - statSync(join(group, id)).mtimeMs > ORPHAN_AGE_MS;
    return !mayBeAlive(JSON.parse(readFileSync(join(group, `${id}.owner`), "utf8")) as OwnerRecord);
  } catch {
    // Half written or just removed by its owner: leave it to a later start.
    return false;
  }
}

/** True unless it is certain that the process ended. */
function mayBeAlive(owner: OwnerRecord): boolean {
  const boot = bootId();
  if (owner.boot !== null && boot !== null && owner.boot !== boot) return false;
  // In another container the same number is another process: nothing can be said about it from here.
  if (owner.pidNamespace !== pidNamespace()) return true;
  if (!exists(owner.pid)) return false;
  const startTime = startTimeOf(owner.pid);
  return owner.startTime === null || startTime === null || owner.startTime === startTime;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as { code?: string }).code !== "ESRCH";
  }
}

/** Start time of a process; null where it cannot be read. The name in field 2 may hold spaces and brackets. */
function startTimeOf(pid: number): string | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
}

function bootId(): string | null {
  return readOrNull("/proc/sys/kernel/random/boot_id")?.trim() ?? null;
}

function pidNamespace(): string | null {
  try {
    return readSystemLink("/proc/self/ns/pid");
  } catch {
    return null;
  }
}

function readOrNull(path: string): string | null {
  try {
    return readSystemFile(path);
  } catch {
    return null;
  }
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

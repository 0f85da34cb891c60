/** Processes of Linux as proc(5) shows them. */

import process from "node:process";
import type { ProcessFacts, ProcessIdentity, ProcessTable } from "../process_table.ts";
import { closeProcess, openProcess, reapProcess, signalGroup, signalProcess } from "./process_handle.ts";
import { signalNumber } from "./signal_names.ts";
import { listSystemDirectory, readSystemFile } from "../system_file.ts";

const PAGE_BYTES = 4_096;

/** Signals go to a pidfd, so that a number that was taken over is never hit. */
export class LinuxProcessTable implements ProcessTable {
  readonly adoptsOrphans: boolean = true;
  readonly self: ProcessFacts;
  readonly #ownChildren: ReadonlySet<number>;

  /** @param ownChildren started by the host and not yet waited for; the host changes it */
  constructor(ownChildren: ReadonlySet<number>) {
    this.#ownChildren = ownChildren;
    const self = this.read(process.pid);
    if (self === null) throw new Error("Cannot read /proc: is it mounted?");
    this.self = self;
  }

  read(pid: number): ProcessFacts | null {
    const stat = readOrNull(`/proc/${pid}/stat`);
    // The name in parentheses may itself hold spaces and parentheses.
    const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields === undefined || fields.length < 22) return null;
    const number = (field: number): number => Number(fields[field - 3]);
    return {
      pid,
      parent: number(4),
      group: number(5),
      session: number(6),
      isZombie: fields[0] === "Z" || fields[0] === "X",
      threads: number(20),
      startTicks: number(22),
      residentBytes: number(24) * PAGE_BYTES,
    };
  }

  childrenOf(pid: number, threads?: number): number[] {
    const tasks = threads === 1 ? [pid] : listOrEmpty(`/proc/${pid}/task`);
    return tasks.flatMap((task) => numbers(readOrNull(`/proc/${pid}/task/${task}/children`)));
  }

  adopted(): number[] {
    // Orphans go to the first living thread, which is the main one as long as the process lives (kernel: find_new_reaper).
    const children = numbers(readOrNull(`/proc/self/task/${process.pid}/children`));
    return children.filter((pid) => !this.#ownChildren.has(pid));
  }

  all(): number[] {
    return listOrEmpty("/proc").filter((name) => /^\d+$/.test(name)).map(Number);
  }

  hasEnvironment(pid: number, entry: string): boolean {
    const block = readOrNull(`/proc/${pid}/environ`);
    return block !== null && (block.startsWith(entry) || block.includes("\0" + entry));
  }

  signal(target: ProcessIdentity, name: string): boolean {
    return this.#withHandle(target, (handle) => signalProcess(handle, signalNumber(name)));
  }

  signalGroup(target: ProcessFacts, name: string): boolean {
    // Security: while a process of the group lives, its number is nobody else's.
    return this.#withHandle(target, (_, { group }) => signalGroup(group, signalNumber(name)));
  }

  #withHandle(target: ProcessIdentity, send: (handle: number, facts: ProcessFacts) => boolean): boolean {
    let handle: number;
    try {
      handle = openProcess(target.pid);
    } catch {
      // It is gone, which is what the caller wants to know.
      return false;
    }
    try {
      // Security: only now is the number fixed to one process; one that took it over must not be hit.
      const facts = this.read(target.pid);
      return facts?.startTicks === target.startTicks && send(handle, facts);
    } finally {
      closeProcess(handle);
    }
  }

  reap(pid: number): boolean {
    return reapProcess(pid) !== null;
  }
}

function readOrNull(path: string): string | null {
  try {
    return readSystemFile(path);
  } catch {
    // The process ended in this moment, or belongs to somebody else.
    return null;
  }
}

function listOrEmpty(path: string): string[] {
  try {
    return listSystemDirectory(path);
  } catch {
    // As above.
    return [];
  }
}

function numbers(text: string | null): number[] {
  return text === null ? [] : text.split(" ").filter((word) => word !== "").map(Number);
}

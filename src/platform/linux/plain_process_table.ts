/** Processes of Linux without calls into libc: read from proc(5), signalled by number, orphans not adopted. */

import process from "node:process";
import type { ProcessFacts, ProcessIdentity } from "../process_table.ts";
import { LinuxProcessTable } from "./linux_process_table.ts";

/** Serves Linux where FFI is not permitted. */
export class PlainProcessTable extends LinuxProcessTable {
  override readonly adoptsOrphans = false;

  constructor() {
    super(new Set());
  }

  override adopted(): number[] {
    return [];
  }

  /** Between the look and the signal the number could change hands, within microseconds and after 32,768 others. */
  override signal(target: ProcessIdentity, name: string): boolean {
    if (this.read(target.pid)?.startTicks !== target.startTicks) return false;
    try {
      return process.kill(target.pid, name);
    } catch {
      // It ended in this moment, or belongs to somebody else.
      return false;
    }
  }

  override signalGroup(target: ProcessFacts, name: string): boolean {
    const facts = this.read(target.pid);
    if (facts?.startTicks !== target.startTicks) return false;
    try {
      return process.kill(-facts.group, name);
    } catch {
      // As above.
      return false;
    }
  }

  override reap(): boolean {
    return false;
  }
}

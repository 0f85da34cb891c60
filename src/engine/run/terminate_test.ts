/** The end of commands that fork while they are looked at. */

import { deepStrictEqual, ok } from "node:assert/strict";
import type { ProcessFacts, ProcessTable } from "../../platform/process_table.ts";
import type { Command } from "./command.ts";
import { ProcessTree } from "./process_tree.ts";
import { terminate } from "./terminate.ts";

const FIRST = 100;
/** Descendants at the beginning. */
const START = 20;

for (const ownGroups of [false, true]) {
  const what = ownGroups ? "each process in a session of its own" : "all in one group";
  Deno.test(`terminate() ends a tree that forks at every look, ${what}`, async () => {
    const table = new ForkingTable(ownGroups);
    const tree = new ProcessTree(table);
    tree.follow("c", FIRST);
    tree.sample("c");
    table.forks = true;
    const result = await terminate(commandOn(table), tree, { signal: "SIGKILL", waitMs: 0, killWaitMs: 5_000 });
    deepStrictEqual([result.killed, result.gone], [true, true]);
    ok(table.made < 10 * START, `${START} processes became ${table.made}`);
    ok(result.descendants >= START);
  });
}

/** A command whose first process is in `table`. */
function commandOn(table: ForkingTable): Command {
  const command = {
    id: "c",
    child: {
      pid: FIRST,
      signal: (name: string) => table.signalGroup(table.read(FIRST) as ProcessFacts, name),
    },
    get exit() {
      return table.has(FIRST) ? null : { exitCode: null, signal: "SIGKILL" };
    },
    insisted: false,
    terminations: 0,
    checkEnd: () => undefined,
  };
  return command as unknown as Command;
}

/** While processes are looked at, those that run and were not stopped fork: at each look one, in groups of their own at each second. */
class ForkingTable implements ProcessTable {
  readonly adoptsOrphans = true;
  readonly self: ProcessFacts = facts({ pid: 1, parent: 0, group: 1 });
  readonly #ownGroups: boolean;
  readonly #alive = new Map<number, ProcessFacts>([[FIRST, facts({ pid: FIRST, parent: 1, group: FIRST })]]);
  readonly #stopped = new Set<number>();
  #next = FIRST + 1;
  #looks = 0;
  /** False: it keeps its size. */
  forks = false;

  constructor(ownGroups: boolean) {
    this.#ownGroups = ownGroups;
    while (this.made <= START) this.#fork();
  }

  /** Processes that ever were. */
  get made(): number {
    return this.#next - FIRST;
  }

  has(pid: number): boolean {
    return this.#alive.has(pid);
  }

  read(pid: number): ProcessFacts | null {
    if (this.forks && (this.#looks++ % 2 === 0 || !this.#ownGroups)) this.#fork();
    return this.#alive.get(pid) ?? null;
  }

  childrenOf(pid: number): number[] {
    return [...this.#alive.values()].filter(({ parent }) => parent === pid).map((child) => child.pid);
  }

  adopted(): number[] {
    return this.childrenOf(this.self.pid).filter((pid) => pid !== FIRST);
  }

  all(): number[] {
    return [...this.#alive.keys()];
  }

  hasEnvironment(pid: number): boolean {
    return this.has(pid);
  }

  signal({ pid }: { pid: number }, name: string): boolean {
    if (!this.has(pid)) return false;
    if (name === "SIGSTOP") this.#stopped.add(pid);
    if (name === "SIGKILL") this.#end(pid);
    return true;
  }

  signalGroup({ group }: ProcessFacts, name: string): boolean {
    const members = [...this.#alive.values()].filter((member) => member.group === group);
    for (const member of members) this.signal(member, name);
    return members.length > 0;
  }

  reap(): boolean {
    return true;
  }

  #fork(): void {
    const parent = [...this.#alive.values()].findLast(({ pid }) => !this.#stopped.has(pid));
    if (parent === undefined) return;
    const pid = this.#next++;
    this.#alive.set(pid, facts({ pid, parent: parent.pid, group: this.#ownGroups ? pid : parent.group }));
  }

  #end(pid: number): void {
    this.#alive.delete(pid);
    for (const child of this.#alive.values()) {
      if (child.parent === pid) this.#alive.set(child.pid, { ...child, parent: this.self.pid });
    }
  }
}

function facts(process: { pid: number; parent: number; group: number }): ProcessFacts {
  return { ...process, session: process.group, isZombie: false, threads: 1, startTicks: process.pid, residentBytes: 0 };
}

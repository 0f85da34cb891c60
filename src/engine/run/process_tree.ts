/**
 * Knows which processes belong to which command, also after they left its group, its session or their parents (O-37).
 *
 * Three ways, in this order: ancestry and sessions sampled while the command runs, then the session an orphan has,
 * then the marker `VISE_COMMAND=<id>` in the environment it was started with.
 */

import { setImmediate } from "node:timers/promises";
import type { ProcessFacts, ProcessIdentity, ProcessTable } from "../../platform/process_table.ts";

/** Name of the environment variable that marks every process of a command. */
export const COMMAND_MARKER = "VISE_COMMAND";

/** A machine may run thousands of processes: the search lets requests through after this long, milliseconds. */
const SCAN_SLICE_MS = 5;
/** Walks that stop what they meet; only a process that forked in the moment before it was stopped needs a second. */
const MAX_FREEZE_ROUNDS = 4;
/** New processes that one walk follows: a tree that grows as fast as it is walked must not hold up everything else. */
const MAX_NEW_PER_WALK = 4_096;

/** What a tree uses at one look. */
export interface TreeUsage {
  readonly processes: number;
  /** Summed resident sets; shared pages count more than once. */
  readonly residentBytes: number;
}

interface Root {
  readonly id: string;
  readonly pid: number;
  /** Earlier processes cannot belong to it. 0 until it was looked at, which a short command never is. */
  startTicks: number;
  isReaped: boolean;
  /** Every process ever seen, by number. */
  readonly known: Map<number, ProcessIdentity>;
  /** Sessions that its processes opened. */
  readonly sessions: Set<number>;
}

/** Looks only when asked; between two looks a process may come and go unseen. */
export class ProcessTree {
  readonly #table: ProcessTable;
  readonly #roots = new Map<string, Root>();
  /** Orphans that no rule gives to a command; they end with the server. */
  readonly #unowned = new Map<number, ProcessIdentity>();

  constructor(table: ProcessTable) {
    this.#table = table;
  }

  /** Follows the tree that starts with `pid`. */
  follow(id: string, pid: number): void {
    this.#roots.set(id, { id, pid, startTicks: 0, isReaped: false, known: new Map(), sessions: new Set([pid]) });
  }

  /** Follows the tree no further. */
  forget(id: string): void {
    this.#roots.delete(id);
  }

  /** The first process was waited for: its number may soon be a stranger's. */
  ended(id: string): void {
    const root = this.#roots.get(id);
    if (root !== undefined) root.isReaped = true;
  }

  /** Looks at one command's tree: notes new members, gives back the living ones. */
  sample(id: string): ProcessFacts[] {
    this.adopt();
    const root = this.#roots.get(id);
    if (root === undefined) return [];
    this.#lookAtFirst(root);
    if (root.isReaped && !this.#table.adoptsOrphans) this.#findBySession(root);
    return this.#walk(root);
  }

  usage(members: readonly ProcessFacts[]): TreeUsage {
    return {
      processes: members.length,
      residentBytes: members.reduce((sum, { residentBytes }) => sum + residentBytes, 0),
    };
  }

  /** The living processes of a command, found by every means: reads the environment of every process, so not for each turn. */
  async findAll(id: string): Promise<ProcessFacts[]> {
    const root = this.#roots.get(id);
    if (root === undefined) return [];
    this.#lookAtFirst(root);
    let sliceEndsAt = performance.now() + SCAN_SLICE_MS;
    for (const pid of this.#table.all()) {
      if (performance.now() > sliceEndsAt) {
        await setImmediate();
        sliceEndsAt = performance.now() + SCAN_SLICE_MS;
      }
      if (root.known.has(pid)) continue;
      if (this.#table.hasEnvironment(pid, `${COMMAND_MARKER}=${id}`)) this.#note(root, this.#table.read(pid));
    }
    return this.sample(id);
  }

  /** Takes the exits of orphans, and finds the commands of the living ones. */
  adopt(): void {
    for (const pid of this.#table.adopted()) {
      const facts = this.#table.read(pid);
      // A child of the runtime itself shares the server's session; an orphan of a command never does.
      if (facts === null || facts.session === this.#table.self.session) continue;
      if (facts.isZombie) {
        this.#table.reap(pid);
        this.#unowned.delete(pid);
      } else if (!this.#isKnown(facts)) {
        const owner = this.#ownerOf(facts);
        if (owner !== null) this.#note(owner, facts);
        else if (this.#table.self.pid !== 1) this.#unowned.set(pid, facts);
      }
    }
  }

  /** Living orphans without a command, as of the last look. */
  unowned(): ProcessIdentity[] {
    return [...this.#unowned.values()].filter((identity) => this.#living(identity) !== null);
  }

  /**
   * Stops everything of a command, so that it can be looked at and ended while nothing in it forks, and what it stopped
   * takes no processor time from the search.
   */
  freeze(id: string): void {
    const root = this.#roots.get(id);
    if (root === undefined) return;
    this.#lookAtFirst(root);
    const stopped = new Set<number>();
    for (let round = 0; round < MAX_FREEZE_ROUNDS; round++) {
      const before = stopped.size;
      this.adopt();
      // On sight, before its children are looked for: what a stopped process has started is then all that it ever will.
      this.#walk(root, (member) => {
        if (!stopped.has(member.group) && this.#signalGroup(member, "SIGSTOP")) stopped.add(member.group);
      });
      if (stopped.size === before) return;
    }
  }

  /** Sends `name` once to each process group that one of `members` is in. */
  signalGroups(members: readonly ProcessFacts[], name: string): void {
    const reached = new Set<number>();
    for (const member of members) {
      // One that is gone proves nothing about the others of its group.
      if (!reached.has(member.group) && this.#signalGroup(member, name)) reached.add(member.group);
    }
  }

  /** Sends `name` to each of `processes` once. */
  signalAll(processes: readonly ProcessIdentity[], name: string): void {
    for (const identity of processes) this.#table.signal(identity, name);
  }

  #lookAtFirst(root: Root): void {
    if (root.startTicks > 0 || root.isReaped) return;
    const facts = this.#table.read(root.pid);
    if (facts === null) return;
    root.startTicks = facts.startTicks;
    root.known.set(facts.pid, facts);
  }

  #signalGroup(member: ProcessFacts, name: string): boolean {
    // Security: the session of the server holds the server and whoever started it; no command is ever in it.
    return member.session !== this.#table.self.session && this.#table.signalGroup(member, name);
  }

  #findBySession(root: Root): void {
    for (const pid of this.#table.all()) {
      const facts = this.#table.read(pid);
      if (facts !== null && root.sessions.has(facts.session)) this.#note(root, facts);
    }
  }

  #walk(root: Root, onSight?: (member: ProcessFacts) => void): ProcessFacts[] {
    const members: ProcessFacts[] = [];
    const seen = new Set<number>();
    const endsAt = root.known.size + MAX_NEW_PER_WALK;
    const visit = (first: ProcessFacts): void => {
      const queue = [first];
      for (let facts = queue.pop(); facts !== undefined; facts = queue.pop()) {
        if (seen.has(facts.pid) || seen.size >= endsAt) continue;
        seen.add(facts.pid);
        if (!facts.isZombie) members.push(facts);
        if (!facts.isZombie) onSight?.(facts);
        for (const pid of this.#table.childrenOf(facts.pid, facts.threads)) {
          const child = seen.has(pid) ? null : this.#note(root, this.#table.read(pid));
          if (child !== null) queue.push(child);
        }
      }
    };
    for (const identity of [...root.known.values()]) {
      if (seen.has(identity.pid)) continue;
      const facts = this.#living(identity);
      if (facts === null) root.known.delete(identity.pid);
      else visit(facts);
    }
    return members;
  }

  #note(root: Root, facts: ProcessFacts | null): ProcessFacts | null {
    if (facts === null || facts.startTicks < root.startTicks) return null;
    root.known.set(facts.pid, facts);
    root.sessions.add(facts.session);
    return facts;
  }

  #living(identity: ProcessIdentity): ProcessFacts | null {
    const facts = this.#table.read(identity.pid);
    return facts?.startTicks === identity.startTicks ? facts : null;
  }

  #isKnown(facts: ProcessFacts): boolean {
    const matches = (identity: ProcessIdentity | undefined): boolean => identity?.startTicks === facts.startTicks;
    if (matches(this.#unowned.get(facts.pid))) return true;
    return [...this.#roots.values()].some((root) => matches(root.known.get(facts.pid)));
  }

  #ownerOf(facts: ProcessFacts): Root | null {
    const roots = [...this.#roots.values()].filter((root) => root.startTicks <= facts.startTicks);
    const bySession = roots.find((root) => root.sessions.has(facts.session));
    if (bySession !== undefined) return bySession;
    const byMarker = roots.find((root) => this.#table.hasEnvironment(facts.pid, `${COMMAND_MARKER}=${root.id}`));
    // As the first process of a container this server also gets the orphans of strangers.
    const canBeStranger = this.#table.self.pid === 1;
    return byMarker ?? (roots.length === 1 && !canBeStranger ? roots[0] as Root : null);
  }
}

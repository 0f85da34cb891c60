/**
 * Looks at the trees of running commands from time to time: so that a process which leaves its group, session and
 * parents is still known as theirs, that orphans leave no zombie, and that the limits of O-38 hold.
 */

import type { ProcessFacts } from "../../platform/process_table.ts";
import type { Command } from "./command.ts";
import type { ProcessTree } from "./process_tree.ts";

/** Per command. */
export interface TreeLimits {
  /** Null: unlimited. */
  readonly maxProcesses: number | null;
  /** MiB of summed resident sets; null: unlimited. */
  readonly maxMemoryMb: number | null;
}

/** Limits, and who hears of what is seen. */
export interface WatchOptions {
  readonly limits: TreeLimits;
  /** Told which limit a command broke, as the end of a sentence. */
  readonly onLimit: (command: Command, limit: string) => void;
  /** Given the living processes of a command at each look. */
  readonly onLook: (members: readonly ProcessFacts[]) => void;
}

/** O-38. A tree that grows is looked at more often, from the start on, until it keeps its size. */
const LIMIT_INTERVAL_MS = 100;
const GROWING_INTERVAL_MS = 10;
/** Without limits a look serves only to know descendants. The first comes early, because daemons leave early. */
const FIRST_LOOK_MS = 50;
/** The later looks: often enough for a daemon that takes a moment to detach. */
const INTERVAL_MS = 250;
/** A turn stops after this long and goes on with the next command at the next one, milliseconds. */
const TURN_BUDGET_MS = 8;

/** Looks often at first and then rarely; does nothing while no command runs. */
export class TreeWatch {
  readonly #tree: ProcessTree;
  readonly #limits: TreeLimits;
  readonly #onLimit: WatchOptions["onLimit"];
  readonly #watched = new Set<Command>();
  readonly #onLook: WatchOptions["onLook"];
  readonly #hasLimits: boolean;
  /** Processes of each command at its last look. */
  readonly #sizes = new WeakMap<Command, number>();
  #limitIntervalMs = LIMIT_INTERVAL_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tree: ProcessTree, watch: WatchOptions) {
    this.#tree = tree;
    this.#limits = watch.limits;
    this.#onLimit = watch.onLimit;
    this.#onLook = watch.onLook;
    this.#hasLimits = this.#limits.maxProcesses !== null || this.#limits.maxMemoryMb !== null;
  }

  /** Watches a command that has started. */
  add(command: Command): void {
    this.#watched.add(command);
    clearTimeout(this.#timer);
    this.#limitIntervalMs = GROWING_INTERVAL_MS;
    this.#schedule(this.#hasLimits ? GROWING_INTERVAL_MS : FIRST_LOOK_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#watched.clear();
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => this.#turn(), ms);
  }

  #turn(): void {
    const endsAt = performance.now() + TURN_BUDGET_MS;
    this.#limitIntervalMs = Math.min(LIMIT_INTERVAL_MS, this.#limitIntervalMs * 2);
    for (const command of [...this.#watched]) {
      // To the end of the line, so that a turn that is cut short serves the others next.
      this.#watched.delete(command);
      if (this.#look(command)) this.#watched.add(command);
      if (performance.now() > endsAt) break;
    }
    if (this.#watched.size === 0) return;
    this.#schedule(this.#hasLimits ? this.#limitIntervalMs : INTERVAL_MS);
  }

  /** False when there is nothing left to look at. */
  #look(command: Command): boolean {
    const members = this.#tree.sample(command.id);
    this.#onLook(members);
    if (command.finished) {
      command.leftProcesses = members.length;
      if (members.length === 0) return false;
    }
    const { processes, residentBytes } = this.#tree.usage(members);
    if (processes > (this.#sizes.get(command) ?? 0)) this.#limitIntervalMs = GROWING_INTERVAL_MS;
    this.#sizes.set(command, processes);
    const { maxProcesses, maxMemoryMb } = this.#limits;
    if (maxProcesses !== null && processes > maxProcesses) {
      this.#onLimit(command, `${processes} processes, the limit is ${maxProcesses} (--max-processes)`);
    } else if (maxMemoryMb !== null && residentBytes > maxMemoryMb * 1024 * 1024) {
      const usedMb = Math.ceil(residentBytes / (1024 * 1024));
      this.#onLimit(command, `${usedMb} MiB of memory, the limit is ${maxMemoryMb} MiB (--max-memory-mb)`);
    }
    return true;
  }
}

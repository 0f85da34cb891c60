/** Ends a command with everything that it started: asks, waits, then insists (contract 4.7, O-37). */

import { setTimeout as sleep } from "node:timers/promises";
import type { ProcessFacts } from "../../platform/process_table.ts";
import type { Command } from "./command.ts";
import type { ProcessTree } from "./process_tree.ts";

/** How an end is brought about. */
export interface Termination {
  /** Such as `SIGTERM`. */
  readonly signal: string;
  /** Milliseconds for the tree to end by itself. */
  readonly waitMs: number;
  /** Milliseconds for the tree to be gone after SIGKILL. */
  readonly killWaitMs: number;
}

/** What an end came to. */
export interface TerminationResult {
  /** True when SIGKILL was needed or asked for. */
  readonly killed: boolean;
  /** False: something is still there, as in an uninterruptible wait. */
  readonly gone: boolean;
  /** Processes besides the first that were alive at the beginning. */
  readonly descendants: number;
}

/** First pause between two looks at the tree; each next one is longer, up to `MAX_PAUSE_MS`. */
const MIN_PAUSE_MS = 2;
const MAX_PAUSE_MS = 25;

/** Settles when the tree is gone or both waits are over. */
export async function terminate(
  command: Command,
  tree: ProcessTree | null,
  termination: Termination,
): Promise<TerminationResult> {
  const target = tree === null ? new GroupTarget(command) : new TreeTarget(command, tree);
  command.terminations++;
  try {
    const asksFirst = termination.signal !== "SIGKILL";
    // Before anything else: what forks faster than it can be listed would win every moment that is lost.
    if (!asksFirst) target.freeze();
    const members = await target.find();
    const descendants = members.filter(({ pid }) => pid !== command.child.pid).length;
    if (asksFirst) {
      target.send(termination.signal, members);
      if (await goneWithin(termination.waitMs, () => target.looksGone()) && (await target.find()).length === 0) {
        // Another kill, or the end of the server, may have lost patience first.
        return { killed: command.insisted, gone: true, descendants };
      }
    }
    command.insisted = true;
    if (!asksFirst) target.send("SIGKILL", members);
    const gone = await goneWithin(termination.killWaitMs, async () => {
      // Again and again: a process may have forked between the look and the signal.
      target.freeze();
      target.send("SIGKILL", await target.find());
      return target.looksGone() && (await target.find()).length === 0;
    });
    return { killed: true, gone, descendants };
  } finally {
    command.terminations--;
    // Before whoever waits for the end reads it: at the exit of the first process others may still have been there.
    if (command.exit !== null) command.leftProcesses = tree?.sample(command.id).length ?? 0;
    command.checkEnd();
  }
}

interface Target {
  /** Everything alive that belongs to the command. */
  find(): Promise<readonly ProcessFacts[]>;
  send(signal: string, members: readonly ProcessFacts[]): void;
  /** Keeps it from forking until SIGKILL ends it. */
  freeze(): void;
  /** A quick look, which may miss what only the full search finds. */
  looksGone(): boolean;
}

class TreeTarget implements Target {
  readonly #command: Command;
  readonly #tree: ProcessTree;

  constructor(command: Command, tree: ProcessTree) {
    this.#command = command;
    this.#tree = tree;
  }

  find(): Promise<readonly ProcessFacts[]> {
    return this.#tree.findAll(this.#command.id);
  }

  send(signal: string, members: readonly ProcessFacts[]): void {
    // Each group once, so that nobody gets an interrupt twice.
    const group = this.#signalFirst(signal) ? this.#command.child.pid : -1;
    this.#tree.signalGroups(members.filter((member) => member.group !== group), signal);
  }

  freeze(): void {
    this.#signalFirst("SIGSTOP");
    this.#tree.freeze(this.#command.id);
  }

  /** The group that the command began with. */
  #signalFirst(signal: string): boolean {
    return this.#command.exit === null && this.#command.child.signal(signal);
  }

  looksGone(): boolean {
    return this.#command.exit !== null && this.#tree.sample(this.#command.id).length === 0;
  }
}

/** Where descendants cannot be followed: the process group is all that can be reached. */
class GroupTarget implements Target {
  readonly #command: Command;

  constructor(command: Command) {
    this.#command = command;
  }

  find(): Promise<readonly ProcessFacts[]> {
    return Promise.resolve([]);
  }

  send(signal: string): void {
    this.#command.child.signal(signal);
  }

  freeze(): void {
    // SIGKILL reaches the group at once, and nothing else is looked for.
  }

  looksGone(): boolean {
    return this.#command.exit !== null;
  }
}

async function goneWithin(ms: number, isGone: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + ms;
  for (let pause = MIN_PAUSE_MS;; pause = Math.min(MAX_PAUSE_MS, pause * 2)) {
    if (await isGone()) return true;
    const left = deadline - performance.now();
    if (left <= 0) return false;
    await sleep(Math.min(pause, left));
  }
}

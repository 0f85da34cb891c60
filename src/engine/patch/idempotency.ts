/** Replays the result of a call that was made before with the same key (contract 1.8). */

import { fingerprint } from "../../base/fingerprint.ts";
import { ToolError } from "../../base/tool_error.ts";

/** Stored successes over all tools. */
const MAX_SLOTS = 64;

interface Slot {
  readonly fingerprint: string;
  /** Null while the first call runs, or after it failed. */
  result: unknown;
  isStored: boolean;
  /** Calls that use the slot: it is not evicted under them. */
  users: number;
  queue: Promise<unknown>;
}

/** A call that may be a repetition. */
export interface IdempotentCall<T> {
  readonly tool: string;
  /** Without a key the call just runs. */
  readonly key: string | undefined;
  /** The arguments with defaults filled in; a key `idempotency_key` among them does not count. */
  readonly args: Readonly<Record<string, unknown>>;
  /** False: the result is not kept (a dry run). */
  readonly isStorable: boolean;
  readonly run: () => Promise<T>;
}

/** Keeps results in memory, so that a restart forgets them; calls with one key wait for each other. */
export class Idempotency {
  /** Least recently used first. */
  readonly #slots = new Map<string, Slot>();

  /** The result and whether it is a replay. @throws ToolError IDEMPOTENCY_KEY_REUSED, or what the call throws */
  async once<T>(call: IdempotentCall<T>): Promise<{ readonly result: T; readonly isReplay: boolean }> {
    if (call.key === undefined) return { result: await call.run(), isReplay: false };
    const name = JSON.stringify([call.tool, call.key]);
    const fingerprint = fingerprintOf(call.args);
    const slot = this.#slots.get(name) ??
      { fingerprint, result: null, isStored: false, users: 0, queue: Promise.resolve() };
    if (slot.fingerprint !== fingerprint) throw reused(call.tool, call.key);
    slot.users++;
    this.#touch(name, slot);
    try {
      const mine = slot.queue.then(() => this.#runOnce(slot, call));
      slot.queue = mine.catch(() => {
        // A waiter behind a failed call runs itself.
      });
      return await mine;
    } finally {
      slot.users--;
      if (!slot.isStored && slot.users === 0) this.#slots.delete(name);
      this.#evict();
    }
  }

  async #runOnce<T>(slot: Slot, call: IdempotentCall<T>): Promise<{ result: T; isReplay: boolean }> {
    if (slot.isStored) return { result: slot.result as T, isReplay: true };
    const result = await call.run();
    if (call.isStorable) {
      slot.result = result;
      slot.isStored = true;
    }
    return { result, isReplay: false };
  }

  #touch(name: string, slot: Slot): void {
    this.#slots.delete(name);
    this.#slots.set(name, slot);
  }

  #evict(): void {
    for (const [name, slot] of this.#slots) {
      if (this.#slots.size <= MAX_SLOTS) return;
      if (slot.users === 0) this.#slots.delete(name);
    }
  }
}

function fingerprintOf(args: Readonly<Record<string, unknown>>): string {
  const { idempotency_key: _, ...counted } = args;
  return fingerprint(counted);
}

function reused(tool: string, key: string): ToolError {
  return new ToolError(
    "IDEMPOTENCY_KEY_REUSED",
    `Cannot run ${tool}: idempotency_key ${JSON.stringify(key)} was used with other arguments`,
    { details: { tool, idempotency_key: key, retry_hint: "Use a new key for a new change" } },
  );
}

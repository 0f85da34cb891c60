/** One listing on one thread. */

import type { ListArguments, Listing, ThreadFault, ThreadReply, ThreadRequest } from "./search_messages.ts";
import type { PoolTask } from "./thread_pool.ts";

/** One listing and who gets its answer; one of the two is called, once. */
export interface ListTaskOptions {
  readonly id: number;
  readonly list: ListArguments;
  readonly done: (listing: Listing) => void;
  readonly failed: (fault: ThreadFault) => void;
}

/** Is done by whichever thread is free first. */
export class ListTask implements PoolTask {
  readonly id: number;
  readonly #options: ListTaskOptions;
  readonly #flag = new Int32Array(new SharedArrayBuffer(4));
  #isAsked = false;

  constructor(options: ListTaskOptions) {
    this.id = options.id;
    this.#options = options;
  }

  opening(): null {
    return null;
  }

  nextFor(): ThreadRequest | null {
    if (this.#isAsked) return null;
    this.#isAsked = true;
    return { kind: "list", task: this.id, list: this.#options.list, shared: this.#flag.buffer };
  }

  reply(_thread: number, reply: Exclude<ThreadReply, { kind: "ready" }>): void {
    if (reply.kind === "listed") this.#options.done(reply.listing);
    else if (reply.kind === "failed") this.#options.failed(reply.fault);
  }

  broke(reason: string): void {
    this.#options.failed({ kind: "bug", message: `a search thread ended: ${reason}` });
  }

  /** Stops the walk; nothing is answered. */
  cancel(): void {
    Atomics.store(this.#flag, 0, 1);
  }
}

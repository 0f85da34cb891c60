/** Spreads the requests of all tasks over the search threads. */

import { clearTimeout, setTimeout } from "node:timers";
import { type SearchThread, startInlineThread, startWorkerThread, type ThreadEvents } from "./search_threads.ts";
import type { ThreadReply, ThreadRequest } from "./search_messages.ts";

/** A search or listing, as the pool sees it. */
export interface PoolTask {
  /** Unlike that of every other task of the pool. */
  readonly id: number;
  /** Sent to a thread before anything else of this task; null when the first request says it all. */
  opening(): ThreadRequest | null;
  /** The next request for `thread`; null when there is none for it now. */
  nextFor(thread: number): ThreadRequest | null;
  /** Takes the answer of `thread` to one request. */
  reply(thread: number, reply: Exclude<ThreadReply, { kind: "ready" }>): void;
  /** A thread is gone, and the task cannot end. */
  broke(reason: string): void;
}

/** Where threads come from, and how many. */
export interface PoolOptions {
  /** Module that serves the search role in a Worker; null: work on this thread. */
  readonly entryUrl: string | null;
  readonly maxThreads: number;
}

/** Threads end after so long without a task: each keeps some 15 MB. */
const IDLE_MS = 30_000;
/** Requests given to a thread ahead, so that it never waits for this thread between two. */
const AHEAD = 2;

interface Slot {
  readonly index: number;
  readonly thread: SearchThread;
  readonly opened: Set<number>;
  isReady: boolean;
  pending: number;
}

/** Starts threads when a task comes and ends them when they were idle for a while. */
export class ThreadPool {
  readonly #options: PoolOptions;
  readonly #tasks = new Map<number, PoolTask>();
  #slots: Slot[] = [];
  #mustInline: boolean;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#mustInline = options.entryUrl === null;
  }

  /** Number of threads that tasks are spread over. */
  get threads(): number {
    return this.#mustInline ? 1 : this.#options.maxThreads;
  }

  /** Starts the threads ahead of a task that is being prepared: that takes longer than most searches. */
  warm(): void {
    if (this.#slots.length > 0) return;
    this.#start();
    this.#startIdling();
  }

  add(task: PoolTask): void {
    this.#stopIdling();
    this.#tasks.set(task.id, task);
    if (this.#slots.length === 0) this.#start();
    this.pump();
  }

  /** Forgets a task and tells the threads to. */
  remove(task: PoolTask): void {
    if (!this.#tasks.delete(task.id)) return;
    for (const slot of this.#slots) {
      if (slot.opened.delete(task.id)) slot.thread.post({ kind: "close", task: task.id });
    }
    if (this.#tasks.size === 0) this.#startIdling();
  }

  /** Hands out what threads can take; call when a task has new requests. */
  pump(): void {
    for (const slot of this.#slots) {
      if (!slot.isReady) continue;
      while (slot.pending < AHEAD && this.#handOut(slot));
    }
  }

  /** Ends all threads; the next task starts new ones. */
  close(): void {
    this.#stopIdling();
    for (const { thread } of this.#slots.splice(0)) thread.end();
  }

  /** Gives one request to a thread; tasks take turns. */
  #handOut(slot: Slot): boolean {
    for (const task of [...this.#tasks.values()]) {
      const request = task.nextFor(slot.index);
      if (request === null) continue;
      if (!slot.opened.has(task.id)) {
        slot.opened.add(task.id);
        const opening = task.opening();
        if (opening !== null) slot.thread.post(opening);
      }
      slot.pending++;
      slot.thread.post(request);
      this.#tasks.delete(task.id);
      this.#tasks.set(task.id, task);
      return true;
    }
    return false;
  }

  #startIdling(): void {
    this.#stopIdling();
    // Threads without work must not keep a program alive that has nothing else to do.
    this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
  }

  #stopIdling(): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
  }

  #start(): void {
    this.#slots = Array.from({ length: this.threads }, (_, index) => this.#startSlot(index));
  }

  #startSlot(index: number): Slot {
    const events: ThreadEvents = {
      reply: (reply) => this.#receive(slot, reply),
      broke: (reason) => this.#lose(slot, reason),
    };
    const thread = this.#mustInline
      ? startInlineThread(events)
      : startWorkerThread(this.#options.entryUrl as string, events);
    const slot: Slot = { index, thread, opened: new Set(), isReady: false, pending: 0 };
    return slot;
  }

  #receive(slot: Slot, reply: ThreadReply): void {
    if (!this.#slots.includes(slot)) return;
    if (reply.kind === "ready") slot.isReady = true;
    else {
      slot.pending = Math.max(0, slot.pending - 1);
      this.#tasks.get(reply.task)?.reply(slot.index, reply);
    }
    this.pump();
  }

  #lose(slot: Slot, reason: string): void {
    if (!this.#slots.includes(slot)) return;
    const wasReady = slot.isReady;
    this.close();
    if (wasReady) {
      for (const task of [...this.#tasks.values()]) task.broke(reason);
      return;
    }
    // Workers cannot be started here, for want of a permission say: slower, but everything works on this thread.
    this.#mustInline = true;
    if (this.#tasks.size > 0) this.#start();
  }
}

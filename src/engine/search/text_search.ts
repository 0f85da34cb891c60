/** One text search: hands out walking and scanning, puts results in order, and ends as soon as enough is known. */

import type { PoolTask } from "./thread_pool.ts";
import type {
  Batch,
  BatchResult,
  FileMatches,
  SearchArguments,
  ThreadFault,
  ThreadReply,
  ThreadRequest,
} from "./search_messages.ts";
import type { WalkCounts } from "./walk_files.ts";

/** What the search found until it ended. */
export interface SearchFindings {
  /** In path order, then line order. */
  readonly matches: readonly FileMatches[];
  /** Matching lines in `matches`. */
  readonly lines: number;
  /** False when the search ended before every file was searched. */
  readonly isComplete: boolean;
  readonly isOutOfTime: boolean;
  readonly counts: WalkCounts;
  /** Paths of files that hold a NUL byte and were not searched. */
  readonly binary: readonly string[];
  readonly unreadable: number;
  /** Files that were searched. */
  readonly searched: number;
}

/** One search and who hears of it. */
export interface TextSearchOptions {
  readonly id: number;
  readonly arguments: SearchArguments;
  /** A single file to search instead of a walk. */
  readonly file: Batch | null;
  /** Matching lines after which the search ends. */
  readonly enoughLines: number;
  /** Called when the first thread takes work: starting threads is no part of the search. */
  readonly started: () => void;
  /** Called once when the search is over, however it ended. */
  readonly ended: () => void;
  readonly done: (findings: SearchFindings) => void;
  readonly failed: (fault: ThreadFault) => void;
  readonly progressed: (searched: number) => void;
}

/** Batches that wait to be scanned while the walk goes on: enough that no thread runs dry. */
const QUEUED_BATCHES = 8;
/** Batches asked of the walk at a time: some milliseconds of work, after which the thread can scan. */
const WALKED_BATCHES = 4;

/** Results are taken in the order of the walk, whichever thread brings them. */
export class TextSearch implements PoolTask {
  readonly id: number;
  readonly #options: TextSearchOptions;
  readonly #flag: Int32Array<SharedArrayBuffer>;
  readonly #queue: { index: number; batch: Batch }[] = [];
  readonly #results: (BatchResult | undefined)[] = [];
  #counts: WalkCounts = { hidden: 0, ignored: 0, unreadable: 0 };
  /** The thread that walks: the first that asks for work. */
  #walker: number | undefined;
  #isWalking = false;
  #isWalked: boolean;
  #batches = 0;
  /** Batches from the first on that are all scanned, and the matching lines in them. */
  #inOrder = 0;
  #linesInOrder = 0;
  #searched = 0;
  #isStarted = false;
  #isOver = false;

  constructor(options: TextSearchOptions) {
    this.id = options.id;
    this.#options = options;
    this.#flag = new Int32Array(new SharedArrayBuffer(4));
    this.#isWalked = options.file !== null;
    if (options.file !== null) this.#queue.push({ index: this.#batches++, batch: options.file });
  }

  opening(): ThreadRequest {
    if (!this.#isStarted) this.#options.started();
    this.#isStarted = true;
    return { kind: "open", task: this.id, search: this.#options.arguments, shared: this.#flag.buffer };
  }

  nextFor(thread: number): ThreadRequest | null {
    if (this.#isOver) return null;
    const mayWalk = !this.#isWalked && !this.#isWalking && this.#queue.length < QUEUED_BATCHES;
    if (mayWalk && (this.#walker ?? thread) === thread) {
      this.#walker = thread;
      this.#isWalking = true;
      return { kind: "walk", task: this.id, maxBatches: WALKED_BATCHES };
    }
    const next = this.#queue.shift();
    return next === undefined ? null : { kind: "scan", task: this.id, ...next };
  }

  reply(_thread: number, reply: Exclude<ThreadReply, { kind: "ready" }>): void {
    if (this.#isOver) return;
    if (reply.kind === "failed") {
      this.#end();
      this.#options.failed(reply.fault);
    } else if (reply.kind === "walked") {
      this.#isWalking = false;
      this.#isWalked = reply.isDone;
      this.#counts = reply.counts;
      for (const batch of reply.batches) this.#queue.push({ index: this.#batches++, batch });
    } else if (reply.kind === "scanned") {
      this.#results[reply.index] = reply.result;
      this.#searched += reply.result.searched;
      this.#advance();
      this.#options.progressed(this.#searched);
    }
    if (this.#linesInOrder >= this.#options.enoughLines) this.#finish({ isOutOfTime: false });
    else if (this.#isWalked && this.#inOrder === this.#batches) this.#finish({ isOutOfTime: false });
  }

  broke(reason: string): void {
    if (this.#isOver) return;
    this.#end();
    this.#options.failed({ kind: "bug", message: `a search thread ended: ${reason}` });
  }

  /** Ends the search with what is known. */
  timeOut(): void {
    if (!this.#isOver) this.#finish({ isOutOfTime: true });
  }

  /** Ends the search without an answer. */
  cancel(): void {
    this.#end();
  }

  #advance(): void {
    for (let result = this.#results[this.#inOrder]; result !== undefined; result = this.#results[++this.#inOrder]) {
      for (const file of result.matches) this.#linesInOrder += file.lines.length;
    }
  }

  #end(): void {
    if (!this.#isOver) this.#options.ended();
    this.#isOver = true;
    Atomics.store(this.#flag, 0, 1);
  }

  #finish({ isOutOfTime }: { isOutOfTime: boolean }): void {
    this.#end();
    // Out of time, batches beyond a gap count too: better than nothing, and the answer says that it is not all.
    const results = (isOutOfTime ? this.#results : this.#results.slice(0, this.#inOrder)).filter((one) =>
      one !== undefined
    );
    const matches = results.flatMap((result) => result.matches);
    this.#options.done({
      matches,
      lines: matches.reduce((sum, file) => sum + file.lines.length, 0),
      isComplete: !isOutOfTime && this.#linesInOrder < this.#options.enoughLines,
      isOutOfTime,
      counts: this.#counts,
      binary: results.flatMap((result) => result.binary),
      unreadable: results.reduce((sum, result) => sum + result.unreadable, 0),
      searched: this.#searched,
    });
  }
}

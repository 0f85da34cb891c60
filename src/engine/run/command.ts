/** One command from its start to its end: its streams, its state, and those who wait for it. */

import type { Child, ChildHost, ExitFacts, SpawnRequest, StreamName, TerminalSize } from "../../platform/child.ts";
import { OutputStream } from "../output/stream_window.ts";
import type { PreparedCommand } from "./surroundings.ts";

/** After the exit output may still be on its way through a pipe that nobody else holds (contract 4.6). */
const DRAIN_MS = 200;

/** Why a command was ended by us rather than by itself. */
export type EndCause =
  | { readonly kind: "deadline" }
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "cancelled" }
  | { readonly kind: "limit"; readonly limit: string };

/** What a command is made from. */
export interface CommandStart {
  readonly id: string;
  readonly prepared: PreparedCommand;
  readonly cwd: string;
  readonly terminal: TerminalSize | null;
  readonly stdin: SpawnRequest["stdin"];
  readonly streamBudgetBytes: number;
  /** Called at the exit of the first process, before anybody who waits learns of it. */
  readonly onExit: (command: Command) => void;
}

/** Lives from the start until the table drops it; ended commands keep their output. */
export class Command {
  readonly id: string;
  /** Milliseconds of the monotonic clock. */
  readonly startedAtMs = performance.now();
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly hasTerminal: boolean;
  readonly prepared: PreparedCommand;
  readonly child: Child;
  /** Facts of the first process; null while it runs. */
  exit: ExitFacts | null = null;
  /** Why it was ended; null: it was not, or not yet. */
  endCause: EndCause | null = null;
  /** Milliseconds of the monotonic clock; null while it runs. */
  endedAtMs: number | null = null;
  /** When a response first said that it has ended. */
  reportedAtMs: number | null = null;
  /** Processes it left behind; known from its end on. */
  leftProcesses = 0;
  /** True once SIGKILL was sent to its tree by us. */
  insisted = false;
  /** How many are ending its tree right now: its result waits for them. */
  terminations = 0;
  /** Warnings that every response repeats no more once they were shown. */
  pendingWarnings: string[];
  readonly #onExit: CommandStart["onExit"];
  readonly #openStreams = new Set<StreamName>(["stdout", "stderr"]);
  readonly #endListeners = new Set<() => void>();
  readonly #outputListeners = new Set<() => void>();
  #drainTimer: ReturnType<typeof setTimeout> | undefined;
  #drained = false;

  /** @throws SystemError when no process could be created */
  constructor(host: ChildHost, start: CommandStart) {
    this.id = start.id;
    this.prepared = start.prepared;
    this.hasTerminal = start.terminal !== null;
    this.stdout = new OutputStream(start.streamBudgetBytes);
    this.stderr = new OutputStream(start.streamBudgetBytes);
    this.pendingWarnings = [...start.prepared.warnings];
    this.#onExit = start.onExit;
    this.child = host.spawn({
      launch: start.prepared.launch,
      env: start.prepared.env,
      cwd: start.cwd,
      terminal: start.terminal,
      stdin: start.stdin,
      events: {
        output: (stream, bytes) => {
          this[stream].buffer.append(bytes);
          this.#tell(this.#outputListeners);
        },
        streamEnded: (stream) => {
          this.#openStreams.delete(stream);
          this.checkEnd();
        },
        exited: (exit) => this.#exited(exit),
      },
    });
  }

  /** True once the exit is known, the output was read, and nobody is ending its tree. */
  get finished(): boolean {
    return this.endedAtMs !== null;
  }

  /** True when another process still holds the output of a finished command. */
  get outputHeld(): boolean {
    return this.finished && this.#openStreams.size > 0;
  }

  get outputBytes(): number {
    return this.stdout.buffer.total + this.stderr.buffer.total;
  }

  get retainedBytes(): number {
    return this.stdout.buffer.retainedBytes + this.stderr.buffer.retainedBytes;
  }

  hasNews(): boolean {
    const options = { ended: this.finished, rendered: this.hasTerminal };
    return this.stdout.hasNews(options) || this.stderr.hasNews(options);
  }

  /** Settles at the end, after `ms`, or on abort; true when the command has ended. */
  async waitForEnd(ms: number, signal?: AbortSignal): Promise<boolean> {
    if (!this.finished && ms > 0) await waitFor(this.#endListeners, { ms, signal, until: () => this.finished });
    return this.finished;
  }

  /**
   * Settles at the end, after `ms`, on abort, or when new output came and then paused for `quietMs`, which it is given
   * at most `collectMs` for.
   */
  async waitForNews(ms: number, rule: { quietMs: number; collectMs: number; signal?: AbortSignal }): Promise<void> {
    const deadline = performance.now() + ms;
    const { signal } = rule;
    const until = (): boolean => this.finished || this.hasNews();
    if (ms > 0 && !until()) await waitFor(this.#outputListeners, { ms, signal, until });
    const collectUntil = Math.min(deadline, performance.now() + rule.collectMs);
    while (!this.finished && !signal?.aborted) {
      const left = collectUntil - performance.now();
      if (left <= 0) return;
      const before = this.outputBytes;
      const quiet = Math.min(left, rule.quietMs);
      await waitFor(this.#endListeners, { ms: quiet, signal, until: () => this.finished });
      if (this.outputBytes === before) return;
    }
  }

  /** Looks whether everything that its end consists of has happened. */
  checkEnd(): void {
    if (this.finished || this.exit === null || this.terminations > 0) return;
    if (this.#openStreams.size > 0 && !this.#drained) return;
    clearTimeout(this.#drainTimer);
    this.endedAtMs = performance.now();
    this.#tell(this.#outputListeners);
    this.#tell(this.#endListeners);
  }

  /** Gives back descriptors. Only after the exit. Nothing more is read, so whoever waits for the end has it. */
  release(): void {
    clearTimeout(this.#drainTimer);
    this.#drained = true;
    this.checkEnd();
    this.child.release();
  }

  #exited(exit: ExitFacts): void {
    this.exit = exit;
    this.#onExit(this);
    this.#drainTimer = setTimeout(() => {
      this.#drained = true;
      this.checkEnd();
    }, DRAIN_MS);
    this.checkEnd();
  }

  #tell(listeners: Set<() => void>): void {
    for (const listener of [...listeners]) listener();
  }
}

function waitFor(
  listeners: Set<() => void>,
  { ms, signal, until }: { ms: number; signal: AbortSignal | undefined; until: () => boolean },
): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      listeners.delete(check);
      resolve();
    };
    const check = (): void => {
      if (until()) done();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
    listeners.add(check);
  });
}

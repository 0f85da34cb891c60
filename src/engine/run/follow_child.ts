/** Follows one program that is no command of a client from its start to the end of its output. */

import type { ChildHost, ExitFacts, StreamName } from "../../platform/child.ts";
import type { Launch } from "../../platform/launch.ts";

/** What to start. The environment is complete: nothing of the server's own is added. */
export interface ChildStart {
  readonly launch: Launch;
  /** Absolute, existing directory. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Bytes for standard input; none: the null device. */
  readonly input?: Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which the program is ended. */
  readonly deadlineMs: number;
  /**
   * Gets each piece of output, which is valid only during the call; `false` ends the program, because nobody reads on.
   * It gets no more of that stream then. What it throws ends the program, and is thrown after its end.
   */
  readonly onOutput: (stream: StreamName, bytes: Uint8Array) => boolean;
}

/** How it ended. */
export interface FollowedEnd {
  readonly exit: ExitFacts;
  /** Why it was ended early, the first reason; null when it ended by itself. */
  readonly stopped: StopReason | null;
}

/** `output`: `onOutput` wanted no more. */
export type StopReason = "output" | "deadline" | "aborted";

/** Milliseconds for the pipes to end after the program has: its own children may hold them for a moment. */
const DRAIN_MS = 200;

/**
 * Starts a program and resolves when it has ended and its output is read.
 *
 * @throws SystemError or LaunchFailure when it could not be started, the abort reason of `signal` before the start only
 */
export async function followChild(host: ChildHost, start: ChildStart): Promise<FollowedEnd> {
  start.signal?.throwIfAborted();
  const watch = new Watch(start.onOutput);
  const stop = (reason: StopReason): void => {
    if (watch.stop(reason)) child.signal("SIGKILL");
  };
  const child = host.spawn({
    launch: start.launch,
    env: start.env,
    cwd: start.cwd,
    terminal: null,
    stdin: start.input === undefined ? "empty" : "pipe",
    events: {
      output(stream, bytes): void {
        if (!watch.wantsMore(stream, bytes)) stop("output");
      },
      streamEnded: (stream) => watch.streamEnded(stream),
      exited: (exit) => watch.exited(exit),
    },
  });
  const onAbort = (): void => stop("aborted");
  start.signal?.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => stop("deadline"), start.deadlineMs);
  try {
    if (start.input !== undefined) {
      child.write(start.input);
      child.closeStdin();
    }
    await child.started;
    const exit = await watch.whole;
    if (watch.fault !== null) throw watch.fault.cause;
    return { exit, stopped: watch.stopped };
  } catch (fault) {
    await watch.whole;
    throw fault;
  } finally {
    clearTimeout(timer);
    start.signal?.removeEventListener("abort", onAbort);
    child.release();
  }
}

/** Gathers output, the ends of both streams and the exit into one moment. */
class Watch {
  readonly whole: Promise<ExitFacts>;
  stopped: StopReason | null = null;
  /** What `onOutput` threw. */
  fault: { cause: unknown } | null = null;
  readonly #onOutput: ChildStart["onOutput"];
  readonly #open = new Set<StreamName>(["stdout", "stderr"]);
  readonly #unwanted = new Set<StreamName>();
  #exit: ExitFacts | null = null;
  #settle!: (exit: ExitFacts) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onOutput: ChildStart["onOutput"]) {
    this.#onOutput = onOutput;
    this.whole = new Promise((resolve) => this.#settle = resolve);
  }

  /** False when the program must end. */
  wantsMore(stream: StreamName, bytes: Uint8Array): boolean {
    if (this.fault !== null || this.#unwanted.has(stream)) return true;
    try {
      if (this.#onOutput(stream, bytes)) return true;
    } catch (cause) {
      this.fault = { cause };
    }
    this.#unwanted.add(stream);
    return false;
  }

  /** Notes the first reason; true when there is something to end. Output that is not wanted counts after the exit too. */
  stop(reason: StopReason): boolean {
    if (this.stopped !== null || (this.#exit !== null && reason !== "output")) return false;
    this.stopped = reason;
    return this.#exit === null;
  }

  streamEnded(stream: StreamName): void {
    this.#open.delete(stream);
    this.#check();
  }

  exited(exit: ExitFacts): void {
    this.#exit = exit;
    this.#timer = setTimeout(() => this.#settle(exit), this.stopped === null ? DRAIN_MS : 0);
    this.#check();
  }

  #check(): void {
    if (this.#exit === null || this.#open.size > 0) return;
    clearTimeout(this.#timer);
    this.#settle(this.#exit);
  }
}

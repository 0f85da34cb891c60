/** Runs git to its end, reading what it prints only as long as somebody wants it. */

import type { ChildHost, ExitFacts } from "../../platform/child.ts";
import type { Launch } from "../../platform/launch.ts";
import { concatBytes } from "./_bytes.ts";

/** What to start. The environment is complete: nothing of the server's own is added. */
export interface ChildStart {
  readonly launch: Launch;
  /** Absolute, existing directory. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  /** Bytes for standard input; none: the null device. */
  readonly input?: Uint8Array;
  /** Gets each piece of standard output, a copy of its own; `false` ends the program, because nobody reads on. */
  readonly onOutput: (chunk: Uint8Array) => boolean;
}

/** How it ended. */
export interface ChildEnd {
  /** Null after death by signal. */
  readonly exitCode: number | null;
  /** First bytes of standard error, as text. */
  readonly stderr: string;
  /** True when `onOutput` asked for the end. */
  readonly stopped: boolean;
  readonly timedOut: boolean;
}

/** Standard error kept, bytes: git's messages are a few lines, a repository with a thousand faults is cut. */
const STDERR_BYTES = 16 * 1024;
/** Milliseconds for the pipes to end after the program has: they hold what it wrote last. */
const DRAIN_MS = 200;

/**
 * Starts a program and resolves when it has ended and its output is read.
 *
 * @throws SystemError or LaunchFailure when it could not be started, or the abort reason of `signal`
 */
export async function runChild(host: ChildHost, start: ChildStart): Promise<ChildEnd> {
  start.signal.throwIfAborted();
  const watch = new Watch(start.onOutput);
  const child = host.spawn({
    launch: start.launch,
    env: start.env,
    cwd: start.cwd,
    terminal: null,
    stdin: start.input === undefined ? "empty" : "pipe",
    events: {
      output(stream, bytes): void {
        if (stream === "stderr") watch.addError(bytes);
        else if (!watch.addOutput(bytes.slice())) child.signal("SIGKILL");
      },
      streamEnded: () => watch.streamEnded(),
      exited: (exit) => watch.exited(exit),
    },
  });
  let timedOut = false;
  const onAbort = (): void => void child.signal("SIGKILL");
  start.signal.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => {
    timedOut = true;
    child.signal("SIGKILL");
  }, start.deadlineMs);
  try {
    if (start.input !== undefined) {
      child.write(start.input);
      child.closeStdin();
    }
    await child.started;
    const exit = await watch.whole;
    start.signal.throwIfAborted();
    if (watch.fault !== null) throw watch.fault.cause;
    return { exitCode: exit.exitCode, stderr: watch.stderr(), stopped: watch.stopped, timedOut };
  } catch (fault) {
    await watch.whole;
    throw fault;
  } finally {
    clearTimeout(timer);
    start.signal.removeEventListener("abort", onAbort);
    child.release();
  }
}

/** Gathers output, the ends of both streams and the exit into one moment. */
class Watch {
  readonly whole: Promise<ExitFacts>;
  stopped = false;
  /** What `onOutput` threw. */
  fault: { cause: unknown } | null = null;
  readonly #onOutput: (chunk: Uint8Array) => boolean;
  readonly #stderr: Uint8Array[] = [];
  #stderrBytes = 0;
  #openStreams = 2;
  #exit: ExitFacts | null = null;
  #settle!: (exit: ExitFacts) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onOutput: (chunk: Uint8Array) => boolean) {
    this.#onOutput = onOutput;
    this.whole = new Promise((resolve) => this.#settle = resolve);
  }

  /** False when the program must end. */
  addOutput(chunk: Uint8Array): boolean {
    if (this.stopped) return true;
    try {
      this.stopped = !this.#onOutput(chunk);
    } catch (cause) {
      this.fault = { cause };
      this.stopped = true;
    }
    return !this.stopped;
  }

  addError(bytes: Uint8Array): void {
    if (this.#stderrBytes < STDERR_BYTES) this.#stderr.push(bytes.slice());
    this.#stderrBytes += bytes.length;
  }

  stderr(): string {
    return new TextDecoder().decode(concatBytes(this.#stderr).subarray(0, STDERR_BYTES)).trim();
  }

  streamEnded(): void {
    this.#openStreams--;
    this.#check();
  }

  exited(exit: ExitFacts): void {
    this.#exit = exit;
    this.#timer = setTimeout(() => this.#settle(exit), this.stopped ? 0 : DRAIN_MS);
    this.#check();
  }

  #check(): void {
    if (this.#exit === null || this.#openStreams > 0) return;
    clearTimeout(this.#timer);
    this.#settle(this.#exit);
  }
}

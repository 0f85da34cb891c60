/** Runs one helper program to its end and gives back what it wrote: for git and other programs that are not commands of a client. */

import { ToolError } from "../../base/tool_error.ts";
import type { ChildHost, ExitFacts, StreamName } from "../../platform/child.ts";
import { SystemError } from "../../platform/errno.ts";
import type { Launch } from "../../platform/launch.ts";
import { findProgram } from "./find_program.ts";

export interface ChildRun {
  /** Program and arguments; the program as an absolute path, or searched in PATH of `env`. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
  /** A confined start of `argv`; without it the program starts as it is. */
  readonly launch?: Launch;
  readonly stdin?: Uint8Array;
  /** The child is ended once its standard output has more bytes than this; the rest is not kept. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
  /** Milliseconds after which the child is ended. */
  readonly deadlineMs: number;
}

export interface ChildResult {
  /** At most `maxBytes`. */
  readonly stdout: Uint8Array<ArrayBuffer>;
  /** At most 64 KiB, from the start. */
  readonly stderr: Uint8Array<ArrayBuffer>;
  readonly exit: ExitFacts;
  /** Why it was ended early; null when it ended by itself. */
  readonly stopped: "bytes" | "deadline" | "aborted" | null;
}

const MAX_STDERR_BYTES = 64 * 1024;
/** A helper's own children may hold its pipes for a moment after its end. */
const DRAIN_MS = 200;

/**
 * Settles when the program has ended and its output was read.
 *
 * @throws SystemError when it could not be started, LaunchFailure when its confinement failed
 */
export async function runChild(host: ChildHost, run: ChildRun): Promise<ChildResult> {
  const collected = { stdout: new Collector(run.maxBytes), stderr: new Collector(MAX_STDERR_BYTES) };
  const end = new RunEnd();
  const stop = (reason: NonNullable<ChildResult["stopped"]>): void => {
    if (end.exit !== null || end.stopped !== null) return;
    end.stopped = reason;
    child.signal("SIGKILL");
  };
  run.signal?.throwIfAborted();
  const child = host.spawn({
    launch: run.launch ?? unconfinedLaunch(run.argv, run.env["PATH"] ?? ""),
    env: run.env,
    cwd: run.cwd,
    terminal: null,
    stdin: run.stdin === undefined ? "empty" : "pipe",
    events: {
      output(stream, bytes): void {
        if (!collected[stream].add(bytes) && stream === "stdout") stop("bytes");
      },
      streamEnded: (stream) => end.streamEnded(stream),
      exited: (exit) => end.exited(exit),
    },
  });
  const onAbort = (): void => stop("aborted");
  run.signal?.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => stop("deadline"), run.deadlineMs);
  try {
    if (run.stdin !== undefined) {
      child.write(run.stdin);
      child.closeStdin();
    }
    await child.started;
    const exit = await end.whole;
    return {
      stdout: collected.stdout.bytes(),
      stderr: collected.stderr.bytes(),
      exit,
      stopped: end.stopped,
    };
  } catch (fault) {
    await end.whole;
    throw fault;
  } finally {
    clearTimeout(timer);
    run.signal?.removeEventListener("abort", onAbort);
    child.release();
  }
}

/** A start without any confinement. @throws SystemError `ENOENT` when the program is not in `searchPath` */
export function unconfinedLaunch(argv: readonly string[], searchPath: string): Launch {
  const path = findProgram(argv[0] ?? "", searchPath);
  if (path === null) throw new SystemError("ENOENT", "execve", argv[0] ?? "");
  return { path, argv, inherit: [], statusRead: null, release: () => undefined };
}

/** The `SystemError` of a start as the failure that a tool reports. */
export function spawnFailed(fault: SystemError): ToolError {
  return new ToolError("COMMAND_SPAWN_FAILED", `Cannot start ${fault.path}: ${fault.step} failed with ${fault.errno}`, {
    details: {
      errno: fault.errno,
      reason: fault.step,
      ...(fault.errno === "EPERM"
        ? { retry_hint: "The server may not start programs: the operator has to give it --allow-ffi or --allow-run." }
        : {}),
    },
    root: { operation_outcome: "spawn_error" },
    retryable: fault.errno === "EAGAIN" || fault.errno === "ENOMEM",
    cause: fault,
  });
}

/** Gathers exit and stream ends into one moment. */
class RunEnd {
  stopped: ChildResult["stopped"] = null;
  exit: ExitFacts | null = null;
  readonly whole: Promise<ExitFacts>;
  readonly #open = new Set<StreamName>(["stdout", "stderr"]);
  #settle!: (exit: ExitFacts) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.whole = new Promise((resolve) => this.#settle = resolve);
  }

  streamEnded(stream: StreamName): void {
    this.#open.delete(stream);
    this.#check();
  }

  exited(exit: ExitFacts): void {
    this.exit = exit;
    this.#timer = setTimeout(() => this.#settle(exit), this.stopped === null ? DRAIN_MS : 0);
    this.#check();
  }

  #check(): void {
    if (this.exit === null || this.#open.size > 0) return;
    clearTimeout(this.#timer);
    this.#settle(this.exit);
  }
}

/** Keeps the first `limit` bytes. */
class Collector {
  readonly #limit: number;
  readonly #chunks: Uint8Array<ArrayBuffer>[] = [];
  #length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** False when something had to be dropped. */
  add(chunk: Uint8Array): boolean {
    const room = this.#limit - this.#length;
    const kept = new Uint8Array(chunk.subarray(0, room));
    if (kept.length > 0) this.#chunks.push(kept);
    this.#length += kept.length;
    return chunk.length <= room;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const joined = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      joined.set(chunk, at);
      at += chunk.length;
    }
    return joined;
  }
}

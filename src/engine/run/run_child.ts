/** Runs one program to its end and gives back what it wrote: for programs that are not commands of a client. */

import { ToolError } from "../../base/tool_error.ts";
import type { ChildHost, ExitFacts } from "../../platform/child.ts";
import { SystemError } from "../../platform/errno.ts";
import type { Launch } from "../../platform/launch.ts";
import { findProgram } from "./find_program.ts";
import { followChild } from "./follow_child.ts";

/** What to run, and how much of its output to keep. */
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

/** What it wrote, and how it ended. */
export interface ChildResult {
  /** At most `maxBytes`. */
  readonly stdout: Uint8Array<ArrayBuffer>;
  /** At most 64 KiB, from the start. */
  readonly stderr: Uint8Array<ArrayBuffer>;
  readonly exit: ExitFacts;
  /** Why it was ended early; null when it ended by itself. */
  readonly stopped: "bytes" | "deadline" | "aborted" | null;
}

/** Kept of standard error; a helper says what is wrong in its first lines. */
const MAX_STDERR_BYTES = 64 * 1024;

/**
 * Settles when the program has ended and its output was read.
 *
 * @throws SystemError when it could not be started, LaunchFailure when its confinement failed
 */
export async function runChild(host: ChildHost, run: ChildRun): Promise<ChildResult> {
  const collected = { stdout: new Collector(run.maxBytes), stderr: new Collector(MAX_STDERR_BYTES) };
  run.signal?.throwIfAborted();
  const { exit, stopped } = await followChild(host, {
    launch: run.launch ?? unconfinedLaunch(run.argv, run.env["PATH"] ?? ""),
    env: run.env,
    cwd: run.cwd,
    input: run.stdin,
    signal: run.signal,
    deadlineMs: run.deadlineMs,
    onOutput: (stream, bytes) => collected[stream].add(bytes) || stream === "stderr",
  });
  return {
    stdout: collected.stdout.bytes(),
    stderr: collected.stderr.bytes(),
    exit,
    stopped: stopped === "output" ? "bytes" : stopped,
  };
}

/** A start without any confinement. @throws SystemError `ENOENT` when the program is not in `searchPath` */
function unconfinedLaunch(argv: readonly string[], searchPath: string): Launch {
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
      retry_hint: startHint(fault.errno),
    },
    root: { operation_outcome: "spawn_error" },
    retryable: fault.errno === "EAGAIN" || fault.errno === "ENOMEM",
    cause: fault,
  });
}

function startHint(errno: string): string {
  if (errno === "EPERM") {
    return "The server may not start programs: the operator has to give it --allow-ffi or --allow-run.";
  }
  if (errno === "EAGAIN" || errno === "ENOMEM") {
    return "The machine is out of processes or memory: end a command with kill_command or wait, then try again.";
  }
  return "Nothing was started. `vise doctor` on the host shows what commands need.";
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

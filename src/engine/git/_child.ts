/** Runs git to its end, reading what it prints only as long as somebody wants it. */

import type { ChildHost } from "../../platform/child.ts";
import { type ChildStart as FollowedStart, followChild } from "../run/follow_child.ts";
import { concatBytes } from "./_bytes.ts";

/** What to start; the whole environment of it. */
export interface ChildStart extends Omit<FollowedStart, "onOutput"> {
  readonly signal: AbortSignal;
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

/**
 * Starts a program and resolves when it has ended and its output is read.
 *
 * @throws SystemError or LaunchFailure when it could not be started, or the abort reason of `signal`
 */
export async function runChild(host: ChildHost, start: ChildStart): Promise<ChildEnd> {
  const stderr: Uint8Array[] = [];
  let stderrBytes = 0;
  const { exit, stopped } = await followChild(host, {
    ...start,
    onOutput(stream, bytes) {
      if (stream === "stdout") return start.onOutput(bytes.slice());
      if (stderrBytes < STDERR_BYTES) stderr.push(bytes.slice());
      stderrBytes += bytes.length;
      return true;
    },
  });
  start.signal.throwIfAborted();
  return {
    exitCode: exit.exitCode,
    stderr: new TextDecoder().decode(concatBytes(stderr).subarray(0, STDERR_BYTES)).trim(),
    stopped: stopped === "output",
    timedOut: stopped === "deadline",
  };
}

/** Notices a call that fails the same way again and says so; it never blocks one (contract 1.6). */

import type { ErrorCode } from "../base/error_codes.ts";
import { ToolError } from "../base/tool_error.ts";

/** A failure older than this is forgotten: by then the workspace has usually changed. */
const FORGET_AFTER_MS = 60_000;
/** Remembered calls; the least recently failed one goes first. */
const MAX_KEYS = 256;

/** Retryable codes that are counted all the same: repeating them unchanged cannot succeed. */
const COUNTED_THOUGH_RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  "PATCH_CONTEXT_NOT_FOUND",
  "PATCH_CONTEXT_AMBIGUOUS",
  "REVISION_MISMATCH",
  "REVISION_REQUIRED",
]);
const NEVER_COUNTED: ReadonlySet<ErrorCode> = new Set(["IDEMPOTENCY_KEY_REUSED", "INTERNAL_ERROR"]);

interface Memory {
  readonly counts: Map<ErrorCode, number>;
  failedAt: number;
}

/** Remembers the latest `MAX_KEYS` failing calls of a run, each for `FORGET_AFTER_MS`. */
export class FailureMemory {
  readonly #now: () => number;
  readonly #calls = new Map<string, Memory>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts the failure; from the second identical one on, returns the error with the advice in its details. `key`: tool and fingerprint. */
  remember(key: string, error: ToolError): ToolError {
    if (NEVER_COUNTED.has(error.code) || (error.retryable && !COUNTED_THOUGH_RETRYABLE.has(error.code))) return error;
    const now = this.#now();
    let memory = this.#calls.get(key);
    if (memory === undefined || now - memory.failedAt > FORGET_AFTER_MS) memory = { counts: new Map(), failedAt: now };
    memory.failedAt = now;
    const count = (memory.counts.get(error.code) ?? 0) + 1;
    memory.counts.set(error.code, count);
    this.#calls.delete(key);
    this.#calls.set(key, memory);
    if (this.#calls.size > MAX_KEYS) this.#calls.delete(this.#calls.keys().next().value as string);
    return count < 2 ? error : advised(error, count);
  }

  /** Calls that are remembered. */
  get size(): number {
    return this.#calls.size;
  }

  /** The call succeeded: its failures are history. */
  forget(key: string): void {
    this.#calls.delete(key);
  }

  /** Something wrote to the workspace, so that every earlier failure may have lost its reason. */
  clear(): void {
    this.#calls.clear();
  }
}

function advised(error: ToolError, count: number): ToolError {
  const details = {
    ...error.details,
    recent_identical_failures: count,
    repeat_warning:
      `This exact call has failed ${count} times with ${error.code}. Sending it again unchanged will fail again: change the arguments or look at the workspace first.`,
  };
  return new ToolError(error.code, error.message, {
    details,
    root: error.root,
    diagnostics: error.diagnostics,
    retryable: error.retryable,
    cause: error.cause,
  });
}

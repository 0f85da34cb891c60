/** The failure that a tool reports to the model. */

import { ERROR_CODES, type ErrorCategory, type ErrorCode } from "./error_codes.ts";

/** A call that can be made as it stands. */
export interface NextAction {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Machine-readable hint beside an error or a result (contract 1.7). */
export interface Diagnostic {
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly evidence?: string;
  readonly suggested_fix?: string;
  readonly suggested_next_command?: string;
  readonly suggested_server_flag?: string;
}

/** What a failure carries beside its code and its sentence. */
export interface ToolErrorOptions {
  /** Facts for the machine; keys as contract 1.5 lists them. `retry_hint` and `next_action` live here too. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Keys put at the root of the structured value beside `ok` and `error` (contract 1.3). */
  readonly root?: Readonly<Record<string, unknown>>;
  /** Causes found in the environment, with what would mend them; shown as suggested actions. */
  readonly diagnostics?: readonly Diagnostic[];
  /** Overrides the table where contract 1.5 makes it depend on the cause (`INVALID_ARGUMENT` past the end of a file, `ENOSPC`). */
  readonly retryable?: boolean;
  /** The fault behind this one, for the log; it never reaches the model. */
  readonly cause?: unknown;
}

/**
 * A failure that travels to the model as a tool result with `isError`.
 *
 * The message is one sentence without a final full stop: what could not be done, a colon, the fact that stopped it.
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: ErrorCode;
  readonly category: ErrorCategory;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  readonly root: Readonly<Record<string, unknown>>;
  readonly diagnostics: readonly Diagnostic[];

  constructor(code: ErrorCode, message: string, options: ToolErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.category = ERROR_CODES[code].category;
    this.retryable = options.retryable ?? ERROR_CODES[code].retryable;
    this.details = options.details ?? {};
    this.root = options.root ?? {};
    this.diagnostics = options.diagnostics ?? [];
  }
}

/** Errors of the operating system that may pass by themselves (O-9). */
const PASSING_ERRNOS: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EMFILE"]);

/** A system call that failed. */
export interface FailedStep {
  readonly path: string;
  /** Such as `EACCES`. */
  readonly errno: string;
  /** Names the system call or the action, as a verb. */
  readonly step: string;
  readonly cause?: unknown;
}

/** An `IO_ERROR` for a fault of the operating system that has no code of its own (O-9). */
export function ioError({ path, errno, step, cause }: FailedStep): ToolError {
  return new ToolError("IO_ERROR", `Cannot ${step} ${path}: ${errno}`, {
    details: { path, errno, step },
    retryable: PASSING_ERRNOS.has(errno),
    cause,
  });
}

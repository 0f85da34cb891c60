/** Every code that a tool failure can carry, with its category and whether the same call may succeed later. */

/** What a model should think of first: its arguments, its rights, the machine, or a bug. */
export type ErrorCategory =
  | "validation"
  | "security"
  | "permission"
  | "runtime"
  | "not_found"
  | "conflict"
  | "internal";

/** What holds for every failure with one code, whatever its cause. */
export interface ErrorTraits {
  readonly category: ErrorCategory;
  /** Whether the very same call may succeed later; `ToolError` can say otherwise for one failure. */
  readonly retryable: boolean;
}

/** The one table of codes: category and retryable are looked up here and passed nowhere else, so a code means one thing. */
export const ERROR_CODES = {
  ABSOLUTE_PATH_DENIED: { category: "security", retryable: false },
  PATH_OUTSIDE_WORKSPACE: { category: "security", retryable: false },
  SYMLINK_ESCAPE: { category: "security", retryable: false },
  NOT_FOUND: { category: "not_found", retryable: false },
  IS_DIRECTORY: { category: "validation", retryable: false },
  NOT_A_DIRECTORY: { category: "validation", retryable: false },
  INVALID_ARGUMENT: { category: "validation", retryable: false },
  BINARY_FILE: { category: "validation", retryable: false },
  UNSUPPORTED_ENCODING: { category: "validation", retryable: false },
  UNSUPPORTED_MEDIA: { category: "validation", retryable: false },
  OUTPUT_TOO_LARGE: { category: "validation", retryable: false },
  PATCH_FAILED: { category: "validation", retryable: false },
  PATCH_CONTEXT_NOT_FOUND: { category: "validation", retryable: true },
  PATCH_CONTEXT_AMBIGUOUS: { category: "validation", retryable: true },
  PATCH_HUNKS_OVERLAP: { category: "validation", retryable: false },
  PATCH_CONFLICT: { category: "conflict", retryable: true },
  PATCH_ROLLBACK_FAILED: { category: "internal", retryable: false },
  REVISION_REQUIRED: { category: "validation", retryable: true },
  REVISION_MISMATCH: { category: "conflict", retryable: true },
  IDEMPOTENCY_KEY_REUSED: { category: "validation", retryable: false },
  PERMISSION_REQUIRED: { category: "permission", retryable: false },
  ELICITATION_UNSUPPORTED: { category: "permission", retryable: false },
  COMMAND_NOT_FOUND: { category: "not_found", retryable: false },
  COMMAND_CLOSED: { category: "runtime", retryable: false },
  COMMAND_LIMIT_REACHED: { category: "runtime", retryable: true },
  COMMAND_SPAWN_FAILED: { category: "runtime", retryable: false },
  TTY_UNSUPPORTED: { category: "runtime", retryable: false },
  RUNTIME_DIR_UNWRITABLE: { category: "runtime", retryable: false },
  SANDBOX_UNAVAILABLE: { category: "security", retryable: false },
  GIT_ERROR: { category: "runtime", retryable: false },
  IO_ERROR: { category: "runtime", retryable: false },
  INTERNAL_ERROR: { category: "internal", retryable: false },
  REPEATED_CALL_BLOCKED: { category: "validation", retryable: false },
} as const satisfies Record<string, ErrorTraits>;

/** A code of the table above: the only ones that reach a model (contract 1.5). */
export type ErrorCode = keyof typeof ERROR_CODES;

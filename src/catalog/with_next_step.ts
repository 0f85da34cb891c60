/** What a failure says last: how to go on. Most know it themselves; here is the general word for those that do not. */

import type { ErrorCode } from "../base/error_codes.ts";
import { ToolError } from "../base/tool_error.ts";

/** The failure with a `retry_hint`, unless it names a next step already. */
export function withNextStep(tool: string, error: ToolError): ToolError {
  const { details } = error;
  if (details["retry_hint"] !== undefined || details["next_action"] !== undefined) return error;
  const hint = error.code === "INVALID_ARGUMENT"
    ? `Call ${tool} again with ${String(details["argument"] ?? "the arguments")} corrected.`
    : HINTS[error.code];
  if (hint === undefined) return error;
  return new ToolError(error.code, error.message, {
    details: { ...details, retry_hint: hint },
    root: error.root,
    diagnostics: error.diagnostics,
    retryable: error.retryable,
    cause: error.cause,
  });
}

const HINTS: Partial<Record<ErrorCode, string>> = {
  SYMLINK_ESCAPE: "Name a path that stays inside the workspace; list_dir shows what is there.",
  PATH_OUTSIDE_WORKSPACE: "Name a path that stays inside the workspace; list_dir shows what is there.",
  IS_DIRECTORY: "Name a file; list_dir shows those in it.",
  PATCH_FAILED: "Correct what the message names and send the whole change again.",
  PATCH_CONFLICT: "Read the file again; something else changed it meanwhile.",
  IO_ERROR: "Remove the cause on the host first, for example free space or give access.",
  GIT_ERROR: "Correct the call by what git says; git_status shows the state of the repository.",
  NOT_FOUND: "list_dir shows what is there.",
  NOT_A_DIRECTORY: "Name a directory; list_dir shows those that are there.",
};

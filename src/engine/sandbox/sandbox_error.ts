/** Turns faults of the sandbox into what the model reads. */

import { ToolError } from "../../base/tool_error.ts";
import type { LaunchFailure } from "../../platform/child.ts";
import { errnoName, type SystemError } from "../../platform/errno.ts";
import { EXECVE_STEP, stepName } from "../../platform/linux/trampoline_steps.ts";

const RETRY_HINT = "Nothing was started. Run `vise doctor` on the host to see which part of the sandbox is missing.";
/** Out of processes or memory: the same call may succeed later (contract 1.5). */
const PASSING: readonly string[] = ["EAGAIN", "ENOMEM"];

/** A start that failed on its way (O-31): a step of the sandbox, or the program itself. */
export function launchError(failure: LaunchFailure, program: string): ToolError {
  const errno = errnoName(failure.errno);
  if (failure.step === EXECVE_STEP) {
    return new ToolError("COMMAND_SPAWN_FAILED", `Cannot execute ${program}: ${errno}`, {
      details: {
        errno,
        reason: "the program could not be executed",
        retry_hint: executionHint(errno),
      },
      root: { operation_outcome: "spawn_error" },
      retryable: PASSING.includes(errno),
    });
  }
  const step = stepName(failure.step);
  return new ToolError("SANDBOX_UNAVAILABLE", `Cannot confine the command: ${step} failed with ${errno}`, {
    details: { step, errno, reason: `the sandbox step ${step} failed`, retry_hint: RETRY_HINT },
  });
}

/** A plan that could not be made real (D-42). */
export function sandboxError(fault: SystemError): ToolError {
  const where = fault.path === "" ? "" : ` ${fault.path}`;
  return new ToolError("SANDBOX_UNAVAILABLE", `Cannot prepare the sandbox: ${fault.step}${where}: ${fault.errno}`, {
    details: {
      ...(fault.path === "" ? {} : { path: fault.path }),
      errno: fault.errno,
      step: fault.step,
      reason: `${fault.step} failed`,
      retry_hint: RETRY_HINT,
    },
    cause: fault,
  });
}

function executionHint(errno: string): string {
  // No execute bit, or a place outside the sandbox; an interpreter line (#!) counts as a place too.
  if (errno === "EACCES") return "If its mode is right, let the operator name its directory in VISE_EXEC_ALLOW_ROOTS.";
  if (PASSING.includes(errno)) {
    return "The machine is out of processes or memory: end a command with kill_command or wait, then try again.";
  }
  return "Nothing was started. `vise doctor` on the host shows what commands need.";
}

/** The last net for faults of the operating system that no room has named (O-9): only a bug may be INTERNAL_ERROR. */

import { ToolError } from "../base/tool_error.ts";
import { errnoName, isShortage } from "../platform/errno.ts";

/** `IO_ERROR` for a failed system call or a missing permission, whichever interface reported it; null for everything else. */
export function systemFault(fault: unknown): ToolError | null {
  if (!(fault instanceof Error)) return null;
  if (fault.name === "NotCapable") return missingPermission(fault);
  const { errno, code, step, syscall, path } = fault as Error & Partial<Record<string, unknown>>;
  const name = fault.name === "SystemError" ? errno : code ?? errnoInMessage(fault.message);
  // `ERR_…` are the codes of the runtime itself.
  if (typeof name !== "string" || !/^(E[A-Z0-9]+|errno \d+)$/.test(name)) return null;
  const doing = [step, syscall].find((word) => typeof word === "string") ?? "system call";
  return new ToolError("IO_ERROR", `The system refused: ${fault.message}`, {
    details: {
      ...(typeof path === "string" ? { path } : {}),
      errno: name,
      step: doing,
      retry_hint: "Remove the cause on the host first, for example free space or give access.",
    },
    retryable: isShortage(name) || name === "EDQUOT",
    cause: fault,
  });
}

/** A permission that the runtime was not started with; its message names the flag (O-53). */
function missingPermission(fault: Error): ToolError {
  return new ToolError("IO_ERROR", `The runtime lacks a permission: ${fault.message}`, {
    details: {
      errno: "EACCES",
      step: "permission",
      retry_hint: "Only whoever starts the server can add the flag; what needs no such permission goes on working.",
    },
    cause: fault,
  });
}

/** Deno ends such a message with the number. */
function errnoInMessage(message: string): string | undefined {
  const number = /\(os error (\d+)\)$/.exec(message)?.[1];
  return number === undefined ? undefined : errnoName(Number(number));
}

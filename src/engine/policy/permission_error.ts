/** The refusal of a policy gate, with what to do about it (contract 5.2, 1.7). */

import { type Diagnostic, ToolError } from "../../base/tool_error.ts";
import type { Config } from "../../config/config.ts";
import type { GatePermission, Verdict } from "./classify_command.ts";

/** What a refusal says beside its gate. */
export interface RefusalFacts {
  readonly cmd: string;
  /** Canonical workspace root. */
  readonly root: string;
  readonly mode: Config["permissionMode"];
  /** Whether the client can ask its user. */
  readonly canAsk: boolean;
}

/** What one refusal says. */
interface Wording {
  readonly fact: string;
  readonly hint: string;
  readonly diagnostic?: Diagnostic;
}

/** The error for a blocked `verdict`. */
export function permissionError(verdict: Extract<Verdict, { kind: "blocked" }>, facts: RefusalFacts): ToolError {
  const { permission, details } = verdict;
  const wording = WORDINGS[permission](details, facts);
  const askable = facts.canAsk && permission !== "filesystem_escape";
  const action = {
    tool: "request_permissions",
    arguments: {
      tool_name: "exec_command",
      permission,
      reason: "Say why the command is needed.",
      arguments: { cmd: facts.cmd },
    },
  };
  return new ToolError("PERMISSION_REQUIRED", `Cannot run the command: ${wording.fact}`, {
    details: {
      permission,
      ...details,
      retry_hint: askable ? `${wording.hint} Or ask the user with request_permissions.` : wording.hint,
      ...(askable ? { next_action: action } : {}),
    },
    root: {
      status: "failed",
      permission_request: { tool_name: "exec_command", permission, status: "required", retryable: true },
    },
    diagnostics: wording.diagnostic === undefined ? [] : [wording.diagnostic],
  });
}

const TRUSTED_FLAG = "--permission-mode trusted";

type WordingMaker = (details: Readonly<Record<string, unknown>>, facts: RefusalFacts) => Wording;

const WORDINGS: Readonly<Record<GatePermission, WordingMaker>> = {
  privileged_executable: ({ path }) => ({
    fact: `${path} runs with the rights of another user (setuid or setgid)`,
    hint: "Use a program that works with your own rights.",
  }),
  filesystem_escape: ({ path }, { root }) => ({
    fact: `the path ${path} leaves the workspace or is absolute`,
    hint: escapeHint(path as string, root),
  }),
  sensitive_env: ({ env_keys }) => ({
    fact: `env holds a secret or a loader variable (${(env_keys as string[]).join(", ")})`,
    hint: "Leave the variable out of env.",
    diagnostic: {
      code: "SECRET_ENV_REJECTED",
      severity: "error",
      suggested_fix: "Leave secrets and loader variables out of env.",
    },
  }),
  inline_script: ({ command, option }) => ({
    fact: `inline code for ${command} (${option}) cannot be checked in safe mode`,
    hint: "Write the code to a file in the workspace with apply_patch or apply_changes and run that file.",
    diagnostic: {
      code: "INLINE_SCRIPT_PERMISSION_REQUIRED",
      severity: "error",
      suggested_fix: "Write the code to a file in the workspace and run the file.",
      suggested_server_flag: TRUSTED_FLAG,
    },
  }),
  shell_expansion: () => ({
    fact: "command and process substitution are not allowed in safe mode",
    hint: "Run the inner command first and put its output into the next command.",
    diagnostic: {
      code: "SHELL_EXPANSION_PERMISSION_REQUIRED",
      severity: "error",
      suggested_fix: "Run the inner command first and put its output into the next command.",
      suggested_server_flag: TRUSTED_FLAG,
    },
  }),
  destructive_command: () => ({
    fact: "it destroys files or work that cannot be brought back, or acts as another user",
    hint: "Delete single files with apply_patch or apply_changes, or use rm -r without -f on a path in the workspace.",
  }),
  network: (_, { mode }) => ({
    fact: "it looks for a network, and the network is closed",
    hint: "Work without the network; the operator can open it with --network open.",
    diagnostic: {
      code: "NETWORK_PERMISSION_REQUIRED",
      severity: "error",
      suggested_fix: "Work without the network, or let the operator open it.",
      suggested_server_flag: mode === "safe" ? TRUSTED_FLAG : "--network open",
    },
  }),
};

/** An absolute path below the root is one slip away from a good one: the right spelling is named. */
function escapeHint(path: string, root: string): string {
  if (path === root || path.startsWith(root + "/")) {
    return `Spell it ${
      JSON.stringify(path.slice(root.length + 1) || ".")
    }: commands start in the workspace root unless workdir says otherwise.`;
  }
  if (/^\/(?:var\/)?tmp(?:\/|$)/.test(path)) {
    return 'For temporary files use "$TMPDIR/…", which every command may write.';
  }
  return 'Use a path relative to the working directory, without ".." and not absolute; set workdir to work below a directory.';
}

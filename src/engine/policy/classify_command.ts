/**
 * Decides whether a command line passes the gates of the policy (contract 5, O-34).
 *
 * This is advice against accidents; what a command can really do is decided by the kernel (O-30).
 */

import type { NetworkReach } from "../../config/config.ts";
import { isFilteredVariable } from "../environment/secret_names.ts";
import { isDestructive, mayUseNetwork, removesAbsolutePath, wantsNetwork } from "./danger_gates.ts";
import { escapingPath, type PathGateFacts } from "./path_gate.ts";
import { readShell } from "./read_shell.ts";
import type { ShellReading } from "./shell_reading.ts";

/** Permissions that a gate can ask for. */
export type GatePermission =
  | "privileged_executable"
  | "filesystem_escape"
  | "sensitive_env"
  | "inline_script"
  | "shell_expansion"
  | "destructive_command"
  | "network";

/** What a verdict depends on besides the text; functions look at the file system for it. */
export interface PolicyContext extends PathGateFacts {
  readonly network: NetworkReach;
  /** Gates that a grant has opened. */
  readonly granted: ReadonlySet<GatePermission>;
  /** Variables of the call. */
  readonly callEnv: Readonly<Record<string, string>>;
  /** Path of the setuid or setgid program that this command word would run; null otherwise. */
  readonly setIdProgram: (commandWord: string) => string | null;
}

/** Passed, or the first gate that did not let the command through, with the facts for its error. */
export type Verdict =
  | { readonly kind: "allowed"; readonly mayUseNetwork: boolean }
  | {
    readonly kind: "blocked";
    readonly permission: GatePermission;
    readonly details: Readonly<Record<string, unknown>>;
  };

/** Runs the gates in the order of contract 5.2; the first hit wins. Pure but for what `context` looks up. */
export function classifyCommand(cmd: string, context: PolicyContext): Verdict {
  const reading = readShell(cmd);
  const online = mayUseNetwork(reading);
  if (context.mode === "dangerous") return { kind: "allowed", mayUseNetwork: online };
  for (const gate of GATES) {
    if (context.granted.has(gate.permission) || (gate.safeOnly && context.mode !== "safe")) continue;
    const details = gate.check(reading, context, cmd);
    if (details !== null) return { kind: "blocked", permission: gate.permission, details };
  }
  return { kind: "allowed", mayUseNetwork: online };
}

interface Gate {
  readonly permission: GatePermission;
  readonly safeOnly?: boolean;
  /** Details of the refusal; null lets the command pass. */
  check(reading: ShellReading, context: PolicyContext, cmd: string): Record<string, unknown> | null;
}

const GATES: readonly Gate[] = [
  {
    permission: "privileged_executable",
    check({ commands }, { setIdProgram }) {
      for (const { name, word } of commands) {
        const path = name === "" ? null : setIdProgram(word.value);
        if (path !== null) return { path };
      }
      return null;
    },
  },
  {
    permission: "filesystem_escape",
    check(reading, context) {
      const path = escapingPath(reading, context);
      return path === null ? null : { path };
    },
  },
  {
    permission: "sensitive_env",
    check(_reading, { callEnv }) {
      const filtered = Object.entries(callEnv).some(([name, value]) => isFilteredVariable(name, value));
      return filtered ? { env_keys: Object.keys(callEnv).sort() } : null;
    },
  },
  {
    permission: "inline_script",
    safeOnly: true,
    check({ inline: [first] }) {
      return first === undefined ? null : { command: first.command, option: first.option };
    },
  },
  {
    permission: "shell_expansion",
    safeOnly: true,
    check: ({ substitutions }, _context, cmd) => substitutions.length === 0 ? null : { command: collapsed(cmd) },
  },
  {
    permission: "destructive_command",
    check: (reading, _context, cmd) => {
      return removesAbsolutePath(reading) || isDestructive(reading) ? { command: collapsed(cmd) } : null;
    },
  },
  {
    permission: "network",
    check: (reading, { network }, cmd) => wantsNetwork(reading, network) ? { command: collapsed(cmd) } : null,
  },
];

/** Characters of the command kept in an error: enough to recognise it. */
const MAX_SHOWN_COMMAND = 500;

function collapsed(cmd: string): string {
  return cmd.replace(/\s+/g, " ").trim().toLowerCase().slice(0, MAX_SHOWN_COMMAND);
}

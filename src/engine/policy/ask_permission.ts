/** Asks the person behind the client for a permission and turns the answer into a grant (O-16). */

import { ToolError } from "../../base/tool_error.ts";
import type { PermissionMode } from "../../config/config.ts";
import type { Grant, GrantablePermission, GrantScope, GrantStore } from "./grant_store.ts";

/** What the person is asked. */
export interface PermissionQuestion {
  readonly toolName: string;
  readonly permission: string;
  /** The model's reason; shown as such. */
  readonly reason: string;
  /** The only command it shall hold for; null: any. */
  readonly command: string | null;
  /** Names of the variables that the command wants to set. */
  readonly envKeys: readonly string[];
  readonly scope: GrantScope;
  readonly ttlSeconds: number;
  readonly principal: string;
}

/** What decides beside the person. */
export interface AskFacts {
  readonly mode: PermissionMode;
  readonly networkIsOpen: boolean;
  readonly workspace: string;
  readonly grants: GrantStore;
  /** Shows `message` to the person; null when the client cannot. */
  readonly ask: ((message: string) => Promise<"accept" | "decline" | "cancel">) | null;
  readonly signal: AbortSignal;
}

/** What came of a question that is no refusal. */
export type PermissionAnswer =
  | { readonly kind: "granted"; readonly grant: Grant }
  /** The permission is there already or never needed. */
  | { readonly kind: "not_required"; readonly why: string };

/** Longest wait for a person. 10 minutes: they may be away for a moment; clients give up earlier. */
const ANSWER_LIMIT_MS = 600_000;
/** A longer command could not be shown whole, and nobody should confirm what they cannot see. */
const MAX_COMMAND_CHARS = 4_000;

/**
 * Asks and gives the grant.
 * @throws ToolError ELICITATION_UNSUPPORTED without a way to ask, PERMISSION_REQUIRED when refused, INVALID_ARGUMENT
 */
export async function askPermission(question: PermissionQuestion, facts: AskFacts): Promise<PermissionAnswer> {
  if (facts.ask === null) throw unsupported(question);
  const why = needlessBecause(question, facts);
  if (why !== null) return { kind: "not_required", why };
  const permission = grantable(question);
  if (question.command !== null && question.command.length > MAX_COMMAND_CHARS) {
    throw new ToolError(
      "INVALID_ARGUMENT",
      `Cannot ask for a command of ${question.command.length} characters: at most ${MAX_COMMAND_CHARS} can be shown whole`,
      {
        details: {
          argument: "arguments.cmd",
          retry_hint: "Write the command to a script file and ask for running that.",
        },
      },
    );
  }
  const answer = await withLimit(facts.ask(questionText(question, facts.workspace)), facts.signal);
  if (answer !== "accept") throw refused(question, answer);
  const { scope, command, principal, ttlSeconds } = question;
  return { kind: "granted", grant: facts.grants.give({ permission, scope, command, principal }, ttlSeconds) };
}

const GRANTABLE: Readonly<Record<GrantablePermission, string>> = {
  network: "use the network",
  destructive_command: "run a destructive command",
  sensitive_env: "pass secret or loader variables to a command",
  shell_expansion: "use command and process substitution",
  inline_script: "run code given on the command line",
  privileged_executable: "start a setuid or setgid program",
};

function grantable({ toolName, permission }: PermissionQuestion): GrantablePermission {
  if (toolName === "exec_command" && Object.hasOwn(GRANTABLE, permission)) return permission as GrantablePermission;
  throw new ToolError("PERMISSION_REQUIRED", `Cannot grant ${permission} to ${toolName}: no user decision opens that`, {
    details: {
      permission,
      tool_name: toolName,
      retry_hint: "Stay inside the workspace; only the operator can change its limits.",
    },
    root: { status: "declined", grant_id: null, expires_at: null },
  });
}

/** Why nobody has to be asked; null when somebody has to. */
function needlessBecause({ permission, toolName }: PermissionQuestion, facts: AskFacts): string | null {
  if (toolName !== "exec_command") return null;
  if (permission === "long_timeout") return "timeout_ms up to 600000 needs no permission";
  if (permission === "network" && facts.networkIsOpen) return "the network is open";
  const free = permission === "shell_expansion" || permission === "inline_script";
  return free && facts.mode === "trusted" ? `${permission} is allowed in trusted mode` : null;
}

/**
 * Security: the model's own words are quoted line by line and stripped of control characters, so that they cannot look
 * like a part of the question; the text is the same for the same question, which the stateless protocol compares.
 */
function questionText(question: PermissionQuestion, workspace: string): string {
  const action = GRANTABLE[question.permission as GrantablePermission];
  const lifetime = question.scope === "once"
    ? `for the next matching command within ${question.ttlSeconds} seconds`
    : `for every matching command during ${question.ttlSeconds} seconds`;
  return [
    `Allow the assistant to ${action} in ${plain(workspace)}, ${lifetime}?`,
    question.command === null ? "Command: any" : `Command:\n${quoted(question.command)}`,
    ...(question.envKeys.length > 0 ? [`Variables: ${question.envKeys.map(plain).join(", ")}`] : []),
    `The assistant's reason:\n${quoted(question.reason.slice(0, 1_000))}`,
  ].join("\n");
}

function quoted(text: string): string {
  return text.split("\n").map((line) => `> ${plain(line)}`).join("\n");
}

/** Text without controls and without characters that reorder or hide text (UAX 9). */
function plain(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, "\ufffd");
}

async function withLimit<T>(answer: Promise<T>, signal: AbortSignal): Promise<T | "timed_out" | "cancel"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onAbort: (() => void) | undefined;
  const limits = new Promise<"timed_out" | "cancel">((resolve) => {
    timer = setTimeout(() => resolve("timed_out"), ANSWER_LIMIT_MS);
    onAbort = () => resolve("cancel");
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([answer, limits]);
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal.removeEventListener("abort", onAbort);
  }
}

function unsupported(question: PermissionQuestion): ToolError {
  return new ToolError("ELICITATION_UNSUPPORTED", "Cannot ask the user: this client offers no way to", {
    details: {
      requested: requestedOf(question),
      retry_hint: "Do the task without this permission, or tell the user which server flag would give it.",
    },
    root: { status: "unsupported", grant_id: null, expires_at: null },
  });
}

const REFUSALS = {
  decline: { status: "declined", fact: "the user declined" },
  cancel: { status: "cancelled", fact: "the user did not decide" },
  timed_out: { status: "timed_out", fact: "the user did not answer in time" },
} as const;

function refused(question: PermissionQuestion, answer: keyof typeof REFUSALS): ToolError {
  const { status, fact } = REFUSALS[answer];
  return new ToolError("PERMISSION_REQUIRED", `Cannot grant ${question.permission}: ${fact}`, {
    details: {
      permission: question.permission,
      requested: requestedOf(question),
      retry_hint: "Do the task without this permission; do not ask for the same again unless the user says so.",
    },
    root: { status, grant_id: null, expires_at: null },
  });
}

function requestedOf(question: PermissionQuestion): Record<string, unknown> {
  const { toolName, permission, reason, command, scope, ttlSeconds } = question;
  return {
    tool_name: toolName,
    permission,
    reason,
    ...(command === null ? {} : { command }),
    scope,
    ttl_seconds: ttlSeconds,
  };
}

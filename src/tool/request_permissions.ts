/** Tool `request_permissions`: asks the user for what the policy refused (contract 3.19, O-16). */

import { ToolError } from "../base/tool_error.ts";
import { askPermission } from "../engine/policy/ask_permission.ts";
import * as s from "../schema/schema.ts";
import { defineTool } from "./tool.ts";

const input = s.object({
  tool_name: s.enumeration(["exec_command", "apply_patch", "apply_changes"]),
  permission: s.enumeration([
    "network",
    "destructive_command",
    "long_timeout",
    "sensitive_env",
    "shell_expansion",
    "inline_script",
    "privileged_executable",
    "write_generated_or_ignored",
    "filesystem_escape",
  ]),
  reason: s.string({ minLength: 1 }),
  arguments: s.record(s.anything(), "Of the refused call; cmd binds the grant to it."),
  scope: s.withDefault(s.enumeration(["once", "session"]), "once"),
  ttl_seconds: s.withDefault(s.integer({ min: 1, max: 3600 }), 300),
});

const output = s.openObject({
  status: s.optional(s.string()),
  grant_id: s.optional(s.nullable(s.string())),
  expires_at: s.optional(s.nullable(s.string())),
  constraints: s.optional(s.openObject({})),
});

type Input = s.Infer<typeof input>;

interface Output extends Record<string, unknown> {
  status: string;
  grant_id: string | null;
  expires_at: string | null;
  constraints?: Record<string, unknown>;
  warnings?: string[];
}

/** Grants live in memory and end with the server. */
export const requestPermissions = defineTool<Input, Output>({
  name: "request_permissions",
  title: "Request permissions",
  description: "Ask the user to allow what PERMISSION_REQUIRED refused; if granted, repeat that call unchanged.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input,
  output,
  slips: { tool: "tool_name", args: "arguments", ttl: "ttl_seconds" },

  async run(args, { config, engines, signal, elicit, principal }) {
    if (config.permissionMode === "dangerous") return everythingIsAllowed(args, config.workspace);
    const command = args.arguments["cmd"] ?? null;
    if (command !== null && typeof command !== "string") {
      throw new ToolError("INVALID_ARGUMENT", "Cannot ask: arguments.arguments.cmd must be a string", {
        details: { argument: "arguments.cmd" },
      });
    }
    const env = args.arguments["env"];
    const question = {
      toolName: args.tool_name,
      permission: args.permission,
      reason: args.reason,
      command,
      envKeys: typeof env === "object" && env !== null ? Object.keys(env).sort() : [],
      scope: args.scope,
      ttlSeconds: args.ttl_seconds,
      principal,
    };
    const answer = await askPermission(question, {
      mode: config.permissionMode,
      networkIsOpen: config.network === "open",
      workspace: config.workspace,
      grants: await engines.grants(),
      ask: elicit === undefined ? null : async (message) => (await elicit(message, NOTHING_TO_FILL_IN)).action,
      signal,
    });
    if (answer.kind === "not_required") {
      return { status: "not_required", grant_id: null, expires_at: null, warnings: [`Not needed: ${answer.why}.`] };
    }
    const { id, permission, scope, expiresAtMs } = answer.grant;
    return {
      status: "granted",
      grant_id: id,
      expires_at: new Date(expiresAtMs).toISOString(),
      constraints: { tool_name: args.tool_name, permission, scope, command, ttl_seconds: args.ttl_seconds },
    };
  },

  render(out) {
    const constraints = out.constraints;
    const bound = constraints?.["command"] ? " for the named command" : "";
    const until = out.expires_at === null ? "" : ` (${constraints?.["scope"]}${bound}, until ${out.expires_at})`;
    return {
      head: `Permission request: ${out.status}${until}.`,
      body: out.grant_id === null ? "" : `Grant: ${out.grant_id}. Repeat the refused call.`,
      foot: (out.warnings ?? []).map((warning) => `Warning: ${warning}`).join("\n"),
    };
  },
});

/** Accepting is the whole answer: a form with a field could be accepted with the field left open. */
const NOTHING_TO_FILL_IN = { type: "object", properties: {} };

function everythingIsAllowed(args: Input, workspace: string): Output {
  return {
    status: "granted",
    grant_id: "dangerously-skip-all-permissions",
    expires_at: null,
    constraints: { mode: "dangerously_skip_all_permissions", workspace, requested: args },
    warnings: ["All permission checks are off; nothing needed to be granted."],
  };
}

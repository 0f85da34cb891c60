/** Tool `server_info`: who answers, on which workspace, under which rules. */

import { PRODUCT, PROTOCOL_VERSIONS } from "../base/product.ts";
import type { Config } from "../config/config.ts";
import { DEFAULT_PATH } from "../engine/environment/command_environment.ts";
import type { GrantSummary } from "../engine/policy/grant_store.ts";
import { findProgram } from "../engine/run/find_program.ts";
import { mutationPolicy } from "../engine/sandbox/mutation_policy.ts";
import type { CommandSummary, ProjectContextFiles } from "../engine/server_facts.ts";
import * as s from "../schema/schema.ts";
import { type CallContext, defineTool, READ_ONLY } from "./tool.ts";

const input = s.object({});

const output = s.openObject({
  server: s.optional(s.string()),
  title: s.optional(s.string()),
  version: s.optional(s.string()),
  supported_protocol_versions: s.optional(s.array(s.string())),
  workspace: s.optional(s.string()),
  permission_mode: s.optional(s.string()),
  network_allowed: s.optional(s.boolean()),
  network: s.optional(s.string()),
  shell: s.optional(s.string()),
  runtime_dir: s.optional(s.string()),
  home: s.optional(s.string()),
  tmpdir: s.optional(s.string()),
  cache_dir: s.optional(s.string()),
  auth_enabled: s.optional(s.boolean()),
  dangerously_skip_all_permissions: s.optional(s.boolean()),
  annotation_override: s.optional(s.nullable(s.string())),
  landlock: s.optional(s.openObject({})),
  file_confinement: s.optional(s.openObject({})),
  exec_policy: s.optional(s.openObject({})),
  workspace_mutation_policy: s.optional(s.openObject({})),
  shell_env_inherit: s.optional(s.string()),
  shell_env_include_only: s.optional(s.array(s.string())),
  shell_env_exclude: s.optional(s.array(s.string())),
  output_retention: s.optional(s.openObject({})),
  endpoint_path: s.optional(s.string()),
  project_context: s.optional(s.openObject({})),
  commands: s.optional(s.array(s.openObject({}))),
  grants: s.optional(s.array(s.openObject({}))),
  tools: s.optional(s.array(s.string())),
  tool_count: s.optional(s.integer()),
});

type Landlock = { available: boolean; abi_version: number | null; enabled: boolean; reason?: string; details?: string };

type Output = {
  server: string;
  title: string;
  version: string;
  supported_protocol_versions: readonly string[];
  workspace: string;
  permission_mode: string;
  network_allowed: boolean;
  network: string;
  shell: string;
  runtime_dir: string;
  home: string;
  tmpdir: string;
  cache_dir: string;
  auth_enabled: boolean;
  dangerously_skip_all_permissions: boolean;
  annotation_override: string | null;
  landlock: Landlock;
  file_confinement: { race_free: boolean; reason?: string };
  exec_policy: Record<string, string>;
  workspace_mutation_policy: Record<string, unknown>;
  shell_env_inherit: string;
  shell_env_include_only: readonly string[];
  shell_env_exclude: readonly string[];
  output_retention: Record<string, number>;
  endpoint_path: string;
  project_context: ProjectContextFiles;
  commands: readonly CommandSummary[];
  grants: readonly GrantSummary[];
  tools: readonly string[];
  tool_count: number;
};

/** Reads only and starts nothing but what it reports. */
export const serverInfo = defineTool<Record<string, never>, Output>({
  name: "server_info",
  title: "Server info",
  description: "Workspace, modes, limits, commands and grants of this server.",
  annotations: READ_ONLY,
  input: input as s.Schema<Record<string, never>>,
  output,

  async run(_input, context) {
    const { config, engines, toolNames } = context;
    const [{ confinement }, { runtime }, grants] = await Promise.all([
      engines.sandbox(),
      engines.environment(),
      engines.grants(),
    ]);
    const { instance, home, tmp, cache } = runtime.paths;
    const { workspace } = engines;
    const { isGone } = workspace;
    const raceReason = isGone ? "the workspace is no longer there" : workspace.tree.raceReason;
    const isDangerous = config.permissionMode === "dangerous";
    return {
      server: PRODUCT.name,
      title: PRODUCT.title,
      version: PRODUCT.version,
      supported_protocol_versions: PROTOCOL_VERSIONS,
      workspace: config.workspace,
      permission_mode: config.permissionMode,
      network_allowed: isDangerous || config.network === "open",
      network: isDangerous ? "open" : config.network,
      shell: shellOf(config),
      runtime_dir: instance,
      home,
      tmpdir: tmp,
      cache_dir: cache,
      auth_enabled: config.transport === "http" && config.http.authMode !== "noauth",
      dangerously_skip_all_permissions: isDangerous,
      annotation_override: config.fakeReadonlyAnnotations ? "fake_readonly" : null,
      landlock: landlockOf({ abi: confinement.abi, reason: confinement.reason, isDangerous }),
      file_confinement: { race_free: raceReason === null, ...(raceReason === null ? {} : { reason: raceReason }) },
      exec_policy: EXEC_POLICY[config.permissionMode],
      workspace_mutation_policy: mutationOf(config, confinement.abi),
      shell_env_inherit: config.shellEnvInherit,
      shell_env_include_only: config.shellEnvIncludeOnly,
      shell_env_exclude: config.shellEnvExclude,
      output_retention: retentionOf(config),
      endpoint_path: "/mcp",
      project_context: isGone ? NO_FILES : await projectContextOf(context),
      commands: engines.commandSummaries?.() ?? [],
      grants: grants.list(),
      tools: toolNames,
      tool_count: toolNames.length,
    };
  },

  render(out) {
    return {
      head: `${out.server} ${out.version}\nWorkspace: ${out.workspace}`,
      body: [
        `Mode: ${out.permission_mode}; Landlock: ${landlockWord(out.landlock)}; network: ${out.network}`,
        `Shell: ${out.shell}; home of commands: ${out.home}; temporary directory: ${out.tmpdir}`,
        ...(out.file_confinement.race_free ? [] : [`File tools: ${out.file_confinement.reason}`]),
        ...mutationLines(out.workspace_mutation_policy),
        ...out.commands.map((one) => `Command ${one.command_id}: ${one.status}, ${one.age_seconds} s`),
        ...out.grants.map((one) => `Grant ${one.grant_id}: ${one.permission}, ${one.scope}, until ${one.expires_at}`),
      ].join("\n"),
    };
  },
});

/** Contract 5.1; the last label says what commands may write in the shared temporary directory. */
const EXEC_POLICY: Readonly<Record<Config["permissionMode"], Record<string, string>>> = {
  safe: {
    shell_expansion: "blocked",
    inline_script: "blocked",
    global_tmp_write: "blocked",
    secret_env_filter: "enabled",
  },
  trusted: {
    shell_expansion: "allowed",
    inline_script: "allowed",
    global_tmp_write: "tmp-prefix",
    secret_env_filter: "enabled",
  },
  dangerous: {
    shell_expansion: "allowed",
    inline_script: "allowed",
    global_tmp_write: "allowed",
    secret_env_filter: "disabled",
  },
};

/** The head of a stream's budget (contract 4.4). */
const HEAD_PART = 8;

function shellOf(config: Config): string {
  const name = config.shell ?? "sh";
  const path = config.environment["PATH"] ?? DEFAULT_PATH;
  return findProgram(name, path) ?? name;
}

function landlockOf(
  { abi, reason, isDangerous }: { abi: number | null; reason: string | null; isDangerous: boolean },
): Landlock {
  return {
    available: abi !== null,
    abi_version: abi,
    enabled: abi !== null && !isDangerous,
    ...(reason === null ? {} : { reason, details: "commands start without file system confinement" }),
  };
}

function landlockWord(landlock: Landlock): string {
  if (!landlock.available) return "unavailable";
  return landlock.enabled ? `enforced (ABI ${landlock.abi_version})` : "off";
}

function mutationOf(config: Config, abi: number | null): Record<string, unknown> {
  const policy = mutationPolicy(config, abi);
  return {
    mode: policy.mode,
    write_paths: policy.writePaths,
    enforced: policy.enforced,
    enforced_by: policy.enforcedBy,
    structured_write_tools: ["apply_changes", "apply_patch"],
    warnings: policy.warnings,
  };
}

function mutationLines(policy: Record<string, unknown>): string[] {
  if (policy["mode"] === "unrestricted") return [];
  return [
    `Workspace changes by commands: ${policy["mode"]}, enforced by ${policy["enforced_by"]}`,
    ...(policy["warnings"] as string[]).map((warning) => `Warning: ${warning}`),
  ];
}

function retentionOf({ limits }: Config): Record<string, number> {
  return {
    buffer_bytes_per_stream: limits.streamBufferBytes,
    head_bytes_per_stream: Math.floor(limits.streamBufferBytes / HEAD_PART),
    completed_command_ttl_seconds: limits.commandTtlS,
    max_retained_completed_commands: limits.maxRetainedCommands,
    max_active_commands: limits.maxActiveCommands,
    max_runtime_output_bytes: limits.maxOutputBytesTotal,
  };
}

const NO_FILES: ProjectContextFiles = { root_instruction_files: [], nested_instruction_files: [], warnings: [] };

async function projectContextOf({ engines }: CallContext): Promise<ProjectContextFiles> {
  const found = await engines.projectContextFiles?.();
  return found ?? NO_FILES;
}

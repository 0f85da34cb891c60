/** Tool `check_exec_environment`: what confines the commands of this run. Starts nothing. */

import { mutationPolicy } from "../engine/sandbox/mutation_policy.ts";
import * as s from "../schema/schema.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

const input = s.object({});

const output = s.openObject({
  workspace: s.optional(s.string()),
  permission_mode: s.optional(s.string()),
  network_allowed: s.optional(s.boolean()),
  network: s.optional(s.string()),
  runtime_dir: s.optional(s.string()),
  home: s.optional(s.string()),
  tmpdir: s.optional(s.string()),
  cache_dir: s.optional(s.string()),
  landlock_enabled: s.optional(s.boolean()),
  landlock_abi: s.optional(s.nullable(s.integer())),
  global_tmp_write: s.optional(s.string()),
  workspace_mutation_policy: s.optional(s.openObject({})),
  warnings: s.optional(s.array(s.string())),
});

type Output = {
  workspace: string;
  permission_mode: string;
  network_allowed: boolean;
  network: string;
  runtime_dir: string;
  home: string;
  tmpdir: string;
  cache_dir: string;
  landlock_enabled: boolean;
  landlock_abi: number | null;
  global_tmp_write: string;
  workspace_mutation_policy: Record<string, unknown>;
  warnings: string[];
};

/** Label of the peer for what a mode lets commands write in the shared temporary directory (contract 5.1). */
const GLOBAL_TMP_WRITE = { safe: "blocked", trusted: "tmp-prefix", dangerous: "allowed" } as const;

/** Reports what the kernel enforces, which may be less than what was asked for. */
export const checkExecEnvironment = defineTool<Record<string, never>, Output>({
  name: "check_exec_environment",
  title: "Check exec environment",
  description: "Confinement, network reach and private directories of commands.",
  annotations: READ_ONLY,
  input: input as s.Schema<Record<string, never>>,
  output,

  async run(_input, { config, engines }) {
    const [{ confinement }, { runtime }] = await Promise.all([engines.sandbox(), engines.environment()]);
    const { abi } = confinement;
    const policy = mutationPolicy(config, abi);
    const dangerous = config.permissionMode === "dangerous";
    const { instance, home, tmp, cache } = runtime.paths;
    const warnings = [
      ...(confinement.reason === null ? [] : [`Commands are not confined by the kernel: ${confinement.reason}`]),
      ...policy.warnings,
      ...(dangerous ? ["dangerous mode: policy gates and the sandbox are off"] : []),
      ...(config.fakeReadonlyAnnotations ? ["tools are advertised as read-only although they are not"] : []),
    ];
    return {
      workspace: config.workspace,
      permission_mode: config.permissionMode,
      network_allowed: dangerous || config.network === "open",
      network: dangerous ? "open" : config.network,
      runtime_dir: instance,
      home,
      tmpdir: tmp,
      cache_dir: cache,
      landlock_enabled: abi !== null && !dangerous,
      landlock_abi: abi,
      global_tmp_write: GLOBAL_TMP_WRITE[config.permissionMode],
      workspace_mutation_policy: {
        mode: policy.mode,
        write_paths: policy.writePaths,
        enforced: policy.enforced,
        enforced_by: policy.enforcedBy,
        structured_write_tools: ["apply_changes", "apply_patch"],
        warnings: policy.warnings,
      },
      warnings,
    };
  },

  render(out) {
    const landlock = out.landlock_abi === null ? "unavailable" : "available";
    return {
      head: `Execution environment checked. Landlock: ${landlock}.`,
      body: [
        `Mode: ${out.permission_mode}; network: ${out.network}; Landlock ABI: ${out.landlock_abi ?? "none"}`,
        `Home: ${out.home}`,
        `Temporary directory: ${out.tmpdir}`,
        `Cache: ${out.cache_dir}`,
        `Workspace changes by commands: ${out.workspace_mutation_policy["mode"]}`,
      ].join("\n"),
      foot: out.warnings.join("\n"),
    };
  },
});

/** The fixed list of tools in the order of `tools/list`, each loaded when first called. */

import type { AnyTool } from "../tool/tool.ts";

/** A tool by name, with its module left on the disk until the first call. */
export interface ToolEntry {
  readonly name: string;
  readonly load: () => Promise<AnyTool>;
}

/** Order and names never change within a major version: clients and prompt caches depend on them (O-3). */
export const TOOLS: readonly ToolEntry[] = [
  { name: "server_info", load: async () => (await import("../tool/server_info.ts")).serverInfo },
  {
    name: "check_exec_environment",
    load: async () => (await import("../tool/check_exec_environment.ts")).checkExecEnvironment,
  },
  { name: "read_file", load: async () => (await import("../tool/read_file.ts")).readFile },
  { name: "list_dir", load: async () => (await import("../tool/list_dir.ts")).listDir },
  { name: "list_files", load: async () => (await import("../tool/list_files.ts")).listFiles },
  { name: "search_text", load: async () => (await import("../tool/search_text.ts")).searchText },
  { name: "apply_patch", load: async () => (await import("../tool/apply_patch.ts")).applyPatch },
  { name: "apply_changes", load: async () => (await import("../tool/apply_changes.ts")).applyChanges },
  { name: "exec_command", load: async () => (await import("../tool/exec_command.ts")).execCommand },
  { name: "write_stdin", load: async () => (await import("../tool/write_stdin.ts")).writeStdin },
  { name: "kill_command", load: async () => (await import("../tool/kill_command.ts")).killCommand },
  { name: "read_output", load: async () => (await import("../tool/read_output.ts")).readOutput },
  { name: "git_status", load: async () => (await import("../tool/git_status.ts")).gitStatus },
  { name: "git_diff", load: async () => (await import("../tool/git_diff.ts")).gitDiff },
  { name: "git_log", load: async () => (await import("../tool/git_log.ts")).gitLog },
  { name: "git_show", load: async () => (await import("../tool/git_show.ts")).gitShow },
  { name: "git_blame", load: async () => (await import("../tool/git_blame.ts")).gitBlame },
  {
    name: "request_permissions",
    load: async () => (await import("../tool/request_permissions.ts")).requestPermissions,
  },
  { name: "view_image", load: async () => (await import("../tool/view_image.ts")).viewImage },
  { name: "workspace_guide", load: async () => (await import("../tool/workspace_guide.ts")).workspaceGuide },
];

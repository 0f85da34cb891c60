/** The fixed list of tools in the order of `tools/list`, each loaded when first called. */

import type { AnyTool } from "../tool/tool.ts";

export interface ToolEntry {
  readonly name: string;
  readonly load: () => Promise<AnyTool>;
}

/** Order and names never change within a major version: clients and prompt caches depend on them (O-3). */
export const TOOLS: readonly ToolEntry[] = [
  // 1: server_info
  // 2: check_exec_environment
  { name: "read_file", load: async () => (await import("../tool/read_file.ts")).readFile },
  // 4: list_dir
  // 5: list_files
  // 6: search_text
  // 7: apply_patch
  // 8: apply_changes
  // 9: exec_command
  // 10: write_stdin
  // 11: kill_command
  // 12: read_output
  // 13: git_status
  // 14: git_diff
  // 15: git_log
  // 16: git_show
  // 17: git_blame
  // 18: request_permissions
  // 19: view_image
  // 20: workspace_guide
];

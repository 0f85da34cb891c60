/** Leaves out the paths that git ignores, and links and special files that no instruction can be read from. */

import { ToolError } from "../../base/tool_error.ts";
import { NO_OUTER_RULES } from "../search/ignore_rules.ts";
import { isPathIgnored } from "../search/walk_files.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Those of `paths` (workspace-relative) that are regular files inside the workspace and not ignored. */
export function usableFiles(workspace: Workspace, paths: readonly string[]): string[] {
  return paths.filter((path) => {
    try {
      return workspace.resolveExisting(path).kind === "file" && !isPathIgnored(workspace.tree, path, NO_OUTER_RULES);
    } catch (fault) {
      if (fault instanceof ToolError) return false;
      throw fault;
    }
  });
}

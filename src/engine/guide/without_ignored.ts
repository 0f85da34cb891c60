/** Leaves out the paths that git ignores. */

import { NO_OUTER_RULES } from "../search/ignore_rules.ts";
import { isPathIgnored } from "../search/walk_files.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Those of `paths` (files, workspace-relative) that no ignore rule covers. */
export function withoutIgnored(workspace: Workspace, paths: readonly string[]): string[] {
  return paths.filter((path) => !isPathIgnored(workspace.tree, path, NO_OUTER_RULES));
}

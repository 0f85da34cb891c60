/** What stands at a path, without following a link at its end. */

import { SystemError } from "../../platform/errno.ts";
import type { EntryKind } from "../../platform/file_facts.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Null when nothing is there, or when a link on the way or a missing right keeps it from being seen. */
export function entryKind(workspace: Workspace, path: string): EntryKind | null {
  try {
    return workspace.tree.facts(path).kind;
  } catch (fault) {
    if (fault instanceof SystemError) return null;
    throw fault;
  }
}

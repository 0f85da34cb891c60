/** The directories whose guidance applies to a target, root first (contract 9.3, O-18). */

import { ToolError } from "../../base/tool_error.ts";
import { directoryOf } from "../../base/tree_path.ts";
import type { EntryKind } from "../../platform/file_facts.ts";
import type { Workspace } from "../workspace/workspace.ts";

/** Directories below the root that are considered (contract 9.3). */
const MAX_CHAIN_DEPTH = 32;

/** A target and the directories above it. */
export interface TargetChain {
  /** Resolved target; for one that does not exist its nearest existing ancestor with the rest appended. */
  readonly path: string;
  readonly kind: EntryKind | "missing";
  /** Workspace-relative, `.` first. */
  readonly directories: readonly string[];
  /** Whether deeper directories were left out. */
  readonly isCut: boolean;
}

/** The chain of a target, which need not exist yet. @throws ToolError with the path codes, but not NOT_FOUND */
export function targetChain(workspace: Workspace, spelled: string): TargetChain {
  const { path, kind, rest } = nearestExisting(workspace, spelled);
  const deepest = kind === "directory" ? path : directoryOf(path);
  const steps = deepest === "." ? [] : deepest.split("/");
  const kept = steps.slice(0, MAX_CHAIN_DEPTH);
  return {
    path: rest.length === 0 ? path : [...(path === "." ? [] : [path]), ...rest].join("/"),
    kind: rest.length === 0 ? kind : "missing",
    directories: [".", ...kept.map((_, index) => kept.slice(0, index + 1).join("/"))],
    isCut: kept.length < steps.length,
  };
}

interface Existing {
  readonly path: string;
  readonly kind: EntryKind;
  /** Components of the spelling that do not exist. */
  readonly rest: readonly string[];
}

function nearestExisting(workspace: Workspace, spelled: string): Existing {
  workspace.requireRoot();
  try {
    return { ...workspace.resolveExisting(spelled, { emptyIsRoot: true }), rest: [] };
  } catch (fault) {
    // Only what is missing is looked for higher up; a path that leaves the workspace is refused as everywhere.
    if (!(fault instanceof ToolError) || fault.code !== "NOT_FOUND") throw fault;
    return { ...workspace.nearestDirectory(spelled), kind: "directory" };
  }
}

/** Changes given to the patch engine of a temporary workspace. */

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { ToolError } from "../../src/base/tool_error.ts";
import type { ChangeReport } from "../../src/engine/patch/change_report.ts";
import type { ChangeRequest } from "../../src/engine/patch/change_request.ts";
import { PatchEngine } from "../../src/engine/patch/patch_engine.ts";
import { Workspace } from "../../src/engine/workspace/workspace.ts";
import { snapshot } from "./mixed_commit.ts";
import type { TempWorkspace } from "./temp_workspace.ts";

/** An engine whose state lies beside the workspace. */
function engineOn(workspace: TempWorkspace): PatchEngine {
  return new PatchEngine({
    workspace: new Workspace(workspace.root),
    config: { runtimeRoot: null, environment: { XDG_STATE_HOME: join(workspace.parent, "state") } },
  });
}

/** Applies the changes to the disk. */
export function apply(workspace: TempWorkspace, ...changes: ChangeRequest[]): Promise<ChangeReport> {
  return engineOn(workspace).applyChanges(changes, { dryRun: false });
}

/** SHA-256 in lower-case hexadecimal, as the tools report it. */
export function revision(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Asserts that the changes fail as `expected` and leave the workspace as it was; gives back the error. */
export async function refused(
  workspace: TempWorkspace,
  changes: ChangeRequest[],
  expected: { code: string; details?: Record<string, unknown> },
): Promise<ToolError> {
  const before = snapshot(workspace.root);
  let seen: ToolError | undefined;
  await rejects(apply(workspace, ...changes), (fault: ToolError) => {
    seen = fault;
    strictEqual(fault.code, expected.code, fault.message);
    for (const [key, value] of Object.entries(expected.details ?? {})) deepStrictEqual(fault.details[key], value, key);
    return true;
  });
  deepStrictEqual(snapshot(workspace.root), before);
  return seen as ToolError;
}

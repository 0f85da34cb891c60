/** A process that is killed with SIGKILL in the middle of a commit, at every step; recovery by another one. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PatchEngine } from "../../src/engine/patch/patch_engine.ts";
import { isFilled } from "../../src/engine/patch/state_places.ts";
import { Workspace } from "../../src/engine/workspace/workspace.ts";
import { mixedCommit, snapshot } from "../support/mixed_commit.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

const CHILD = fileURLToPath(new URL("./commit_child.ts", import.meta.url));
/** With `VISE_LONG_TESTS=1` every step of the largest commit, else that many of them, spread evenly. */
const SAMPLED_KILLS = Deno.env.get("VISE_LONG_TESTS") === "1" ? Infinity : 60;

function commitInChild(
  workspace: TempWorkspace,
  what: { patch: string; when: string },
): { signal: string | null; stdout: string } {
  const args = ["run", "-A", "--quiet", CHILD, workspace.root, join(workspace.parent, "state"), what.when];
  const { signal, stdout, stderr, status } = spawnSync(Deno.execPath(), args, { input: what.patch, encoding: "utf8" });
  ok(signal !== null || status === 0, stderr);
  return { signal, stdout };
}

for (const count of [1, 2, 20]) {
  Deno.test(`a process killed at any step of a commit of ${count} file(s) leaves the tree wholly old or wholly new`, async () => {
    let before: unknown;
    let after: unknown;
    let steps = 0;
    {
      using workspace = new TempWorkspace();
      const patch = mixedCommit(workspace, count);
      before = snapshot(workspace.root);
      steps = Number(commitInChild(workspace, { patch, when: "never" }).stdout);
      after = snapshot(workspace.root);
    }
    const stride = Math.max(1, Math.ceil(steps / SAMPLED_KILLS));
    const seen = new Set<string>();
    for (let at = 0; at < steps; at += stride) {
      using workspace = new TempWorkspace();
      const patch = mixedCommit(workspace, count);
      strictEqual(commitInChild(workspace, { patch, when: `${at}` }).signal, "SIGKILL", `step ${at}`);
      await new PatchEngine({
        workspace: new Workspace(workspace.root),
        config: { runtimeRoot: null, environment: { XDG_STATE_HOME: join(workspace.parent, "state") } },
      }).recoverJournal();
      const now = snapshot(workspace.root);
      const isOld = JSON.stringify(now) === JSON.stringify(before);
      if (!isOld) deepStrictEqual(now, after, `step ${at} of ${steps}`);
      seen.add(isOld ? "old" : "new");
      const base = join(workspace.parent, "state", "vise");
      deepStrictEqual(readdirSync(base).filter((name) => isFilled(join(base, name, "journal"))), [], `step ${at}`);
    }
    ok(seen.has("old") && seen.has("new"), [...seen].join());
  });
}

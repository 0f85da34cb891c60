/** A workspace that was removed while the server runs: every tool says that, and none answers as if it were empty. */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { rmSync } from "node:fs";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const CALLS: readonly [string, Record<string, unknown>][] = [
  ["read_file", { path: "a.txt" }],
  ["list_dir", {}],
  ["list_files", {}],
  ["search_text", { query: "one" }],
  ["git_status", {}],
  ["git_diff", {}],
  ["git_log", {}],
  ["git_show", {}],
  ["git_blame", { path: "a.txt" }],
  ["workspace_guide", {}],
  ["workspace_guide", { path: "src/new" }],
  ["view_image", { path: "a.png" }],
  ["exec_command", { cmd: "true" }],
  ["apply_patch", { patch: "*** Begin Patch\n*** Add File: b.txt\n+x\n*** End Patch" }],
  ["apply_changes", { changes: [{ action: "create", path: "b.txt", content: "x" }] }],
];

for (const when of ["before the first call", "after some calls"]) {
  Deno.test(`a workspace that is removed ${when} is named by every tool that needs it`, async () => {
    using ws = new TempWorkspace();
    ws.write("a.txt", "one\n");
    ws.sh("git init -q .");
    await using vise = new ViseProcess(ws.root);
    if (when === "after some calls") {
      for (const [tool, args] of CALLS.slice(0, 5)) await vise.value(tool, args);
    } else {
      await vise.request("ping");
    }
    rmSync(ws.root, { recursive: true });
    for (const [tool, args] of CALLS) {
      const error = await vise.failure(tool, args);
      deepStrictEqual([error.code, error.details.workspace], ["NOT_FOUND", ws.root], `${tool}: ${error.message}`);
      match(error.message, /is no longer there/);
      match(error.details.retry_hint, /put the directory back/);
    }
    strictEqual((await vise.value("server_info")).workspace, ws.root);
    strictEqual(ws.exists("."), false);
  });
}

/** What a client sees of `--workspace-mutation structured-only`. */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { landlockSupport } from "../../src/platform/linux/landlock.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const ONLY = ["--workspace-mutation", "structured-only", "--write-path"];

Deno.test("server_info says that commands may not write, what enforces that and which tools write instead", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, { flags: [...ONLY, "build"] });
  const result = await vise.call("server_info");
  const { workspace_mutation_policy: policy } = result.structuredContent;
  const isEnforced = Deno.build.os === "linux" && (landlockSupport().abi ?? 0) >= 3;
  deepStrictEqual([policy.mode, policy.enforced, policy.structured_write_tools], [
    "structured-only",
    isEnforced,
    ["apply_changes", "apply_patch"],
  ]);
  match(ViseProcess.text(result), /Workspace changes by commands: structured-only, enforced by (?:landlock|none)/);
});

Deno.test({
  name: "a write path that is a file, or that cannot be made, ends no server but is named when a command is started",
  ignore: Deno.build.os !== "linux" || landlockSupport().abi === null,
  async fn() {
    using workspace = new TempWorkspace();
    workspace.write("file", "kept");
    for (const path of ["file", "file/below"]) {
      await using vise = new ViseProcess(workspace.root, { flags: [...ONLY, path] });
      const { code, message, details } = await vise.failure("exec_command", { cmd: "true" });
      deepStrictEqual([code, details.argument, details.path], ["INVALID_ARGUMENT", "--write-path", path]);
      match(message, /is not a directory/);
      strictEqual(workspace.read("file"), "kept");
    }
    workspace.sh("ln -s nowhere/deep dangling");
    await using vise = new ViseProcess(workspace.root, { flags: [...ONLY, "dangling"] });
    const { message } = await vise.failure("exec_command", { cmd: "true" });
    match(message, /dangling/);
  },
});

/** With scoped runtime permissions everything that does not need a missing one goes on working (O-53). */

import assert from "node:assert/strict";
import { landlockSupport } from "../../src/platform/linux/landlock.ts";
import { REPOSITORY } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const isSource = (Deno.env.get("VISE_TEST_EXECUTABLE") ?? "") === "";
if (!isSource) console.warn("ignored: the executable is compiled with all permissions");

function start(workspace: TempWorkspace, permissions: readonly string[]): ViseProcess {
  const command = [Deno.execPath(), "run", "--quiet", "--no-prompt", ...permissions, `${REPOSITORY}main.ts`] as const;
  return new ViseProcess(workspace.root, { command, home: Deno.env.get("HOME") ?? "/" });
}

Deno.test({
  name: "commands are confined with --allow-ffi and scoped reading and writing, without --allow-sys and --allow-run",
  ignore: !isSource || Deno.build.os !== "linux" || landlockSupport().abi === null,
  async fn() {
    using workspace = new TempWorkspace();
    await using vise = start(workspace, ["--allow-ffi", "--allow-read", "--allow-write=/tmp", "--allow-env"]);
    const value = await vise.value("exec_command", { cmd: "echo made > a.txt; cat a.txt", yield_time_ms: 20_000 });
    assert.equal(value.stdout, "made\n", JSON.stringify(value));
    assert.equal(value.sandbox.filesystem, "confined");
    assert.equal((await vise.value("git_status")).is_repo, false);
  },
});

Deno.test({
  name: "without --allow-ffi commands run unconfined, and the result says so",
  ignore: !isSource || Deno.build.os !== "linux",
  async fn() {
    using workspace = new TempWorkspace();
    await using vise = start(workspace, ["--allow-run", "--allow-read", "--allow-write=/tmp", "--allow-env"]);
    const value = await vise.value("exec_command", { cmd: "echo runs", yield_time_ms: 20_000 });
    assert.equal(value.stdout, "runs\n", JSON.stringify(value));
    assert.equal(value.sandbox.filesystem, "unconfined");
    assert.match(JSON.stringify(value.warnings), /not protected.*ffi/i);
  },
});

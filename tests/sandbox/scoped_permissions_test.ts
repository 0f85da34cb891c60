/** With scoped runtime permissions everything that does not need a missing one goes on working (O-53). */

import assert from "node:assert/strict";
import { landlockSupport } from "../../src/platform/linux/landlock.ts";
import { goneWithin, uniqueSeconds } from "../support/processes.ts";
import { coverageFlags, REPOSITORY } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const isSource = (Deno.env.get("VISE_TEST_EXECUTABLE") ?? "") === "";
/** Ends the name of a test that cannot be made with the executable. */
const reason = isSource ? "" : " (the executable is compiled with all permissions)";

function start(workspace: TempWorkspace, permissions: readonly string[]): ViseProcess {
  const command = [
    Deno.execPath(),
    "run",
    "--quiet",
    ...coverageFlags(),
    "--no-prompt",
    ...permissions,
    `${REPOSITORY}main.ts`,
  ] as const;
  return new ViseProcess(workspace.root, { command, home: Deno.env.get("HOME") ?? "/" });
}

Deno.test({
  name:
    `commands are confined with --allow-ffi and scoped reading and writing, without --allow-sys and --allow-run${reason}`,
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
  name: `without --allow-ffi commands run unconfined, and the result says so${reason}`,
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

Deno.test({
  name:
    `with nothing but reading, files are read and searched, and what needs more names the missing permission${reason}`,
  ignore: !isSource || Deno.build.os !== "linux",
  async fn() {
    using workspace = new TempWorkspace();
    workspace.write("a.txt", "one\n");
    await using vise = start(workspace, [`--allow-read=${workspace.root},${REPOSITORY}`]);
    assert.equal((await vise.value("read_file", { path: "a.txt" })).content, "one\n");
    assert.equal((await vise.value("list_dir")).entries.length, 1);
    assert.equal((await vise.value("server_info")).workspace, workspace.root);
    assert.equal((await vise.value("search_text", { query: "one" })).matches.length, 1);
    const write = { changes: [{ action: "create", path: "b.txt", content: "two" }] };
    for (const [tool, args] of [["apply_changes", write], ["exec_command", { cmd: "true" }]] as const) {
      const error = await vise.failure(tool, args);
      assert.notEqual(error.code, "INTERNAL_ERROR");
      assert.match(
        `${error.message} ${JSON.stringify(error.details)}`,
        /--allow-(env|write|run)|grant it to the server/,
      );
    }
    assert.equal(workspace.exists("b.txt"), false);
  },
});

Deno.test({
  name: `without --allow-ffi commands take input, are watched and end with all that they started${reason}`,
  ignore: !isSource || Deno.build.os !== "linux",
  async fn() {
    using workspace = new TempWorkspace();
    await using vise = start(workspace, ["--allow-run", "--allow-read", "--allow-write=/tmp", "--allow-env"]);
    const count = await vise.value("exec_command", { cmd: "wc -c", keep_stdin_open: true, yield_time_ms: 100 });
    await vise.value("write_stdin", { command_id: count.command_id, chars: "x".repeat(200_000) + "\n" });
    const last = await vise.value("write_stdin", {
      command_id: count.command_id,
      close_stdin: true,
      yield_time_ms: 20_000,
    });
    assert.deepEqual([last.status, last.exit_code, last.stdout.trim()], ["exited", 0, "200001"]);
    const refused = await vise.failure("write_stdin", { command_id: count.command_id, chars: "more" });
    assert.deepEqual([refused.code, refused.details.reason], ["COMMAND_CLOSED", "exited"]);
    const seconds = uniqueSeconds();
    const tree = await vise.value("exec_command", { cmd: `sleep ${seconds} & sleep ${seconds}`, yield_time_ms: 300 });
    assert.equal(tree.status, "running");
    const killed = await vise.value("kill_command", { command_id: tree.command_id, signal: "KILL" });
    assert.equal(killed.killed, true);
    assert.deepEqual(await goneWithin(seconds, 10_000), []);
    const none = await vise.failure("exec_command", { cmd: "true", tty: true });
    assert.match(none.message, /terminal/);
  },
});

Deno.test({
  name: `without --allow-ffi files are changed, moved and removed with their modes kept${reason}`,
  ignore: !isSource || Deno.build.os !== "linux",
  async fn() {
    using workspace = new TempWorkspace();
    workspace.write("run.sh", "#!/bin/sh\necho one\n", 0o755);
    workspace.write("gone.txt", "x\n");
    workspace.write("taken.txt", "old\n");
    await using vise = start(workspace, ["--allow-read", "--allow-write=/tmp", "--allow-env"]);
    const patch = [
      ...["*** Begin Patch", "*** Update File: run.sh", "*** Move to: bin/run.sh", "-echo one", "+echo two"],
      ...["*** Delete File: gone.txt", "*** Update File: taken.txt", "-old", "+new", "*** End Patch", ""],
    ].join("\n");
    await vise.value("apply_patch", { patch });
    assert.equal(workspace.read("bin/run.sh"), "#!/bin/sh\necho two\n");
    assert.equal(workspace.sh("stat -c %a bin/run.sh"), "755\n");
    assert.deepEqual([workspace.exists("run.sh"), workspace.exists("gone.txt"), workspace.read("taken.txt")], [
      false,
      false,
      "new\n",
    ]);
    const failed = await vise.failure("apply_patch", { patch: patch.replace("+new", "+newer") });
    assert.equal(failed.code, "NOT_FOUND");
  },
});

/** What happens where the kernel or a container lacks a part of the sandbox: said, or refused, never silently weaker. */

import assert from "node:assert/strict";
import { landlockSupport } from "../../src/platform/linux/landlock.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";
import { type Lack, lesserKernel } from "./support/lesser_kernel.ts";

const ignore = Deno.build.os !== "linux" || landlockSupport().abi === null;
if (ignore) console.warn("ignored: these tests take parts away from a kernel that has Landlock");

function start(workspace: TempWorkspace, lacks: readonly Lack[], flags: readonly string[] = []): ViseProcess {
  const home = { HOME: Deno.env.get("HOME") ?? "/", DENO_DIR: Deno.env.get("DENO_DIR") ?? "" };
  const { DENO_DIR, ...rest } = home;
  return new ViseProcess(workspace.root, {
    flags,
    bareEnv: { PATH: Deno.env.get("PATH") ?? "", ...rest, ...(DENO_DIR === "" ? {} : { DENO_DIR }) },
    command: lesserKernel(workspace.parent, lacks),
  });
}

const TRY = { cmd: "cat secret-link; true", yield_time_ms: 20_000 };

function workspaceWithLink(): TempWorkspace {
  const workspace = new TempWorkspace();
  Deno.writeTextFileSync(`${workspace.parent}/secret`, "outside-secret");
  Deno.symlinkSync(`${workspace.parent}/secret`, workspace.path("link"));
  workspace.write("read.sh", "cat link\n");
  return workspace;
}

Deno.test({
  name: "without Landlock a command runs, and result, environment and doctor say that nothing protects files",
  ignore,
  async fn() {
    using workspace = workspaceWithLink();
    await using vise = start(workspace, ["landlock"]);
    const value = await vise.value("exec_command", { cmd: "sh read.sh", yield_time_ms: 20_000 });
    assert.equal(value.stdout, "outside-secret");
    assert.equal(value.sandbox.filesystem, "unconfined");
    assert.equal(value.sandbox.abi, null);
    assert.equal(value.sandbox.network, "none", "seccomp still closes the network");
    assert.match(JSON.stringify(value.warnings), /not protected.*no Landlock/);
    const check = await vise.value("check_exec_environment");
    assert.equal(check.landlock_enabled, false);
    assert.match(JSON.stringify(check.warnings), /no Landlock/);
  },
});

Deno.test({
  name: "without Landlock --require-sandbox refuses the command",
  ignore,
  async fn() {
    using workspace = workspaceWithLink();
    await using vise = start(workspace, ["landlock"], ["--require-sandbox"]);
    const error = await vise.failure("exec_command", { cmd: "touch ran" });
    assert.equal(error.code, "SANDBOX_UNAVAILABLE");
    assert.equal(error.category, "security");
    assert.equal(error.retryable, false);
    assert.ok(!workspace.exists("ran"));
  },
});

for (const lack of ["restrict_self", "seccomp"] as const) {
  Deno.test({
    name: `with Landlock but without ${lack} every command is refused`,
    ignore,
    async fn() {
      using workspace = workspaceWithLink();
      await using vise = start(workspace, [lack]);
      const error = await vise.failure("exec_command", { cmd: "touch ran" });
      assert.equal(error.code, "SANDBOX_UNAVAILABLE");
      assert.ok(!workspace.exists("ran"));
      // Nothing else suffers.
      assert.equal((await vise.value("list_dir")).ok, true);
    },
  });
}

Deno.test({
  name: "where memory may not be executed, the launcher is a file that commands cannot change",
  ignore,
  async fn() {
    using workspace = workspaceWithLink();
    await using vise = start(workspace, ["memfd"]);
    const value = await vise.value("exec_command", { cmd: "sh read.sh; echo $HOME", yield_time_ms: 20_000 });
    assert.equal(value.sandbox.filesystem, "confined");
    assert.match(value.stderr, /Permission denied/);
    const home = String(value.stdout).trim();
    const group = home.split("/").slice(0, -2).join("/");
    workspace.write("plant.sh", `ls ${group}; for f in ${group}/*launch*; do echo evil > $f || rm -f $f; done\n`);
    const attack = await vise.value("exec_command", { cmd: "sh plant.sh", yield_time_ms: 20_000 });
    assert.doesNotMatch(String(attack.stdout), /launch/);
    const again = await vise.value("exec_command", { cmd: "echo fine", yield_time_ms: 20_000 });
    assert.equal(again.stdout, "fine\n");
  },
});

Deno.test({
  name:
    "where namespaces are forbidden, loopback becomes none and attributes outside are not kept, and the result says so",
  ignore,
  async fn() {
    using workspace = workspaceWithLink();
    await using vise = start(workspace, ["namespaces"], ["--network", "loopback"]);
    const value = await vise.value("exec_command", TRY);
    assert.equal(value.sandbox.network, "none");
    assert.equal(value.sandbox.attributes, "unconfined");
    assert.equal(value.sandbox.filesystem, "confined");
    assert.match(JSON.stringify(value.warnings), /loopback is not possible here/);
  },
});

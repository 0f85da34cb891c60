/** `server_info` over the real protocol. */

import assert from "node:assert/strict";
import { PROTOCOL_VERSIONS } from "../../src/base/product.ts";
import { ALL_REVISIONS } from "../../src/protocol/revisions.ts";
import { landlockSupport } from "../../src/platform/linux/landlock.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

Deno.test("server_info names the workspace by one spelling, the mode, and what it reports before anything ran", async () => {
  using place = new TempWorkspace();
  place.sh('ln -s "$PWD" ../alias');
  await using server = new ViseProcess(`${place.parent}/alias`);
  const result = await server.call("server_info");
  const value = result.structuredContent;
  assert.equal(value.workspace, place.root);
  assert.equal(value.permission_mode, "safe");
  assert.deepEqual([value.commands, value.grants], [[], []]);
  assert.equal(value.tool_count, value.tools.length);
  assert.deepEqual(value.supported_protocol_versions, ALL_REVISIONS);
  assert.deepEqual(value.exec_policy, {
    shell_expansion: "blocked",
    inline_script: "blocked",
    global_tmp_write: "blocked",
    secret_env_filter: "enabled",
  });
  assert.deepEqual(value.output_retention, {
    buffer_bytes_per_stream: 524_288,
    head_bytes_per_stream: 65_536,
    completed_command_ttl_seconds: 300,
    max_retained_completed_commands: 32,
    max_active_commands: 16,
    max_runtime_output_bytes: 16_777_216,
  });
  const text = ViseProcess.text(result);
  assert.ok(text.startsWith(`vise ${value.version}\nWorkspace: ${place.root}\nMode: safe; Landlock: `), text);
});

Deno.test("server_info says what dangerous mode gives up", async () => {
  using place = new TempWorkspace();
  await using server = new ViseProcess(place.root, { flags: ["--permission-mode", "dangerous"] });
  const value = await server.value("server_info");
  assert.deepEqual(
    [value.dangerously_skip_all_permissions, value.network, value.network_allowed, value.landlock.enabled],
    [true, "open", true, false],
  );
});

Deno.test("no environment value and no token shows in server_info", async () => {
  using place = new TempWorkspace();
  await using server = new ViseProcess(place.root, {
    env: { SOME_TOKEN: "t0ken-value", VISE_AUTH_TOKEN: "auth-value" },
  });
  const answer = JSON.stringify(await server.call("server_info"));
  assert.ok(!answer.includes("t0ken-value") && !answer.includes("auth-value"));
});

Deno.test("the versions that the tool reports are those that the protocol speaks", () => {
  assert.deepEqual([...PROTOCOL_VERSIONS], [...ALL_REVISIONS]);
});

Deno.test("server_info reports the Landlock version that the kernel has, and nothing where it has none", async () => {
  using place = new TempWorkspace();
  await using server = new ViseProcess(place.root);
  const abi = Deno.build.os === "linux" ? landlockSupport().abi : null;
  const { landlock } = (await server.call("server_info")).structuredContent;
  assert.deepEqual([landlock.available, landlock.abi_version, landlock.enabled], [abi !== null, abi, abi !== null]);
});

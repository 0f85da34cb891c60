/** The form of failures, whatever the tool: what a client can rely on beside the code itself. */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { coverageFlags, REPOSITORY } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

Deno.test("every failure of exec_command has the status failed, whatever stopped it", async () => {
  using ws = new TempWorkspace();
  ws.sh("mkdir d; : > f; ln -s /etc out");
  await using vise = new ViseProcess(ws.root, { flags: ["--max-active-commands", "1"] });
  const running = await vise.value("exec_command", { cmd: "sleep 60", yield_time_ms: 0 });
  const full = (await vise.call("exec_command", { cmd: "true" })).structuredContent;
  deepStrictEqual([full.error?.code, full.status], ["COMMAND_LIMIT_REACHED", "failed"]);
  await vise.value("kill_command", { command_id: running.command_id });
  const calls: [string, Record<string, unknown>][] = [
    ["INVALID_ARGUMENT", { cmd: "true", tty: "yes" }],
    ["INVALID_ARGUMENT", { cmd: "true", workdir: ".", cwd: "d" }],
    ["INVALID_ARGUMENT", { cmd: "echo \0" }],
    ["NOT_A_DIRECTORY", { cmd: "true", workdir: "f" }],
    ["NOT_FOUND", { cmd: "true", workdir: "nowhere" }],
    ["PATH_OUTSIDE_WORKSPACE", { cmd: "true", workdir: ".." }],
    ["ABSOLUTE_PATH_DENIED", { cmd: "true", workdir: "/" }],
    ["SYMLINK_ESCAPE", { cmd: "true", workdir: "out" }],
    ["PERMISSION_REQUIRED", { cmd: "rm -rf d" }],
  ];
  for (const [code, args] of calls) {
    const { structuredContent, isError } = await vise.call("exec_command", args);
    deepStrictEqual([structuredContent.error?.code, structuredContent.status, isError], [code, "failed", true]);
  }
});

Deno.test("a refused permission names the tool that needs it", async () => {
  using ws = new TempWorkspace();
  await using vise = new ViseProcess(ws.root);
  const calls: [string, Record<string, unknown>][] = [
    ["exec_command", { cmd: "rm -rf d" }],
    ["apply_changes", { changes: [{ action: "create", path: ".git/hooks/x", content: "" }] }],
  ];
  for (const [tool, args] of calls) {
    const { structuredContent } = await vise.call(tool, args);
    strictEqual(structuredContent.error.code, "PERMISSION_REQUIRED");
    const { tool_name, status, retryable } = structuredContent.permission_request;
    deepStrictEqual([tool_name, status, retryable], [tool, "required", true]);
  }
});

const isSource = (Deno.env.get("VISE_TEST_EXECUTABLE") ?? "") === "";

Deno.test({
  name: `where there are no terminals a command that asks for one is refused, and runs without${
    isSource ? "" : " (the executable is compiled with all permissions)"
  }`,
  ignore: Deno.build.os !== "linux" || !isSource,
  async fn() {
    using ws = new TempWorkspace();
    const flags = ["--no-prompt", "--allow-run", "--allow-read", "--allow-write", "--allow-env", "--allow-sys"];
    const command = [Deno.execPath(), "run", "--quiet", ...coverageFlags(), ...flags, `${REPOSITORY}main.ts`] as const;
    await using vise = new ViseProcess(ws.root, { command: [...command], home: Deno.env.get("HOME") ?? "/" });
    const { structuredContent } = await vise.call("exec_command", { cmd: "tty", tty: true });
    deepStrictEqual([structuredContent.error.code, structuredContent.status], ["TTY_UNSUPPORTED", "failed"]);
    strictEqual(structuredContent.error.details.platform, "linux");
    match(structuredContent.error.details.retry_hint, /without tty/);
    strictEqual((await vise.value("exec_command", { cmd: "echo plain" })).stdout, "plain\n");
  },
});

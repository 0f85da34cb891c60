/** `vise doctor` as a program. */

import assert from "node:assert/strict";
import { landlockSupport } from "../../src/platform/linux/landlock.ts";
import { serverCommand } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

const abi = Deno.build.os === "linux" ? landlockSupport().abi : null;

async function doctor(workspace: string, flags: readonly string[]): Promise<{ code: number; stdout: string }> {
  const [program, ...args] = serverCommand();
  const output = await new Deno.Command(program, {
    args: [...args, "doctor", "--workspace", workspace, ...flags],
    cwd: workspace,
  }).output();
  return { code: output.code, stdout: new TextDecoder().decode(output.stdout) };
}

Deno.test("doctor tells in JSON what is enforced, each row with state, meaning and advice", async () => {
  using workspace = new TempWorkspace();
  workspace.write(".mcp.json", '{"mcpServers":{"vise":{}}}');
  const { code, stdout } = await doctor(workspace.root, ["--json"]);
  const { ok, rows } = JSON.parse(stdout) as { ok: boolean; rows: Record<string, string>[] };
  assert.equal(code, ok ? 0 : 1);
  assert.equal(ok, !rows.some((row) => row["state"] === "failed"));
  for (const row of rows) assert.deepEqual(Object.keys(row), ["id", "state", "means", "do"]);
  const ids = rows.map((row) => row["id"]);
  for (const id of ["sandbox", "network", "unix_sockets", "attributes", "terminal", "git", "shell", "journal"]) {
    assert.ok(ids.includes(id), id);
  }
  assert.match(rows.find((row) => row["id"] === "client")?.["means"] ?? "", /Claude Code: .*\.mcp\.json names vise/);
});

Deno.test({
  name: "doctor in words ends with a verdict and status 0 where everything is enforced",
  ignore: abi === null,
  async fn() {
    using workspace = new TempWorkspace();
    const { code, stdout } = await doctor(workspace.root, []);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^ok +sandbox +Landlock version \d+/m);
    assert.match(stdout, /Everything that this configuration asks for is enforced\.\n$/);
  },
});

Deno.test("doctor ends with status 1 when a sandbox is required in dangerous mode, and with 2 for bad arguments", async () => {
  using workspace = new TempWorkspace();
  const { code, stdout } = await doctor(workspace.root, ["--permission-mode", "dangerous", "--require-sandbox"]);
  assert.equal(code, 1, stdout);
  assert.match(stdout, /^FAILED +require_sandbox/m);
  assert.equal((await doctor(workspace.root, ["stray"])).code, 2);
});

/** `vise doctor` as a program. */

import assert from "node:assert/strict";
import { landlockSupport } from "../../src/platform/linux/landlock.ts";
import { coverageFlags, REPOSITORY, serverCommand } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

const abi = Deno.build.os === "linux" ? landlockSupport().abi : null;

async function doctor(
  workspace: string,
  flags: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stdout: string }> {
  const [program, ...args] = serverCommand();
  const output = await new Deno.Command(program, {
    args: [...args, "doctor", "--workspace", workspace, ...flags],
    cwd: workspace,
    env,
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

Deno.test("doctor names what is missing and what limits commands, with what to do about it", async () => {
  using workspace = new TempWorkspace();
  workspace.write("bin/git", "#!/bin/sh\nexit 1\n", 0o755);
  using outside = new TempWorkspace();
  outside.write("git", "#!/bin/sh\nexit 1\n", 0o755);
  const rowsOf = async (flags: readonly string[], env: Record<string, string>) => {
    const { stdout } = await doctor(workspace.root, ["--json", ...flags], env);
    const { rows } = JSON.parse(stdout) as { rows: Record<string, string>[] };
    return (id: string) => rows.find((row) => row["id"] === id);
  };
  const flags = ["--toolchains", "none", "--max-processes", "50", "--max-memory-mb", "512"];
  const bare = await rowsOf([...flags, "--shell", "/no/such/shell"], { PATH: workspace.path("bin") });
  assert.deepEqual([bare("shell")?.["state"], bare("git")?.["state"]], ["failed", "limited"]);
  assert.match(bare("shell")?.["means"] ?? "", /\/no\/such\/shell is not there/);
  assert.match(bare("git")?.["means"] ?? "", /not on PATH/);
  assert.match(bare("toolchains")?.["means"] ?? "", /not opened/);
  assert.match(bare("limits")?.["means"] ?? "", /50 processes and 512 MiB/);
  const broken = await rowsOf([], { PATH: outside.root });
  assert.match(broken("git")?.["means"] ?? "", /git does not run/);
  outside.write("git", "#!/no/such/interpreter\n", 0o755);
  const unstartable = await rowsOf([], { PATH: outside.root });
  assert.equal(unstartable("git")?.["state"], "limited");
  assert.match(unstartable("git")?.["means"] ?? "", /cannot be started|does not run/);
});

const isSource = (Deno.env.get("VISE_TEST_EXECUTABLE") ?? "") === "";
const reason = isSource ? "" : " (the executable is compiled with all permissions)";

Deno.test(`doctor without FFI, home and system information says what that costs${reason}`, {
  ignore: !isSource,
}, async () => {
  using workspace = new TempWorkspace();
  const [program] = serverCommand();
  const permissions = ["--allow-read", "--allow-write", "--allow-run", "--allow-env"];
  const { stdout } = await new Deno.Command(program, {
    args: [
      ...["run", "--quiet", "--no-prompt", ...coverageFlags(), ...permissions, `${REPOSITORY}main.ts`],
      ...["doctor", "--json", "--workspace", workspace.root],
    ],
    env: { HOME: "", XDG_STATE_HOME: "", DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno` },
  }).output();
  const { rows } = JSON.parse(new TextDecoder().decode(stdout)) as { rows: Record<string, string>[] };
  const row = (id: string) => rows.find((one) => one["id"] === id);
  assert.match(row("files")?.["means"] ?? "", /may lead file tools outside/);
  assert.match(row("permission_ffi")?.["means"] ?? "", /no sandbox, no terminals/);
  assert.deepEqual([row("terminal")?.["state"], row("permission_ffi")?.["do"]], ["limited", "Start with --allow-ffi."]);
});

Deno.test("doctor ends with status 1 when a sandbox is required in dangerous mode, and with 2 for bad arguments", async () => {
  using workspace = new TempWorkspace();
  const { code, stdout } = await doctor(workspace.root, ["--permission-mode", "dangerous", "--require-sandbox"]);
  assert.equal(code, 1, stdout);
  assert.match(stdout, /^FAILED +require_sandbox/m);
  assert.equal((await doctor(workspace.root, ["stray"])).code, 2);
});

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

type Value = Record<string, unknown> & { error: { code: string; details: Record<string, unknown> } };

async function exec(vise: ViseProcess, cmd: string, more: Record<string, unknown> = {}) {
  const { result } = await vise.request("tools/call", { name: "exec_command", arguments: { cmd, ...more } });
  // deno-lint-ignore no-explicit-any -- the fields differ between success and failure.
  return { value: result.structuredContent as any, text: result.content[0].text as string };
}

Deno.test("a refused command is a failed result with the permission it needs and a way on", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root);
  const { value, text } = await exec(vise, "ls; curl http://example.com");
  const { ok: isOk, status, permission_request, diagnostics, error } = value as Value;
  deepStrictEqual([isOk, status, error.code, error.details["permission"]], [
    false,
    "failed",
    "PERMISSION_REQUIRED",
    "network",
  ]);
  deepStrictEqual(permission_request, {
    tool_name: "exec_command",
    permission: "network",
    status: "required",
    retryable: true,
  });
  strictEqual((diagnostics as { code: string }[])[0]?.code, "NETWORK_PERMISSION_REQUIRED");
  ok(text.startsWith("PERMISSION_REQUIRED: ") && text.includes("Suggested action: "), text);
});

Deno.test("at the limit of running commands the policy still speaks first", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, { flags: ["--max-active-commands", "1"] });
  await vise.value("exec_command", { cmd: "sleep 60", yield_time_ms: 0 });
  strictEqual((await vise.failure("exec_command", { cmd: "rm -rf d" })).code, "PERMISSION_REQUIRED");
  strictEqual((await vise.failure("exec_command", { cmd: "true" })).code, "COMMAND_LIMIT_REACHED");
});

Deno.test("what the user accepts opens the gate and the sandbox for that command, once it can start", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, {
    env: { VISE_TRACE: "1" },
    flags: ["--max-active-commands", "1"],
  });
  await vise.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: { elicitation: {} },
    clientInfo: { name: "test", version: "1" },
  });
  const cmd = "true; curl --version > /dev/null || true";
  const refused = (await exec(vise, cmd)).value.error.details;
  strictEqual(refused.next_action.tool, "request_permissions");
  const asking = vise.request("tools/call", { name: "request_permissions", arguments: refused.next_action.arguments });
  let question: { id: string } | undefined;
  while (question === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    question = vise.lines.map((line) => JSON.parse(line)).find(({ method }) => method === "elicitation/create");
  }
  vise.sendRaw(JSON.stringify({ jsonrpc: "2.0", id: question.id, result: { action: "accept", content: {} } }) + "\n");
  strictEqual((await asking).result.structuredContent.status, "granted");
  const info = async () =>
    (await vise.request("tools/call", { name: "server_info", arguments: {} })).result.structuredContent;
  deepStrictEqual((await info()).grants.map((grant: Record<string, unknown>) => grant["permission"]), ["network"]);
  const busy = await vise.value("exec_command", { cmd: "sleep 60", yield_time_ms: 0 });
  strictEqual((await exec(vise, cmd)).value.error.code, "COMMAND_LIMIT_REACHED");
  await vise.value("kill_command", { command_id: busy.command_id });
  const ran = (await exec(vise, cmd)).value;
  deepStrictEqual([ran.ok, ran.status, ran.sandbox.network], [true, "exited", "open"]);
  strictEqual((await exec(vise, cmd)).value.error.code, "PERMISSION_REQUIRED");
  deepStrictEqual((await info()).grants, []);
  const events = vise.stderr.split("\n").flatMap((line) => /"event":"(grant_\w+)"/.exec(line)?.[1] ?? []);
  deepStrictEqual(events, ["grant_given", "grant_used"]);
});

Deno.test("commands get a locale, a private home and the author of the user, and nothing of it stays", async () => {
  using workspace = new TempWorkspace();
  const home = join(workspace.parent, "home");
  mkdirSync(home);
  writeFileSync(
    join(home, ".gitconfig"),
    "[user]\n\tname = Ann\n\temail = ann@example.com\n[alias]\n\tx = !touch pwned\n",
  );
  const runtime = join(workspace.parent, "run");
  const vise = new ViseProcess(workspace.root, {
    bareEnv: { PATH: Deno.env.get("PATH") ?? "", HOME: home, VISE_RUNTIME_ROOT: runtime },
    flags: ["--permission-mode", "trusted"],
  });
  const { value } = await exec(
    vise,
    "locale charmap; touch $HOME/x $TMPDIR/y; git init -q; echo 1 > f; git add f; git commit -qm one; git log --format=%an; " +
      "echo $TERM $PAGER $VISE_COMMAND; git config alias.x || echo no alias",
  );
  const [charmap, author, defaults, alias] = value.stdout.split("\n");
  deepStrictEqual([charmap, author, alias], ["UTF-8", "Ann", "no alias"]);
  strictEqual(defaults, `dumb cat ${value.command_id}`);
  ok(readdirSync(runtime).length === 1);
  vise.child.stdin.end();
  await vise.exited;
  deepStrictEqual(readdirSync(runtime), []);
  strictEqual(existsSync(join(home, "x")), false);
});

Deno.test("a command that plants a hook runs, and its result warns", async () => {
  using workspace = new TempWorkspace();
  workspace.sh("git init -q");
  await using vise = new ViseProcess(workspace.root);
  const { value, text } = await exec(
    vise,
    "echo '#!/bin/sh' > .git/hooks/post-commit; chmod +x .git/hooks/post-commit",
  );
  strictEqual(value.exit_code, 0);
  const warning = (value.warnings as string[]).find((line) => line.startsWith(".git/hooks/post-commit was changed"));
  ok(warning !== undefined && text.includes(".git/hooks/post-commit was changed"), text);
});

Deno.test("a setuid program of this machine is refused", { ignore: noSetuidProgram() }, async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root);
  const { value } = await exec(vise, "su -c ls");
  strictEqual(value.error.details.permission, "privileged_executable");
});

function noSetuidProgram(): boolean {
  const missing = !["/usr/bin/su", "/bin/su"].some((path) =>
    existsSync(path) && ((Deno.statSync(path).mode ?? 0) & 0o4000) !== 0
  );
  if (missing) console.warn("not run: this machine has no setuid su");
  return missing;
}

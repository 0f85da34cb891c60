/** However the server ends, nothing that it started goes on. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { goneWithin, processesWith, uniqueSeconds } from "../support/processes.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

/** Five times what is promised (O-54). */
const END_LIMIT_MS = 15_000;

for (const how of ["end of input", "SIGTERM", "SIGINT", "a broken output"] as const) {
  Deno.test(`${how} ends the server and every process of its commands`, async () => {
    using workspace = new TempWorkspace();
    const { vise, runtime } = startIn(workspace);
    const seconds = uniqueSeconds();
    await startTrees(vise, seconds);
    if (how === "end of input") vise.child.stdin.end();
    else if (how === "a broken output") breakOutput(vise);
    else vise.child.kill(how);
    const ended = await Promise.race([vise.exited, sleep(END_LIMIT_MS, null)]);
    ok(ended !== null, "the server did not end");
    if (how === "end of input") deepStrictEqual(ended, { code: 0, signal: null });
    strictEqual((await goneWithin(seconds, 3_000)).length, 0);
    deepStrictEqual(leftIn(runtime), []);
    ok(!/\n\s+at /.test(vise.stderr), `a stack trace: ${vise.stderr}`);
  });
}

Deno.test("after kill -9 the next server on the workspace ends what was left, says so, and cleans up", async () => {
  using workspace = new TempWorkspace();
  const { vise, runtime } = startIn(workspace);
  const seconds = uniqueSeconds();
  await startTrees(vise, seconds);
  const daemon = uniqueSeconds();
  await vise.value("exec_command", { cmd: `(setsid env -i /bin/sleep ${daemon} >/dev/null 2>&1 &); sleep 1` });
  vise.child.kill("SIGKILL");
  await vise.exited;
  ok(processesWith(seconds).length >= 4, "a kill -9 alone ends no command");
  const next = startIn(workspace);
  strictEqual((await goneWithin(seconds, END_LIMIT_MS)).length, 0);
  strictEqual((await goneWithin(daemon, END_LIMIT_MS)).length, 0);
  const value = await next.vise.value("exec_command", { cmd: "echo alive" });
  strictEqual(value.stdout, "alive\n");
  match(value.warnings.join("\n"), /A server that was killed had left \d+ processes running/);
  await next.vise.close();
  deepStrictEqual(leftIn(runtime), []);
});

Deno.test("after kill -9 the directories of the dead go even where the next server's first command comes before that", async () => {
  using workspace = new TempWorkspace();
  const { vise, runtime } = startIn(workspace);
  const seconds = uniqueSeconds();
  await startTrees(vise, seconds);
  const [dead] = readdirSync(runtime).flatMap((group) => readdirSync(`${runtime}/${group}`));
  vise.child.kill("SIGKILL");
  await vise.exited;
  const next = startIn(workspace);
  const values = await Promise.all([1, 2, 3].map(() => next.vise.value("exec_command", { cmd: "true" })));
  ok(values.every(({ exit_code }) => exit_code === 0));
  strictEqual((await goneWithin(seconds, END_LIMIT_MS)).length, 0);
  const id = (dead as string).replace(/\..*$/, "");
  const isLeft = () =>
    readdirSync(runtime).some((group) => readdirSync(`${runtime}/${group}`).some((name) => name.startsWith(id)));
  for (const deadline = Date.now() + END_LIMIT_MS; isLeft() && Date.now() < deadline;) await sleep(20);
  ok(!isLeft(), "the runtime directory of the killed server is still there");
  await next.vise.close();
});

Deno.test("a second server on the workspace leaves the commands of the first alone", async () => {
  using workspace = new TempWorkspace();
  const first = startIn(workspace);
  const started = await first.vise.value("exec_command", { cmd: "sleep 60", yield_time_ms: 300 });
  const second = startIn(workspace);
  await second.vise.value("exec_command", { cmd: "true" });
  await second.vise.close();
  strictEqual(
    (await first.vise.value("write_stdin", { command_id: started.command_id, yield_time_ms: 0 })).status,
    "running",
  );
  await first.vise.close();
});

function startIn(workspace: TempWorkspace): { vise: ViseProcess; runtime: string } {
  const runtime = `${workspace.parent}/runtime`;
  mkdirSync(runtime, { recursive: true, mode: 0o700 });
  const vise = new ViseProcess(workspace.root, {
    flags: ["--permission-mode", "trusted"],
    env: { VISE_RUNTIME_ROOT: runtime },
  });
  return { vise, runtime };
}

async function startTrees(vise: ViseProcess, seconds: string): Promise<void> {
  await vise.value("exec_command", { cmd: `sleep ${seconds} & echo x > started; sleep ${seconds}`, yield_time_ms: 0 });
  await vise.value("exec_command", { cmd: `setsid sleep ${seconds} & sleep ${seconds}`, tty: true, yield_time_ms: 0 });
  await vise.value("exec_command", { cmd: `setsid sh -c 'sleep ${seconds}; :' >/dev/null 2>&1 & echo done` });
  for (let round = 0; round < 600 && processesWith(`sleep ${seconds}`).length < 6; round++) await sleep(50);
}

function breakOutput(vise: ViseProcess): void {
  vise.child.stdout.destroy();
  vise.sendRaw('{"jsonrpc":"2.0","id":"p1","method":"ping"}\n{"jsonrpc":"2.0","id":"p2","method":"ping"}\n');
}

function leftIn(runtime: string): string[] {
  if (!existsSync(runtime)) return [];
  return readdirSync(runtime).flatMap((group) => readdirSync(`${runtime}/${group}`).map((name) => `${group}/${name}`));
}

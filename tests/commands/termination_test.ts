/** Time-outs and kills reach every descendant, and what is said about them is true. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { goneWithin, processesWith, uniqueSeconds, zombiesOf } from "../support/processes.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const TRUSTED = { flags: ["--permission-mode", "trusted"] };

const IGNORES_TERM = "trap '' TERM; while :; do sleep 0.2; done";
/** Five times what is promised (O-54). */
const END_LIMIT_MS = 15_000;

function treeOf(seconds: string): string {
  return `setsid sleep ${seconds} & sh -c 'sleep ${seconds} & wait' & exec sleep ${seconds}`;
}

Deno.test("a time-out ends the whole tree, also what has its own session", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const seconds = uniqueSeconds();
  const value = await vise.value("exec_command", { cmd: treeOf(seconds), timeout_ms: 700, yield_time_ms: 30_000 });
  deepStrictEqual([value.status, value.timed_out, value.operation_outcome], ["timeout", true, "timeout"]);
  strictEqual(value.exit_code, null);
  match(value.signal, /^SIG(TERM|KILL)$/);
  strictEqual((await goneWithin(`sleep ${seconds}`, 5_000)).length, 0);
  deepStrictEqual(zombiesOf(vise.child.pid as number), []);
});

Deno.test("kill_command answers only when the whole tree is gone", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  for (const signal of ["TERM", "KILL", "INT"]) {
    const seconds = uniqueSeconds();
    const started = await vise.value("exec_command", { cmd: treeOf(seconds), yield_time_ms: 300 });
    strictEqual(started.status, "running");
    deepStrictEqual(started.next_action.tool, "write_stdin");
    const killed = await vise.value("kill_command", { command_id: started.command_id, signal, wait_ms: 500 });
    strictEqual(processesWith(`sleep ${seconds}`).length, 0, `${signal} left a process`);
    match(killed.status, /^(terminated|killed)$/);
    ok(killed.killed && killed.evicted);
    ok(killed.descendants_ended >= 2);
  }
});

Deno.test("a daemon that left its session, its parents and its environment still ends with its command", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const seconds = uniqueSeconds();
  const cmd = `(setsid env -i /bin/sleep ${seconds} >/dev/null 2>&1 &) ; sleep 60`;
  const started = await vise.value("exec_command", { cmd, yield_time_ms: 500 });
  // The shell's own command line names it too.
  strictEqual(processesWith(`sleep ${seconds}`).length, 2);
  await vise.value("kill_command", { command_id: started.command_id, wait_ms: 1_000 });
  strictEqual((await goneWithin(`sleep ${seconds}`, 1_000)).length, 0);
});

Deno.test("a process that ignores SIGTERM, or is stopped, is killed for real", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  for (const cmd of ["trap '' TERM; echo up; while :; do sleep 0.2; done", "kill -STOP $$"]) {
    const started = await vise.value("exec_command", { cmd, yield_time_ms: 500 });
    strictEqual(started.status, "running");
    const killed = await vise.value("kill_command", { command_id: started.command_id, wait_ms: 500 });
    deepStrictEqual(
      [killed.status, killed.signal, killed.signal_sent, killed.killed, killed.exit_code],
      ["killed", "SIGKILL", "SIGKILL", true, null],
    );
    const again = await vise.call("kill_command", { command_id: started.command_id });
    strictEqual(again.isError, false);
    deepStrictEqual(
      [again.structuredContent.status, again.structuredContent.signal, again.structuredContent.signal_sent],
      ["exited", "SIGKILL", null],
    );
    match(ViseProcess.text(again), /already finished by signal SIGKILL; no signal sent/);
  }
});

Deno.test("two kills at once agree", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const started = await vise.value("exec_command", {
    cmd: IGNORES_TERM,
    yield_time_ms: 300,
  });
  const kill = { command_id: started.command_id, wait_ms: 400 };
  const [first, second] = await Promise.all([vise.value("kill_command", kill), vise.value("kill_command", kill)]);
  deepStrictEqual([first.status, first.signal, first.killed], ["killed", "SIGKILL", true]);
  deepStrictEqual([second.status, second.signal, second.killed], ["killed", "SIGKILL", true]);
});

Deno.test("a kill that insists ends the wait of a patient one, and both agree", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const started = await vise.value("exec_command", { cmd: IGNORES_TERM, yield_time_ms: 300 });
  const { command_id } = started;
  const patient = vise.value("kill_command", { command_id, wait_ms: 30_000 });
  await sleep(200);
  const insisting = await vise.value("kill_command", { command_id, signal: "KILL" });
  for (const kill of [await patient, insisting]) {
    deepStrictEqual([kill.status, kill.signal, kill.signal_sent], ["killed", "SIGKILL", "SIGKILL"]);
  }
});

Deno.test("the end of the server does not wait for a kill that still does", async () => {
  using workspace = new TempWorkspace();
  for (const how of ["end of input", "SIGTERM"]) {
    await using vise = new ViseProcess(workspace.root, TRUSTED);
    const seconds = uniqueSeconds();
    const cmd = `trap '' TERM; sh -c 'trap "" TERM; sleep ${seconds}; :' & while :; do sleep 0.2; done`;
    const started = await vise.value("exec_command", { cmd, yield_time_ms: 500 });
    const kill = vise.call("kill_command", { command_id: started.command_id, wait_ms: 30_000 });
    // Over a signal the server may be gone before its last answer was read.
    const answered = kill.then(({ structuredContent }) => structuredContent.status, () => null);
    await sleep(300);
    if (how === "SIGTERM") vise.child.kill("SIGTERM");
    else vise.child.stdin.end();
    const ended = await Promise.race([vise.exited, sleep(END_LIMIT_MS, null)]);
    ok(ended !== null, `${how} did not end the server`);
    strictEqual((await goneWithin(seconds, 1_000)).length, 0, how);
    if (how === "end of input") strictEqual(await answered, "killed");
  }
});

Deno.test("a command that cleans up on SIGTERM within the wait is terminated, and its last words are there", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const cmd = "trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.1; done";
  const started = await vise.value("exec_command", { cmd, yield_time_ms: 400 });
  strictEqual(started.stdout, "up\n");
  const killed = await vise.value("kill_command", { command_id: started.command_id });
  deepStrictEqual([killed.status, killed.exit_code, killed.signal, killed.signal_sent], [
    "terminated",
    7,
    null,
    "SIGTERM",
  ]);
  strictEqual(killed.stdout, "bye\n");
  const failure = await vise.failure("write_stdin", { command_id: started.command_id, chars: "x\n" });
  deepStrictEqual([failure.code, failure.details.reason, failure.details.exit_code], ["COMMAND_CLOSED", "exited", 7]);
});

Deno.test("cancelling an exec_command ends what nobody can name; cancelling a poll does not", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const seconds = uniqueSeconds();
  const args = { cmd: `setsid sleep ${seconds} & sleep ${seconds}`, yield_time_ms: 30_000 };
  vise.sendRaw(
    JSON.stringify({
      jsonrpc: "2.0",
      id: "x1",
      method: "tools/call",
      params: { name: "exec_command", arguments: args },
    }) +
      "\n",
  );
  for (let round = 0; round < 600 && processesWith(`sleep ${seconds}`).length < 2; round++) await sleep(50);
  vise.sendRaw('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x1"}}\n');
  strictEqual((await goneWithin(`sleep ${seconds}`, 5_000)).length, 0);
  const lasting = uniqueSeconds();
  const started = await vise.value("exec_command", { cmd: `sleep ${lasting}`, yield_time_ms: 100 });
  vise.sendRaw(
    JSON.stringify({
      jsonrpc: "2.0",
      id: "x2",
      method: "tools/call",
      params: { name: "write_stdin", arguments: { command_id: started.command_id, yield_time_ms: 30_000 } },
    }) + "\n",
  );
  await sleep(300);
  vise.sendRaw('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x2"}}\n');
  await sleep(300);
  strictEqual(
    (await vise.value("write_stdin", { command_id: started.command_id, yield_time_ms: 0 })).status,
    "running",
  );
  ok(!vise.lines.some((line) => line.includes('"id":"x')), "a cancelled request is never answered");
});

Deno.test("a command over its process limit is ended and says which limit it was", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, {
    flags: ["--permission-mode", "trusted", "--max-processes", "8", "--max-memory-mb", "200"],
  });
  const seconds = uniqueSeconds();
  const many = await vise.value("exec_command", {
    cmd: `for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep ${seconds} & done; wait`,
    yield_time_ms: 20_000,
  });
  match(many.warnings.join("\n"), /processes, the limit is 8/);
  strictEqual(many.status, "terminated");
  strictEqual((await goneWithin(`sleep ${seconds}`, 3_000)).length, 0);
  const large = await vise.value("exec_command", {
    cmd: "head -c 400M /dev/zero | tail -c 390M | wc -c",
    yield_time_ms: 30_000,
  });
  match((large.warnings ?? []).join("\n"), /MiB of memory, the limit is 200 MiB/);
});

/** Background children never hold up a result, live on, and end with the command or the server. */

import { match, ok, strictEqual } from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { goneWithin, processesWith, uniqueSeconds } from "../support/processes.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const TRUSTED = { flags: ["--permission-mode", "trusted"] };
/** Five times what the shell needs (O-54). */
const HANG_GUARD_MS = 7_500;

Deno.test("a background child that holds the output does not delay the result and is named", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const seconds = uniqueSeconds();
  for (
    const [cmd, stdout] of [
      [`echo go; sleep ${seconds} & echo end`, "go\nend\n"],
      [`sleep ${seconds} </dev/null >/dev/null & echo quiet`, "quiet\n"],
    ] as const
  ) {
    const startedAt = performance.now();
    const value = await vise.value("exec_command", { cmd, yield_time_ms: 30_000 });
    ok(performance.now() - startedAt < HANG_GUARD_MS);
    strictEqual(value.status, "exited");
    strictEqual(value.exit_code, 0);
    strictEqual(value.stdout, stdout);
    match(value.warnings.join("\n"), /background process still holds the output/);
    ok(value.background_processes >= 1);
    ok(processesWith(`sleep ${seconds}`).length > 0, "the background child lives on");
    const killed = await vise.value("kill_command", { command_id: value.command_id });
    strictEqual(killed.status, "exited");
    strictEqual(killed.signal_sent, null);
    strictEqual(killed.exit_code, 0);
    ok(killed.descendants_ended >= 1);
    strictEqual((await goneWithin(`sleep ${seconds}`, 5_000)).length, 0);
  }
});

Deno.test("what a background child writes after the exit can be read and reaches no other command", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const first = await vise.value("exec_command", { cmd: "setsid sh -c 'sleep 1; echo late' & echo now" });
  strictEqual(first.stdout, "now\n");
  const other = await vise.value("exec_command", { cmd: "sleep 1.5; echo other" });
  strictEqual(other.stdout, "other\n");
  const page = await vise.value("read_output", { output_ref: first.output_refs.stdout });
  strictEqual(page.content, "now\nlate\n");
  const poll = await vise.value("write_stdin", { command_id: first.command_id, chars: "" });
  strictEqual(poll.stdout, "late\n");
});

Deno.test("a server in the background of a finished command ends with the Vise that started it", async (t) => {
  using workspace = new TempWorkspace();
  const seconds = uniqueSeconds();
  const vise = new ViseProcess(workspace.root, TRUSTED);
  const value = await vise.value("exec_command", {
    cmd: `nohup sh -c 'sleep ${seconds}; :' >/dev/null 2>&1 & setsid sleep ${seconds} & sleep 0.2; echo up`,
  });
  strictEqual(value.stdout, "up\n");
  ok(processesWith(seconds).length >= 2);
  const { code } = await vise.close();
  strictEqual(code, 0);
  await t.step("nothing is left", async () => strictEqual((await goneWithin(seconds, 5_000)).length, 0));
});

Deno.test("a finished command with living children is not dropped and names none once they ended", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, {
    flags: ["--permission-mode", "trusted", "--max-retained-commands", "1"],
  });
  const kept = await vise.value("exec_command", { cmd: "sleep 2 >/dev/null 2>&1 & echo kept" });
  ok(kept.background_processes === 1);
  for (let round = 0; round < 3; round++) await vise.value("exec_command", { cmd: "true" });
  strictEqual((await vise.value("write_stdin", { command_id: kept.command_id })).status, "exited");
  await sleep(3_000);
  const later = await vise.value("write_stdin", { command_id: kept.command_id, verbosity: "summary" });
  strictEqual(later.background_processes, undefined);
});

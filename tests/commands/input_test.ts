/** Input reaches the command whole, or the refusal says what to do. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const TRUSTED = { flags: ["--permission-mode", "trusted"] };

Deno.test("a command that reads without input sees its end at once and never touches the protocol", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const empty = await vise.value("exec_command", { cmd: "cat", yield_time_ms: 10_000 });
  deepStrictEqual([empty.status, empty.exit_code, empty.stdout], ["exited", 0, ""]);
  const python = vise.value("exec_command", {
    cmd: "python3 -c 'import sys,os; print(len(sys.stdin.read())); os.set_blocking(0,False)'",
  });
  const pings = [1, 2, 3].map(() => vise.request("ping"));
  strictEqual((await python).stdout, "0\n");
  for (const ping of pings) deepStrictEqual((await ping).result, {});
});

Deno.test("a command gets descriptors 0 to 2 and nothing of the server", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, { flags: ["--permission-mode", "dangerous"] });
  for (const tty of [false, true]) {
    const value = await vise.value("exec_command", { cmd: "ls /proc/self/fd", tty });
    strictEqual(value.stdout.trim().split(/\s+/).join(" "), "0 1 2 3");
  }
});

Deno.test("one-shot input larger than any pipe arrives whole while the server answers others", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const stdin = "0123456789abcdef\n".repeat(300_000);
  const counted = vise.value("exec_command", { cmd: "sleep 0.5; wc -c; exit 5", stdin });
  const startedAt = performance.now();
  await vise.request("ping");
  ok(performance.now() - startedAt < 5_000);
  const value = await counted;
  deepStrictEqual([value.stdout.trim(), value.exit_code], [String(stdin.length), 5]);
  const unread = await vise.value("exec_command", { cmd: "exec 0<&-; echo closed", stdin });
  deepStrictEqual([unread.status, unread.stdout], ["exited", "closed\n"]);
});

Deno.test("an open pipe takes input in pieces, reports the bytes, and can be closed", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const { command_id } = await vise.value("exec_command", {
    cmd: "cat; echo end",
    keep_stdin_open: true,
    yield_time_ms: 200,
  });
  const first = await vise.value("write_stdin", { command_id, chars: "h\u00e9\u0000\u0004\n" });
  deepStrictEqual([first.stdout, first.stdin_bytes_written, first.status], ["h\u00e9\u2400\u0004\n", 6, "running"]);
  const large = "x".repeat(400_000);
  const second = await vise.value("write_stdin", { command_id, chars: large, max_output_bytes: 1_048_576 });
  strictEqual(second.stdin_bytes_written, 400_000);
  let got = second.stdout.length;
  for (let round = 0; round < 50 && got < 400_000; round++) {
    got +=
      (await vise.value("write_stdin", { command_id, max_output_bytes: 1_048_576, yield_time_ms: 200 })).stdout.length;
  }
  strictEqual(got, 400_000);
  const last = await vise.value("write_stdin", { command_id, chars: "bye\n", close_stdin: true });
  deepStrictEqual([last.stdout, last.status, last.exit_code], ["bye\nend\n", "exited", 0]);
});

Deno.test("input that comes while the last output is still on its way is told how the command ended", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const cmd = "sleep 5 & exit 3";
  const started = await vise.value("exec_command", { cmd, keep_stdin_open: true, yield_time_ms: 0 });
  for (;;) {
    const result = await vise.call("write_stdin", { command_id: started.command_id, chars: "x", yield_time_ms: 0 });
    if (!result.isError) continue;
    const { code, details } = result.structuredContent.error;
    deepStrictEqual([code, details.reason, details.status, details.exit_code], [
      "COMMAND_CLOSED",
      "exited",
      "exited",
      3,
    ]);
    break;
  }
});

Deno.test("input that cannot arrive is refused with the way out", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const closed = await vise.value("exec_command", { cmd: "sleep 30", yield_time_ms: 100 });
  const refused = await vise.failure("write_stdin", { command_id: closed.command_id, chars: "x\n" });
  deepStrictEqual([refused.code, refused.details.reason], ["COMMAND_CLOSED", "stdin_closed"]);
  match(refused.details.retry_hint, /keep_stdin_open.*tty.*kill_command/);
  const interrupt = await vise.failure("write_stdin", { command_id: closed.command_id, chars: "\u0003" });
  strictEqual(interrupt.code, "INVALID_ARGUMENT");
  match(interrupt.details.retry_hint, /kill_command/);
  await vise.value("kill_command", { command_id: closed.command_id });
  const terminal = await vise.value("exec_command", { cmd: "cat", tty: true, yield_time_ms: 200 });
  const tooLong = await vise.failure("write_stdin", {
    command_id: terminal.command_id,
    chars: "x".repeat(5_000) + "\n",
  });
  strictEqual(tooLong.code, "INVALID_ARGUMENT");
  match(tooLong.message, /4095/);
  const warned = await vise.value("exec_command", { cmd: "sleep 0.1", tty: true, stdin: "x".repeat(5_000) });
  match(warned.warnings.join("\n"), /4095 bytes/);
  const surrogate = await vise.failure("exec_command", { cmd: "echo \ud83d" });
  strictEqual(surrogate.code, "INVALID_ARGUMENT");
  strictEqual((await vise.failure("exec_command", { cmd: "echo \u0000" })).code, "INVALID_ARGUMENT");
  strictEqual((await vise.failure("write_stdin", { command_id: "none" })).code, "COMMAND_NOT_FOUND");
});

Deno.test("variables that no program can get are refused by name", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  for (const name of ["", "A=B"]) {
    const { code, message, details } = await vise.failure("exec_command", { cmd: "true", env: { [name]: "x" } });
    deepStrictEqual([code, details.argument], ["INVALID_ARGUMENT", "env"]);
    match(message, /not a name/);
  }
  const nul = await vise.failure("exec_command", { cmd: "true", env: { A: "x\u0000y" } });
  deepStrictEqual([nul.code, nul.details.argument], ["INVALID_ARGUMENT", "env.A"]);
});

Deno.test("input that a command does not read waits, is reported, and is refused once there is too much of it", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const started = await vise.value("exec_command", { cmd: "sleep 60", keep_stdin_open: true, yield_time_ms: 100 });
  const command_id = started.command_id;
  const chars = "x".repeat(9_000_000);
  const first = await vise.value("write_stdin", { command_id, chars, yield_time_ms: 100 });
  match(first.warnings.join("\n"), /\d+ bytes of input wait until the command reads them/);
  let refused: Awaited<ReturnType<ViseProcess["failure"]>> | null = null;
  for (let i = 0; i < 6 && refused === null; i++) {
    const result = await vise.call("write_stdin", { command_id, chars, yield_time_ms: 50 });
    if (result.isError) refused = result.structuredContent.error;
  }
  deepStrictEqual([refused?.code, refused?.details.reason], ["COMMAND_CLOSED", "input_full"]);
  match(refused?.message ?? "", /\d{8} bytes already wait and it does not read/);
  strictEqual((await vise.value("kill_command", { command_id, signal: "KILL" })).killed, true);
});

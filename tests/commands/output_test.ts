/** Nothing of the output is lost, cut silently or broken, however fast or slow it comes. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const TRUSTED = { flags: ["--permission-mode", "trusted"] };

Deno.test("characters split over chunks arrive whole, byte counts add up", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const cmd = "printf 'A\\342'; sleep 0.4; printf 'err\\n' >&2; sleep 0.4; printf '\\202\\254B\\n'";
  let value = await vise.value("exec_command", { cmd, yield_time_ms: 200 });
  let [out, err, outBytes, errBytes] = [
    value.stdout,
    value.stderr,
    value.stdout_output_bytes,
    value.stderr_output_bytes,
  ];
  while (value.status === "running") {
    value = await vise.value("write_stdin", { command_id: value.command_id, yield_time_ms: 5_000 });
    out += value.stdout;
    err += value.stderr;
    outBytes += value.stdout_output_bytes;
    errBytes += value.stderr_output_bytes;
  }
  deepStrictEqual([out, err, outBytes, errBytes], ["A\u20acB\n", "err\n", 6, 4]);
});

Deno.test("NUL, escapes and invalid bytes are shown, counted, and kept raw", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const value = await vise.value("exec_command", { cmd: "printf 'a\\000b\\033[31mred\\033[0m\\n\\377\\376\\n'" });
  strictEqual(value.stdout, "a\u2400b\u001b[31mred\u001b[0m\n\ufffd\ufffd\n");
  match(value.warnings.join("\n"), /1 NUL and 2 invalid UTF-8 bytes/);
  const raw = await vise.value("read_output", { output_ref: value.command_id, encoding: "base64" });
  deepStrictEqual([...Buffer.from(raw.content, "base64")], [
    ...Buffer.from("a\0b\x1b[31mred\x1b[0m\n\xff\xfe\n", "latin1"),
  ]);
  const progress = await vise.value("exec_command", { cmd: "printf '10%%\\r50%%\\r100%%\\n'" });
  const page = await vise.value("read_output", { output_ref: progress.output_refs.stdout });
  strictEqual(page.content, "10%\r50%\r100%\n");
});

Deno.test("300 MB of output keep memory flat, the cut is said, and head, gap and tail add up", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  await vise.value("exec_command", { cmd: "true" });
  const before = residentBytes(vise);
  const result = await vise.call("exec_command", {
    cmd: "seq 1 3 >&2; yes 0123456789abcdef | head -c 300000000; echo; echo DONE-MARK; exit 4",
    yield_time_ms: 30_000,
    timeout_ms: 60_000,
    max_output_bytes: 2_000,
  });
  const value = result.structuredContent;
  ok(residentBytes(vise) - before < 64e6);
  deepStrictEqual([value.status, value.exit_code, value.stderr], ["exited", 4, "1\n2\n3\n"]);
  const text = ViseProcess.text(result);
  match(text, /0123456789abcdef\n/);
  match(text, /DONE-MARK/);
  match(text, /… \d+ bytes of stdout are not shown here; read_output\(output_ref="[^"]+:stdout", offset=1024\)/);
  ok(value.stdout_output_bytes <= 2_000 && value.truncated && value.output_truncated);
  const ref = value.output_refs.stdout;
  const start = await vise.value("read_output", { output_ref: ref, offset: 0, limit: 1_000_000 });
  const gap = await vise.value("read_output", { output_ref: ref, offset: 100_000_000, limit: 100 });
  const end = await vise.value("read_output", { output_ref: ref, offset: 300_000_011 - 10, limit: 100 });
  strictEqual(start.total_stream_bytes, 300_000_011);
  strictEqual(start.head_retained_bytes, start.content.length);
  ok(gap.evicted_gap_bytes > 0);
  deepStrictEqual([gap.offset, gap.omitted_bytes], [gap.retained_start_offset, gap.offset - 100_000_000]);
  match(gap.warnings.join("\n"), /stdout offset skipped dropped bytes/);
  deepStrictEqual([end.content, end.next_offset], ["DONE-MARK\n", null]);
  const tail = start.total_stream_bytes - start.retained_start_offset;
  strictEqual(start.head_retained_bytes + start.evicted_gap_bytes + tail, 300_000_011);
});

Deno.test("the last bytes before the exit are never lost, with and without a terminal", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  for (let round = 0; round < 30; round++) {
    const tty = round % 3 === 2;
    const value = await vise.value("exec_command", { cmd: "seq 1 20000; echo LAST", tty, max_output_bytes: 1_048_576 });
    strictEqual(value.status, "exited");
    const count = await countLines(vise, value.output_refs.stdout);
    deepStrictEqual([count.lines, count.last], [20_001, tty ? "LAST\r\n" : "LAST\n"]);
  }
});

Deno.test("a first line of output is no reason to return, with and without a terminal", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  for (const tty of [false, true]) {
    const value = await vise.value("exec_command", {
      cmd: "echo hi; sleep 0.5; echo there",
      tty,
      yield_time_ms: 20_000,
    });
    deepStrictEqual([value.status, value.stdout], ["exited", "hi\nthere\n"]);
  }
  let value = await vise.value("exec_command", { cmd: "sleep 0.3; echo x", yield_time_ms: 100 });
  let collected = value.stdout;
  while (value.status === "running") {
    value = await vise.value("write_stdin", { command_id: value.command_id, yield_time_ms: 50 });
    collected += value.stdout;
  }
  deepStrictEqual([value.status, collected], ["exited", "x\n"]);
});

Deno.test("the streams of commands that run together never mix", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const cmd = (name: string) => `for i in $(seq 1 2000); do echo ${name} $i; echo ${name}err $i >&2; done`;
  const values = await Promise.all(
    ["one", "two"].map((name) => vise.value("exec_command", { cmd: cmd(name), max_output_bytes: 1_048_576 })),
  );
  values.forEach((value, index) => {
    const name = ["one", "two"][index];
    const expected = (word: string) => Array.from({ length: 2_000 }, (_, line) => `${word} ${line + 1}\n`).join("");
    strictEqual(value.stdout, expected(`${name}`));
    strictEqual(value.stderr, expected(`${name}err`));
  });
});

Deno.test("output of a command that is never polled is read whole, and finished commands answer twice alike", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const started = await vise.value("exec_command", { cmd: "sleep 0.5; echo done", yield_time_ms: 0 });
  strictEqual(started.status, "running");
  await vise.value("exec_command", { cmd: "sleep 1.2" });
  const page = await vise.value("read_output", { output_ref: started.output_refs.stdout });
  deepStrictEqual([page.content, page.offset, page.status, page.exit_code], ["done\n", 0, "exited", 0]);
  const first = await vise.value("write_stdin", { command_id: started.command_id });
  const second = await vise.value("write_stdin", { command_id: started.command_id });
  deepStrictEqual([first.status, first.exit_code, first.stdout], ["exited", 0, "done\n"]);
  deepStrictEqual([second.status, second.exit_code, second.stdout], ["exited", 0, ""]);
});

Deno.test("verbosity summary and preview leave the streams out and say how to get them", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const summary = await vise.call("exec_command", { cmd: "seq 1 50; exit 2", verbosity: "summary" });
  const value = summary.structuredContent;
  strictEqual(value.stdout, undefined);
  match(value.summary, /^exit 2 \| \d+\.\d s \| 50 lines \| tail: '50'$/);
  strictEqual(value.output_stream, "stdout");
  match(ViseProcess.text(summary), /tail: '50'/);
  const preview = await vise.value("exec_command", {
    cmd: "seq 1 5000; echo oops >&2",
    verbosity: "preview",
    preview_bytes: 300,
  });
  match(preview.preview, /^--- stdout ---\n1\n[\s\S]*\n\.\.\. output truncated \.\.\.\n[\s\S]*--- stderr ---\noops\n$/);
  deepStrictEqual([preview.preview_truncated, preview.truncated], [true, true]);
  ok(new TextEncoder().encode(preview.preview).length <= 300);
  const previewOf = async (preview_bytes: number) =>
    (await vise.value("exec_command", { cmd: "seq 1 50", verbosity: "preview", preview_bytes })).preview;
  strictEqual(await previewOf(28), "--- stdout ---\n1\n2\n3\n4\n5\n6\n7");
  strictEqual(await previewOf(30), "--\n... output truncated ...\n0\n");
});

Deno.test("read_output refuses references that are none and streams that contradict", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const { command_id } = await vise.value("exec_command", { cmd: "echo o; echo e >&2" });
  strictEqual(
    (await vise.value("read_output", { output_ref: ` command:${command_id} `, stream: "stderr" })).content,
    "e\n",
  );
  const conflict = await vise.failure("read_output", { output_ref: `command:${command_id}:stdout`, stream: "stderr" });
  strictEqual(conflict.code, "INVALID_ARGUMENT");
  strictEqual((await vise.failure("read_output", { output_ref: "command:a:b:c" })).code, "INVALID_ARGUMENT");
  const missing = await vise.failure("read_output", { output_ref: "command:nothing:stdout" });
  strictEqual(missing.code, "COMMAND_NOT_FOUND");
  match(missing.details.retry_hint, /300 s.*exec_command/);
  strictEqual((await vise.value("read_output", { output_ref: command_id, offset: 99 })).next_offset, null);
});

async function countLines(vise: ViseProcess, ref: string): Promise<{ lines: number; last: string }> {
  let all = "";
  for (let offset: number | null = 0; offset !== null;) {
    const page: { content: string; next_offset: number | null } = await vise.value("read_output", {
      output_ref: ref,
      offset,
      limit: 524_288,
    });
    all += page.content;
    offset = page.next_offset;
  }
  return { lines: all.split("\n").length - 1, last: all.slice(all.lastIndexOf("\n", all.length - 2) + 1) };
}

function residentBytes(vise: ViseProcess): number {
  const status = readFileSync(`/proc/${vise.child.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1024;
}

Deno.test("a preview shows NUL as the output itself does", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root);
  const { preview } = await vise.value("exec_command", { cmd: "printf 'a\\000b'", verbosity: "preview" });
  strictEqual(preview, "--- stdout ---\na\u2400b");
});

Deno.test("a text that advises to call a tool about an ended command names the command", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, { flags: ["--permission-mode", "trusted"] });
  for (const cmd of ["printf 'a\\000b'", "sleep 30 & echo started"]) {
    const result = await vise.call("exec_command", { cmd });
    const text = ViseProcess.text(result);
    match(text, /Warning: .*(?:read_output|kill_command)/);
    ok(text.includes(`Command id: ${result.structuredContent.command_id}.`), text);
    await vise.call("kill_command", { command_id: result.structuredContent.command_id });
  }
  const plain = await vise.call("exec_command", { cmd: "echo" });
  strictEqual(ViseProcess.text(plain).includes("Command id"), false);
});

/** A terminal is a real one: controlling, with job control, size, echo, and programs that need it. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const TRUSTED = { flags: ["--permission-mode", "trusted"] };

Deno.test("a terminal command has a controlling terminal of the asked size and kind", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const cmd = "tty; stty size; echo $TERM; test -t 0 && test -t 1 && test -t 2 && echo all; echo err >&2";
  const value = await vise.value("exec_command", { cmd, tty: true });
  match(value.stdout, /^\/dev\/pts\/\d+\n24 80\nxterm-256color\nall\nerr\n$/);
  deepStrictEqual([value.stderr, value.rendered], ["", true]);
  const sized = await vise.value("exec_command", { cmd: "stty size", tty: true, columns: 132, rows: 50 });
  strictEqual(sized.stdout, "50 132\n");
  const raw = await vise.value("read_output", { output_ref: sized.output_refs.stdout });
  strictEqual(raw.content, "50 132\r\n");
  const none = await vise.value("exec_command", { cmd: "test -t 0 || echo no; echo $TERM" });
  strictEqual(none.stdout, "no\ndumb\n");
});

Deno.test("Ctrl-C, Ctrl-D and Ctrl-Z act as they do for a person", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const started = await vise.value("exec_command", { cmd: "echo ready; exec sleep 60", tty: true, yield_time_ms: 500 });
  const broken = await vise.value("write_stdin", { command_id: started.command_id, chars: "\u0003" });
  deepStrictEqual([broken.status, broken.signal], ["terminated", "SIGINT"]);
  const reading = await vise.value("exec_command", { cmd: "cat; echo over", tty: true, yield_time_ms: 300 });
  const echoed = await vise.value("write_stdin", { command_id: reading.command_id, chars: "line\n" });
  strictEqual(echoed.stdout, "line\nline\n");
  const ended = await vise.value("write_stdin", { command_id: reading.command_id, chars: "\u0004" });
  deepStrictEqual([ended.status, ended.exit_code], ["exited", 0]);
  match(ended.stdout, /over\n$/);
  const closing = await vise.value("exec_command", { cmd: "cat; echo over", tty: true, yield_time_ms: 300 });
  await vise.value("write_stdin", { command_id: closing.command_id, chars: "half" });
  const closed = await vise.value("write_stdin", { command_id: closing.command_id, close_stdin: true });
  strictEqual(closed.status, "exited");
});

Deno.test("progress lines, colours and titles are rendered, the raw bytes are kept", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const cmd = "printf '10%%\\r50%%\\r100%%\\n\\033[1;32mgreen\\033[0m\\033]0;title\\007\\n'";
  const value = await vise.value("exec_command", { cmd, tty: true });
  strictEqual(value.stdout, "100%\ngreen\n");
  const raw = await vise.value("read_output", { output_ref: value.command_id });
  strictEqual(raw.content, "10%\r50%\r100%\r\n\x1b[1;32mgreen\x1b[0m\x1b]0;title\x07\r\n");
});

Deno.test("a password prompt turns echo off and reads a line", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const cmd = "printf 'Password: '; stty -echo; read p; stty echo; echo; echo got ${#p}";
  const started = await vise.value("exec_command", { cmd, tty: true, yield_time_ms: 600 });
  match(started.stdout, /Password: $/);
  const done = await vise.value("write_stdin", { command_id: started.command_id, chars: "hunter2\n" });
  deepStrictEqual([done.stdout.includes("hunter2"), /got 7\n$/.test(done.stdout), done.status], [
    false,
    true,
    "exited",
  ]);
});

Deno.test("wide and many-byte input passes a terminal unchanged", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, TRUSTED);
  const text = "\u00e9\u20ac\u{1f600}\u6f22\u5b57";
  const started = await vise.value("exec_command", { cmd: "stty -echo; echo go; cat", tty: true, yield_time_ms: 500 });
  const value = await vise.value("write_stdin", { command_id: started.command_id, chars: `${text}\n` });
  strictEqual(value.stdout, `${text}\n`);
  await vise.value("kill_command", { command_id: started.command_id, signal: "KILL" });
});

interface Dialogue {
  readonly program: string;
  readonly cmd: string;
  /** What is typed, and what the screen then shows. */
  readonly turns: readonly (readonly [string, RegExp])[];
  readonly first?: RegExp;
}

const DIALOGUES: readonly Dialogue[] = [
  {
    program: "python3",
    cmd: "python3 -q",
    first: />>> $/,
    turns: [["6*7\n", /42\n>>> $/], ["import sys; sys.stdin.isatty()\n", /True/], ["exit()\n", /exit/]],
  },
  {
    program: "bash",
    cmd: "bash --norc -i",
    turns: [
      ["echo a$((1+1))b\n", /a2b/],
      ["sleep 50 | cat\n", /sleep 50/],
      ["\u001a", /Stopped/],
      ["jobs\n", /Stopped/],
      ["kill %1; sleep 0.2; echo kil$((1+1))ed\n", /kil2ed/],
      ["wait; jobs; echo no$((1+1))jobs\n", /no2jobs/],
      ["exit 3\n", /exit/],
    ],
  },
  { program: "node", cmd: "node -i", turns: [["6*7\n", /42/], [".exit\n", /exit/]] },
  {
    program: "vim",
    cmd: "vim -u NONE -N new.txt",
    turns: [["ihello from vim\u001b", /hello from vim/], [":wq\r", /written|new\.txt/]],
  },
  { program: "less", cmd: "seq 1 500 > n.txt; less n.txt", first: /n\.txt|:/, turns: [["G", /500/], ["q", /[\s\S]*/]] },
  { program: "top", cmd: "top -d 1", first: /PID/, turns: [["q", /[\s\S]*/]] },
  {
    program: "git",
    cmd:
      "git init -q . && printf '1\\n2\\n' > f && git add f && git -c user.name=a -c user.email=a@b.c commit -qm x && " +
      "printf '1\\nnew\\n2\\n' > f && git add -p",
    first: /Stage this hunk/,
    turns: [["y\n", /[\s\S]*/]],
  },
];

for (const { program, cmd, first, turns } of DIALOGUES) {
  Deno.test({ name: `${program} works on the terminal`, ignore: isMissing(program) }, async () => {
    using workspace = new TempWorkspace();
    await using vise = new ViseProcess(workspace.root, TRUSTED);
    let value = await vise.value("exec_command", {
      cmd,
      tty: true,
      yield_time_ms: 1_500,
      env: { PATH: Deno.env.get("PATH") ?? "" },
    });
    let shown = value.stdout;
    for (
      let round = 0;
      round < 40 && first !== undefined && !first.test(shown) && value.status === "running";
      round++
    ) {
      value = await vise.value("write_stdin", { command_id: value.command_id, yield_time_ms: 250 });
      shown += value.stdout;
    }
    if (first !== undefined) match(shown, first);
    for (const [chars, expected] of turns) {
      value = await vise.value("write_stdin", { command_id: value.command_id, chars });
      shown = value.stdout;
      for (let round = 0; round < 40 && !expected.test(shown) && value.status === "running"; round++) {
        value = await vise.value("write_stdin", { command_id: value.command_id, yield_time_ms: 250 });
        shown += value.stdout;
      }
      match(shown, expected);
    }
    for (let round = 0; round < 40 && value.status === "running"; round++) {
      value = await vise.value("write_stdin", { command_id: value.command_id, yield_time_ms: 500 });
    }
    strictEqual(value.status, "exited");
    if (program === "vim") strictEqual(workspace.read("new.txt"), "hello from vim\n");
    if (program === "bash") strictEqual(value.exit_code, 3);
    // deno-lint-ignore no-control-regex
    ok(!/\x1b/.test(shown), "escape sequences are rendered away");
  });
}

function isMissing(program: string): boolean {
  try {
    execFileSync("/bin/sh", ["-c", `command -v ${program}`], { stdio: "ignore" });
    return false;
  } catch {
    console.log(`ignored: ${program} is not installed`);
    return true;
  }
}

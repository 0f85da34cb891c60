/** A confused client gets help: each wrong argument is answered by a tool result that names it and the right one. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const MISTAKES: readonly [string, Record<string, unknown>, { argument: string; nearest?: string; words: RegExp }][] = [
  ["read_file", { file_path: "a.txt" }, { argument: "file_path", nearest: "path", words: /did you mean path/ }],
  ["read_file", {}, { argument: "path", words: /arguments\.path is required/ }],
  ["read_file", { path: 7 }, { argument: "path", words: /must be a string; got 7/ }],
  ["read_file", { path: "a.txt", start_line: "2" }, { argument: "start_line", words: /must be an integer; got "2"/ }],
  ["read_file", { path: "a.txt", start_line: 0 }, { argument: "start_line", words: /must be >= 1/ }],
  ["read_file", { path: "a.txt", start_line: 1.5 }, { argument: "start_line", words: /must be an integer/ }],
  ["read_file", { path: "a.txt", bogus: 1 }, { argument: "bogus", words: /not a recognized argument/ }],
  ["read_file", { path: "a.txt", line_numbers: "yes" }, { argument: "line_numbers", words: /must be a boolean/ }],
  ["read_file", { path: "" }, { argument: "path", words: /shorter than 1/ }],
  ["read_file", { path: "a.txt", encoding: "latin1" }, { argument: "encoding", words: /must be one of/ }],
  ["read_file", { path: [] }, { argument: "path", words: /must be a string; got \[\]$/m }],
  ["read_file", { path: "a.txt", max_bytes: 1e300 }, {
    argument: "max_bytes",
    words: /: arguments\.max_bytes must be <= 1048576; got 1e\+300$/m,
  }],
  ["read_file", { path: "a.txt", start_line: "x".repeat(59) + "😀" }, {
    argument: "start_line",
    words: /got "x{59}…"$/m,
  }],
  ["read_file", { path: "a.txt", start_line: 3, end_line: 2 }, {
    argument: "end_line",
    words: /end_line 2 lies before/,
  }],
  ["read_file", { path: "a\0" }, { argument: "path", words: /NUL/ }],
  ["exec_command", { cmd: "true", workdir: "a\0" }, { argument: "workdir", words: /NUL/ }],
  ["apply_changes", { changes: { action: "create", path: "x".repeat(60) } }, {
    argument: "changes",
    words: /must be an array; got \{"action":"create","path":"x+…$/m,
  }],
  ["exec_command", { command: "true" }, { argument: "command", nearest: "cmd", words: /did you mean cmd/ }],
  ["exec_command", { cmd: "true", tty: "true" }, { argument: "tty", words: /must be a boolean/ }],
  ["exec_command", { cmd: "true", env: { A: 1 } }, { argument: "env.A", words: /must be a string/ }],
  ["exec_command", { cmd: "echo \ud83d" }, { argument: "cmd", words: /lone surrogate/ }],
  ["apply_patch", { input: "x" }, { argument: "input", nearest: "patch", words: /did you mean patch/ }],
  ["search_text", { query: "x", include_globs: "*.ts" }, { argument: "include_globs", words: /must be an array/ }],
  ["search_text", { query: "x", glob: ["*.ts"] }, { argument: "glob", words: /must be a string/ }],
  ["apply_changes", { changes: [{ action: "edit", path: "a", edits: [{ op: "replace", startLine: 1 }] }] }, {
    argument: "changes[0].edits[0].startLine",
    nearest: "start_line",
    words: /changes\[0\]\.edits\[0\]\.startLine is not a recognized argument; did you mean start_line/,
  }],
];

Deno.test("a wrong argument is a tool error that names the argument and the nearest right name", async () => {
  using ws = new TempWorkspace();
  ws.write("a.txt", "one\ntwo\n");
  await using vise = new ViseProcess(ws.root, { flags: ["--permission-mode", "trusted"] });
  for (const [tool, args, { argument, nearest, words }] of MISTAKES) {
    const result = await vise.call(tool, args);
    strictEqual(result.isError, true, tool);
    const { error } = result.structuredContent;
    deepStrictEqual(
      [error.code, error.category],
      ["INVALID_ARGUMENT", "validation"],
      `${tool} ${JSON.stringify(args)}`,
    );
    match(`: ${error.message}`, words);
    ok(typeof error.details.retry_hint === "string", `${tool} says no next step`);
    strictEqual(error.details.argument, argument);
    strictEqual(error.details.nearest, nearest);
    match(ViseProcess.text(result), words);
    ok(ViseProcess.text(result).startsWith("INVALID_ARGUMENT: "));
  }
});

Deno.test("null counts as not given, and a whole number may be written with a fraction of zero", async () => {
  using ws = new TempWorkspace();
  ws.write("a.txt", "one\ntwo\n");
  await using vise = new ViseProcess(ws.root);
  strictEqual((await vise.value("read_file", { path: "a.txt", end_line: null, max_lines: null })).total_lines, 2);
  const answered = vise.answerTo("1");
  vise.sendRaw(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"a.txt","max_lines":1.0}}}\n',
  );
  strictEqual((await answered).result.structuredContent.content, "one\n");
});

Deno.test("equivalent spellings of a path give the same path", async () => {
  using ws = new TempWorkspace();
  ws.write("sub/a.txt", "x\n");
  await using vise = new ViseProcess(ws.root);
  for (const path of ["sub/a.txt", "./sub/a.txt", "sub//a.txt", "sub/./a.txt"]) {
    strictEqual((await vise.value("read_file", { path })).path, "sub/a.txt");
  }
  strictEqual((await vise.failure("read_file", { path: "sub/a.txt " })).code, "NOT_FOUND");
  strictEqual((await vise.failure("read_file", { path: "sub/\0a.txt" })).code, "INVALID_ARGUMENT");
  strictEqual((await vise.value("list_dir", { path: "" })).path, ".");
});

Deno.test("a call that fails the same way twice is told so, until something was written", async () => {
  using ws = new TempWorkspace();
  await using vise = new ViseProcess(ws.root);
  const missing = { path: "nope.txt" };
  strictEqual((await vise.failure("read_file", missing)).details.recent_identical_failures, undefined);
  const second = await vise.call("read_file", missing);
  strictEqual(second.structuredContent.error.details.recent_identical_failures, 2);
  match(ViseProcess.text(second), /failed 2 times/);
  strictEqual((await vise.failure("read_file", { path: "other.txt" })).details.recent_identical_failures, undefined);
  await vise.value("apply_patch", { patch: "*** Begin Patch\n*** Add File: new.txt\n+x\n*** End Patch" });
  strictEqual((await vise.failure("read_file", missing)).details.recent_identical_failures, undefined);
});

Deno.test("a number that JSON has no word for is shown as what it is", async () => {
  using ws = new TempWorkspace();
  await using vise = new ViseProcess(ws.root);
  const answered = vise.answerTo("1");
  vise.sendRaw(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_dir","arguments":{"offset":1e400}}}\n',
  );
  const { error } = (await answered).result.structuredContent;
  deepStrictEqual([error.message, error.details.received], [
    'arguments.offset must be an integer; got "Infinity"',
    "Infinity",
  ]);
});

Deno.test("an empty path is the root wherever a path has a default", async () => {
  using ws = new TempWorkspace();
  ws.write("a.txt", "one\n");
  ws.sh("git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm first");
  await using vise = new ViseProcess(ws.root);
  const calls = [["list_dir", {}], ["list_files", {}], ["search_text", { query: "one" }], ["git_status", {}], [
    "git_log",
    {},
  ], ["workspace_guide", {}]] as const;
  for (const [tool, args] of calls) {
    const expected = await vise.value(tool, args);
    deepStrictEqual(await vise.value(tool, { ...args, path: "" }), expected, tool);
  }
  strictEqual((await vise.value("exec_command", { cmd: "ls", workdir: "" })).stdout, "a.txt\n");
});

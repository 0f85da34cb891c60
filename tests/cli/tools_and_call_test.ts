/** `vise tools`, `vise call` and `vise completions` as a person or a script uses them. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import type { ListedTool } from "../../src/catalog/listing.ts";
import { LISTING } from "../../src/catalog/listing_data.ts";
import { serverCommand } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

const tools = JSON.parse(LISTING) as ListedTool[];

function vise(args: readonly string[], input = "") {
  const [program, ...leading] = serverCommand();
  return spawnSync(program, [...leading, ...args], { encoding: "utf8", input, maxBuffer: 1 << 26 });
}

Deno.test("vise tools lists the catalog for people, as JSON and as a table", () => {
  const plain = vise(["tools"]).stdout.trimEnd().split("\n");
  deepStrictEqual(plain.map((line) => line.split(/ +/, 1)[0]), tools.map(({ name }) => name));
  for (const line of plain) match(line, /^\w+ +\S.*\.$/);
  deepStrictEqual(JSON.parse(vise(["tools", "--json"]).stdout), tools);
  const [, , ...rows] = vise(["tools", "--markdown"]).stdout.trimEnd().split("\n");
  deepStrictEqual(
    rows.map((row) => [/`(\w+)`/.exec(row)?.[1], / (reads|changes) \|$/.exec(row)?.[1]]),
    tools.map(({ name, annotations }) => [name, annotations["readOnlyHint"] ? "reads" : "changes"]),
  );
});

Deno.test("vise call waits for the end of a command, and prints each part of its output once", () => {
  using ws = new TempWorkspace();
  const args = JSON.stringify({ cmd: "echo first; sleep 1; echo second; exit 3", yield_time_ms: 250 });
  const text = vise(["call", "exec_command", "-", "--workspace", ws.root, "--permission-mode", "trusted"], args);
  deepStrictEqual([text.stdout.split("first").length, text.stdout.split("second").length], [2, 2], text.stdout);
  ok(text.stdout.indexOf("first") < text.stdout.indexOf("second"));
  const flags = ["--json", "--workspace", ws.root, "--permission-mode", "trusted"];
  const value = JSON.parse(vise(["call", "exec_command", args, ...flags]).stdout);
  deepStrictEqual([value.status, value.exit_code, value.stdout], ["exited", 3, "first\nsecond\n"]);
  deepStrictEqual([value.stdout_output_bytes, value.stdout_total_bytes], [13, 13]);
});

Deno.test("vise call has the exit code 1 for a failed call and 2 for one that is no call", () => {
  using ws = new TempWorkspace();
  const failed = vise(["call", "read_file", '{"path":"none"}', "--workspace", ws.root]);
  strictEqual(failed.status, 1);
  match(failed.stdout, /^NOT_FOUND: /);
  for (const args of [["read_file", "{}", "more"], ["read_file", "[]"], ["read_file", "7"]]) {
    const refused = vise(["call", ...args, "--workspace", ws.root]);
    deepStrictEqual([refused.status, refused.stdout], [2, ""]);
    match(refused.stderr, /^ERROR: [^\n]*one JSON object\n$/);
  }
});

Deno.test("a signal ends vise call and the command it waits for", async () => {
  using ws = new TempWorkspace();
  const [program, ...leading] = serverCommand();
  const args = JSON.stringify({ cmd: "echo $$ > pid; exec sleep 300" });
  const flags = ["--workspace", ws.root, "--permission-mode", "trusted"];
  const child = new Deno.Command(program, {
    args: [...leading, "call", "exec_command", args, ...flags],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  while (!ws.exists("pid") || ws.read("pid") === "") await new Promise((go) => setTimeout(go, 20));
  child.kill("SIGTERM");
  strictEqual((await child.status).code, 143);
  strictEqual(ws.sh(`kill -0 ${ws.read("pid").trim()} 2>/dev/null && echo lives || echo gone`), "gone\n");
});

Deno.test("vise completions names the shells it knows when it is asked for another", () => {
  const refused = vise(["completions", "csh"]);
  strictEqual(refused.status, 2);
  match(refused.stderr, /^ERROR: vise completions needs one of .*bash.*\n$/);
});

Deno.test("the completions of bash offer each subcommand its own flags", () => {
  const script = vise(["completions", "bash"]).stdout;
  const complete = (...words: string[]) =>
    spawnSync("bash", [
      "-c",
      `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _vise; echo "\${COMPREPLY[*]}"`,
      "bash",
      ...words,
    ], {
      encoding: "utf8",
    }).stdout.trim();
  strictEqual(complete("vise", "doctor", "--js"), "--json");
  strictEqual(complete("vise", "call", "read_file", "--js"), "--json");
  strictEqual(complete("vise", "tools", "--m").split(" ")[0], "--markdown");
  strictEqual(complete("vise", "setup", "cursor", "--un"), "--undo");
  strictEqual(complete("vise", "--permission-mode", "tr"), "trusted");
  strictEqual(complete("vise", "serve", "--js"), "");
});

Deno.test("vise call prints the value and waits for a command also where clients get no structured form", () => {
  using ws = new TempWorkspace();
  const flags = ["--structured", "off", "--workspace", ws.root];
  strictEqual(JSON.parse(vise(["call", "--json", "check_exec_environment", ...flags]).stdout).ok, true);
  const args = JSON.stringify({ cmd: "sleep 0.5; touch done", yield_time_ms: 0 });
  strictEqual(vise(["call", "exec_command", args, ...flags]).status, 0);
  strictEqual(ws.exists("done"), true);
});

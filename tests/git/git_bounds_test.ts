/** How much the git tools say at once, and how they go on. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";
import { NEW_REPOSITORY } from "./open_engine.ts";

Deno.test("long answers are continued by the call that they name", async () => {
  using ws = new TempWorkspace();
  ws.sh(
    `${NEW_REPOSITORY} seq 500 > a.txt; for i in $(seq 30); do echo $i >> a.txt; git add .; git commit -qm "number $i"; done
    for i in $(seq 12); do : > u$i; done`,
  );
  await using vise = new ViseProcess(ws.root);
  const log = await vise.value("git_log", { max_count: 20 });
  deepStrictEqual([log.commits.length, log.truncated, log.next_action.arguments.skip], [20, true, 20]);
  const rest = await vise.value("git_log", log.next_action.arguments);
  deepStrictEqual([rest.commits.length, rest.truncated, rest.commits[9].subject], [10, false, "number 1"]);
  const status = await vise.value("git_status", { max_entries: 5 });
  deepStrictEqual([status.entries.length, status.truncated, status.total_entries], [5, true, 12]);
  const more = await vise.value("git_status", { ...status.next_action.arguments, max_entries: 100 });
  deepStrictEqual([more.entries.length, more.truncated], [7, false]);
  const blame = await vise.value("git_blame", { path: "a.txt", max_lines: 300 });
  deepStrictEqual([blame.lines.length, blame.truncated, blame.next_action.arguments.start_line], [300, true, 301]);
  const end = await vise.value("git_blame", blame.next_action.arguments);
  deepStrictEqual([end.lines.length, end.truncated, end.end_line], [230, false, 530]);
  const exact = await vise.value("git_blame", { path: "a.txt", start_line: 331, max_lines: 200 });
  deepStrictEqual([exact.lines.length, exact.truncated], [200, false]);
  const past = await vise.failure("git_blame", { path: "a.txt", start_line: 999 });
  deepStrictEqual([past.code, past.details.total_lines], ["GIT_ERROR", 530]);
  const text = ViseProcess.text(await vise.call("git_blame", { path: "a.txt", max_lines: 1000 }));
  match(text, /… more lines; continue with git_blame\(path="a.txt", start_line=\d+, max_lines=1000\)/);
});

Deno.test("no value is larger than 64 KiB by default, and each says what was left out", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} long=$(printf 'n%.0s' $(seq 150)); mkdir $long
    for i in $(seq 1500); do printf 'a\\n' > "$long/$i-\\"quoted\\"-äö.txt"; done; seq 3000 | sed 's/$/\\t"\\\\"\\t/' > tabs.txt
    subject=$(printf '"\\\\%.0s' $(seq 3000)); git add .; git commit -qm "$subject"
    for i in $(seq 30); do printf '%s\\n' "$i" >> tabs.txt; git commit -qam "$i $subject"; done
    for f in $long/*; do printf 'b\\n' >> "$f"; done; sed -i 's/$/\\001"\\\\/' tabs.txt
    for i in $(seq 300); do printf '"%.0s' $(seq 2000); echo; done > wide.txt; git add wide.txt`);
  await using vise = new ViseProcess(ws.root);
  const calls: [string, Record<string, unknown>][] = [
    ["git_status", {}],
    ["git_diff", {}],
    ["git_diff", { staged: true, unstaged: false }],
    ["git_diff", { path: "tabs.txt" }],
    ["git_log", {}],
    ["git_show", { rev: "HEAD~30" }],
    ["git_show", { rev: "HEAD:tabs.txt" }],
    ["git_blame", { path: "wide.txt" }],
  ];
  for (const [tool, args] of calls) {
    const value = await vise.value(tool, args);
    const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
    ok(bytes <= 65_536, `${tool} ${JSON.stringify(args)}: ${bytes} bytes`);
    ok(value.truncated, `${tool} ${JSON.stringify(args)}`);
  }
  const diff = await vise.value("git_diff");
  strictEqual(diff.total_files, 1501);
  ok(diff.warnings.some((warning: string) => /\d+ more files are not listed/.test(warning)));
  const seen: string[] = [];
  let next: Record<string, unknown> | undefined = {};
  while (next !== undefined) {
    const status = await vise.value("git_status", next);
    seen.push(...status.entries.map((entry: { path: string }) => entry.path));
    next = status.next_action?.arguments;
  }
  deepStrictEqual([seen.length, new Set(seen).size], [1502, 1502]);
});

Deno.test("asking for neither staged nor unstaged changes gives none", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} : > a; git add .; git commit -qm one; echo x > a; : > b`);
  await using vise = new ViseProcess(ws.root);
  const diff = await vise.value("git_diff", { staged: false, unstaged: false });
  deepStrictEqual([diff.diff, diff.files, diff.include_untracked], ["", [], false]);
});

Deno.test("more paths than a command line takes are refused by name", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} : > a; git add .; git commit -qm one`);
  await using vise = new ViseProcess(ws.root);
  for (const [count, depth] of [[1_001, 1], [999, 2_000]] as const) {
    const paths = Array.from({ length: count }, (_, i) => `${"d/".repeat(depth)}${i}`);
    const failure = await vise.failure("git_diff", { paths });
    deepStrictEqual([failure.code, failure.details.argument], ["INVALID_ARGUMENT", "paths"]);
  }
});

Deno.test("git_show without its difference gives the words of the commit and the names of its files", async () => {
  using workspace = new TempWorkspace();
  workspace.write("a.txt", "one\n");
  workspace.sh("git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm first");
  await using vise = new ViseProcess(workspace.root);
  for (const more of [{}, { context_lines: 0 }]) {
    const result = await vise.call("git_show", { include_diff: false, ...more });
    const { content, files } = result.structuredContent;
    match(content, /^commit [0-9a-f]{40}\n[^]*\n {4}first\n/);
    strictEqual(content.includes("diff --git"), false);
    deepStrictEqual(files, [{ path: "a.txt", status: "added", binary: false }]);
    match(ViseProcess.text(result), /added a\.txt/);
  }
  match((await vise.value("git_show")).content, /\n\+one\n/);
});

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

interface File {
  path: string;
  type: string;
  size_bytes: number;
  modified: string;
  is_ignored?: boolean;
}

const paths = (value: { files: File[] }) => value.files.map((file) => file.path);

Deno.test("list_files finds nothing ignored or hidden by broad globs, and notes what a narrow one missed", async () => {
  using workspace = new TempWorkspace();
  workspace.sh("git init -q; printf 'out/\\n*.gen\\n' > .gitignore; mkdir out .cfg");
  for (const path of ["out/a.js", ".cfg/b.yml", "src.js", "x.gen"]) workspace.write(path, "ZEBRA\n");
  await using vise = new ViseProcess(workspace.root);
  deepStrictEqual(paths(await vise.value("list_files", { glob: "**/*" })), ["src.js"]);
  deepStrictEqual(paths(await vise.value("list_files", { glob: "*" })), ["src.js"]);
  const narrow = await vise.call("list_files", { glob: "out/*.js" });
  deepStrictEqual(narrow.structuredContent.files, []);
  strictEqual(narrow.structuredContent.matching_left_out, 1);
  match(ViseProcess.text(narrow), /1 matching files are hidden or ignored \(include_hidden, include_ignored\)/);
  const { next_action } = narrow.structuredContent;
  const all = await vise.value(next_action.tool, next_action.arguments);
  deepStrictEqual(all.files.map((file: File) => [file.path, file.is_ignored]), [["out/a.js", true]]);
  deepStrictEqual(paths(await vise.value("list_files", { path: "out" })), ["out/a.js"]);
  const everything = await vise.value("list_files", { include_hidden: true, include_ignored: true });
  deepStrictEqual(paths(everything), [".cfg/b.yml", ".gitignore", "out/a.js", "src.js", "x.gen"]);
});

Deno.test("list_files lists odd names exactly, one line each, and marks symlinks that stay inside", async () => {
  using workspace = new TempWorkspace();
  const names = ["new\nline.txt", "-dash", 'qu"o te.txt', "tab\there", "trail ", "😀.txt", "plain.txt"];
  for (const name of names) workspace.write(name, "a");
  symlinkSync("plain.txt", workspace.path("inside"));
  symlinkSync("/etc/passwd", workspace.path("outside"));
  symlinkSync("nowhere", workspace.path("dangling"));
  await using vise = new ViseProcess(workspace.root);
  const result = await vise.call("list_files");
  deepStrictEqual(paths(result.structuredContent).sort(), [...names, "inside"].sort());
  strictEqual(result.structuredContent.files.find((file: File) => file.path === "inside").type, "symlink");
  strictEqual(ViseProcess.text(result).split("\n").length, 8);
});

Deno.test("list_files pages through a large directory in order and sorts by time", async () => {
  using workspace = new TempWorkspace();
  mkdirSync(workspace.path("many"));
  for (let file = 0; file < 20_000; file++) writeFileSync(workspace.path(`many/f${String(file).padStart(7, "0")}`), "");
  await using vise = new ViseProcess(workspace.root);
  const first = await vise.value("list_files", { path: "many", max_results: 10 });
  deepStrictEqual([first.files.length, first.truncated, first.total_files, first.total_is_exact], [
    10,
    true,
    11,
    false,
  ]);
  const second = await vise.value(first.next_action.tool, first.next_action.arguments);
  strictEqual(second.files[0].path, "many/f0000010");
  utimesSync(workspace.path("many/f0015000"), 1, 1);
  const byTime = await vise.value("list_files", { path: "many", max_results: 2, sort: "modified" });
  deepStrictEqual([byTime.files[0].path, byTime.files[0].modified], ["many/f0015000", "1970-01-01T00:00:01.000Z"]);
  deepStrictEqual([byTime.total_files, byTime.total_is_exact], [20_000, true]);
});

Deno.test("list_files refuses what is no directory and globs that are not well formed", async () => {
  using workspace = new TempWorkspace();
  workspace.write("a.txt", "");
  await using vise = new ViseProcess(workspace.root);
  workspace.sh("mkfifo q");
  const file = await vise.failure("list_files", { path: "a.txt" });
  deepStrictEqual([file.code, file.details.next_action.tool], ["NOT_A_DIRECTORY", "read_file"]);
  const pipe = await vise.failure("list_files", { path: "q" });
  deepStrictEqual([pipe.code, pipe.details.kind, pipe.details.next_action], ["NOT_A_DIRECTORY", "fifo", undefined]);
  strictEqual((await vise.failure("list_files", { path: "none" })).code, "NOT_FOUND");
  for (const glob of ["[", "{a", "a\\", "", "[z-a]"]) {
    strictEqual((await vise.failure("list_files", { glob })).code, "INVALID_ARGUMENT", glob);
  }
});

Deno.test("list_files keeps its structured value within 64 KiB and its text within 16 KiB", async () => {
  using workspace = new TempWorkspace();
  for (let file = 0; file < 900; file++) workspace.write(`${"directory".repeat(8)}/${"name".repeat(10)}${file}`, "");
  await using vise = new ViseProcess(workspace.root);
  const result = await vise.call("list_files");
  ok(JSON.stringify(result.structuredContent).length <= 65_536);
  ok(ViseProcess.text(result).length <= 16_384);
  const seen = new Set(paths(result.structuredContent));
  let next = result.structuredContent.next_action;
  while (next !== undefined) {
    const value = await vise.value(next.tool, next.arguments);
    for (const path of paths(value)) seen.add(path);
    next = value.next_action;
  }
  strictEqual(seen.size, 900);
});

Deno.test("list_files and search_text say so when a glob leaves the workspace, and show nothing of what is there", async () => {
  using ws = new TempWorkspace("proj");
  ws.sh("mkdir ../proj-secret; printf 'S3SAME\\n' > ../proj-secret/k.txt; printf 'S3SAME\\n' > a.txt");
  await using vise = new ViseProcess(ws.root);
  for (
    const [tool, args] of [
      ["list_files", { glob: "../proj-secret/*" }],
      ["list_files", { patterns: ["sub/../../proj-secret/*.txt"] }],
      ["search_text", { query: "S3SAME", glob: "../proj-secret/*" }],
    ] as const
  ) {
    const result = await vise.call(tool, args);
    const found = result.structuredContent.files ?? result.structuredContent.matches;
    deepStrictEqual(found, [], tool);
    match(result.structuredContent.warnings[0], /matches nothing: "\.\." would leave the workspace/);
    match(ViseProcess.text(result), /Warning: the glob .* matches nothing/);
  }
});

Deno.test({
  name: "list_files marks a name that is not UTF-8, and the path it shows is one that other tools take",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using ws = new TempWorkspace();
    ws.sh("printf odd > \"$(printf 'bad\\377.txt')\"; printf plain > 'bad\\xfg.txt'");
    await using vise = new ViseProcess(ws.root);
    const result = await vise.call("list_files");
    const [odd, plain] = result.structuredContent.files;
    deepStrictEqual([odd.path, odd.name_form, plain.path, plain.name_form], [
      "bad\\xff.txt",
      "escaped",
      "bad\\xfg.txt",
      undefined,
    ]);
    match(ViseProcess.text(result), /^bad\\xff\.txt \[file\] \(name is not UTF-8; pass it as shown\)$/m);
    strictEqual((await vise.value("read_file", { path: odd.path })).content, "odd");
  },
});

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

interface Match {
  path: string;
  line: number;
  column: number;
  preview: string;
  before: string[];
  after: string[];
  preview_truncated?: boolean;
}

const places = (value: { matches: Match[] }) =>
  value.matches.map(({ path, line, column }) => `${path}:${line}:${column}`);

Deno.test("search_text leaves out ignored and hidden files, says so, and searches a path that is named", async () => {
  using workspace = new TempWorkspace();
  workspace.sh("git init -q; printf 'out/\\n*.gen\\n' > .gitignore; mkdir out .cfg");
  for (const path of ["out/a.js", ".cfg/b.yml", "src.js", "x.gen"]) workspace.write(path, "ZEBRA\n");
  await using vise = new ViseProcess(workspace.root);
  const all = await vise.call("search_text", { query: "ZEBRA" });
  deepStrictEqual(places(all.structuredContent), ["src.js:1:1"]);
  const { hidden, ignored } = all.structuredContent.skipped;
  deepStrictEqual([hidden, ignored], [2, 2]);
  match(ViseProcess.text(all), /Not searched: 2 hidden, 2 ignored/);
  for (const path of ["out", "out/a.js", ".cfg", ".cfg/b.yml", "x.gen"]) {
    const found = await vise.value("search_text", { query: "ZEBRA", path });
    strictEqual(found.matches.length, 1, path);
  }
});

Deno.test("search_text takes query, globs and path as data, however much they look like options", async () => {
  using workspace = new TempWorkspace();
  workspace.write("o.txt", "run --pre=/bin/touch -x now\n- [ ] task\n");
  workspace.write("-e", "y");
  await using vise = new ViseProcess(workspace.root);
  const counts: [Record<string, unknown>, number][] = [
    [{ query: "--pre=/bin/touch" }, 1],
    [{ query: "-x" }, 1],
    [{ query: "- [ ]" }, 1],
    [{ query: "-e" }, 0],
    [{ query: "--" }, 1],
    [{ query: "-f/dev/null" }, 0],
    [{ query: "now", glob: "--no-ignore" }, 0],
    [{ query: "now", include_globs: ["!o.txt"] }, 0],
    [{ query: "y", path: "-e" }, 1],
  ];
  for (const [args, count] of counts) {
    strictEqual((await vise.value("search_text", args)).matches.length, count, JSON.stringify(args));
  }
});

Deno.test("search_text shows a match far inside a long line without a flood", async () => {
  using workspace = new TempWorkspace();
  workspace.write("min.js", `${"a".repeat(300_000)}NEEDLE${"b".repeat(300_000)}\n`);
  workspace.write("w.txt", "foo end\r\nbar\r\n");
  await using vise = new ViseProcess(workspace.root);
  const { matches } = await vise.value("search_text", { query: "NEEDLE", max_preview_bytes: 200 });
  deepStrictEqual([matches.length, matches[0].line, matches[0].column], [1, 1, 300_001]);
  const { preview } = matches[0];
  ok(new TextEncoder().encode(preview).length <= 200 && preview.includes("NEEDLE"));
  ok(preview.startsWith("… ") && preview.endsWith("[truncated]") && matches[0].preview_truncated);
  const wide = await vise.call("search_text", { query: "a|b", regex: true, path: "min.js" });
  strictEqual(wide.structuredContent.matches.length, 1);
  ok(JSON.stringify(wide).length < 10_000);
  deepStrictEqual(places(await vise.value("search_text", { query: "end$", regex: true, path: "w.txt" })), [
    "w.txt:1:5",
  ]);
  const second = await vise.value("search_text", { query: "^bar$", regex: true, path: "w.txt", context_lines: 1 });
  deepStrictEqual(second.matches, [{
    path: "w.txt",
    line: 2,
    column: 1,
    preview: "bar",
    before: ["foo end"],
    after: [],
  }]);
});

Deno.test("search_text finds text beside bytes that are no UTF-8 and names the files that it passes over as binary", async () => {
  using workspace = new TempWorkspace();
  workspace.write("nul.ts", "alpha TOK_A beta\0rest\nTOK_B line\n");
  workspace.write("latin.txt", Uint8Array.of(0x63, 0x61, 0x66, 0xe9, ...new TextEncoder().encode(" TOK_C\n")));
  workspace.write("ok.txt", "TOK_D plain\n");
  const utf16 = Array.from("\ufeffTOK_E here\n", (unit) => [unit.charCodeAt(0) & 255, unit.charCodeAt(0) >> 8]).flat();
  workspace.write("u16.txt", Uint8Array.from(utf16));
  await using vise = new ViseProcess(workspace.root);
  const result = await vise.call("search_text", { query: "TOK_[A-E]", regex: true });
  const { matches, skipped } = result.structuredContent;
  deepStrictEqual(places({ matches }), ["latin.txt:1:6", "ok.txt:1:1", "u16.txt:1:1"]);
  strictEqual(matches[0].preview, "caf\ufffd TOK_C");
  deepStrictEqual([skipped.binary, skipped.binary_paths], [1, ["nul.ts"]]);
  match(ViseProcess.text(result), /1 binary \(nul\.ts\)/);
  const named = await vise.value("search_text", { query: "TOK_B", path: "nul.ts" });
  deepStrictEqual([named.matches.length, named.skipped.binary], [0, 1]);
});

Deno.test("search_text reports files with odd names, each on one line of text", async () => {
  using workspace = new TempWorkspace();
  for (const name of ["new\nline.txt", "-dash", 'qu"o te.txt', "tab\there", "trail ", "😀.txt", "plain.txt"]) {
    workspace.write(name, "a");
  }
  await using vise = new ViseProcess(workspace.root);
  const result = await vise.call("search_text", { query: "a" });
  strictEqual(result.structuredContent.matches.length, 7);
  strictEqual(ViseProcess.text(result).split("\n").filter((line) => line.endsWith(":1:1: a")).length, 7);
  const refused = await vise.failure("search_text", { query: "a(?=$)", regex: true });
  deepStrictEqual([refused.code, /look-ahead/.test(refused.message)], ["INVALID_ARGUMENT", true]);
});

Deno.test("search_text finds files whose names are not UTF-8 and gives paths that other tools take", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  using workspace = new TempWorkspace();
  workspace.sh("printf 'needle\\n' > \"$(printf 'bad\\377.txt')\"");
  await using vise = new ViseProcess(workspace.root);
  const { matches } = await vise.value("search_text", { query: "needle" });
  deepStrictEqual(places({ matches }), ["bad\\xff.txt:1:1"]);
  strictEqual((await vise.value("search_text", { query: "needle", path: matches[0].path })).matches.length, 1);
});

Deno.test("search_text pages through its matches in order, and says when it stopped early", async () => {
  using workspace = new TempWorkspace();
  for (let file = 0; file < 30; file++) workspace.write(`d${file % 3}/f${file}.txt`, "hit\nmiss\nhit\n");
  await using vise = new ViseProcess(workspace.root);
  const whole = await vise.value("search_text", { query: "hit" });
  deepStrictEqual([whole.total_matches, whole.total_matches_exact, whole.truncated], [60, true, false]);
  const paged: string[] = [];
  let next = { tool: "search_text", arguments: { query: "hit", max_results: 7 } as Record<string, unknown> };
  for (let page = 0; page < 9; page++) {
    const value = await vise.value(next.tool, next.arguments);
    paged.push(...places(value));
    if (page === 0) {
      deepStrictEqual([value.total_matches, value.total_matches_exact, value.truncated], [8, false, true]);
      deepStrictEqual(value.warnings, ["result limit reached; search stopped early"]);
    }
    strictEqual(value.next_action === undefined, page === 8);
    next = value.next_action ?? next;
  }
  deepStrictEqual(paged, places(whole));
});

Deno.test("search_text keeps to its text bound and names the call that goes on", async () => {
  using workspace = new TempWorkspace();
  workspace.write("a.txt", `needle ${"x".repeat(300)}\n`.repeat(150));
  await using vise = new ViseProcess(workspace.root);
  const result = await vise.call("search_text", { query: "needle" });
  const text = ViseProcess.text(result);
  ok(new TextEncoder().encode(text).length <= 16_384);
  const shown = text.split("\n").filter((line) => line.startsWith("a.txt:")).length;
  match(text, new RegExp(`… showing ${shown} of 150 matches; continue with search_text\\(.*offset=${shown}`));
});

Deno.test("search_text searches what is named and nothing that is no file", async () => {
  using workspace = new TempWorkspace();
  workspace.write("real.txt", "needle\n");
  workspace.write("sub/inner.txt", "needle\n");
  symlinkSync("real.txt", workspace.path("link.txt"));
  symlinkSync("sub", workspace.path("loop"));
  execFileSync("mkfifo", [workspace.path("pipe")]);
  await using vise = new ViseProcess(workspace.root);
  deepStrictEqual(places(await vise.value("search_text", { query: "needle" })), ["real.txt:1:1", "sub/inner.txt:1:1"]);
  deepStrictEqual(places(await vise.value("search_text", { query: "needle", path: "link.txt" })), ["real.txt:1:1"]);
  deepStrictEqual(places(await vise.value("search_text", { query: "needle", path: "loop" })), ["sub/inner.txt:1:1"]);
  strictEqual((await vise.failure("search_text", { query: "needle", path: "pipe" })).code, "INVALID_ARGUMENT");
  strictEqual((await vise.failure("search_text", { query: "needle", path: "gone" })).code, "NOT_FOUND");
  strictEqual((await vise.failure("search_text", { query: "a\nb" })).code, "INVALID_ARGUMENT");
  strictEqual((await vise.failure("search_text", { query: "a", glob: "[" })).code, "INVALID_ARGUMENT");
});

Deno.test("search_text is cancelled at once, does not hold up other requests, and reports progress", async () => {
  using workspace = new TempWorkspace();
  const content = "nothing of interest on this line\n".repeat(400);
  for (let file = 0; file < 3_000; file++) workspace.write(`d${file % 40}/f${file}.txt`, content);
  await using vise = new ViseProcess(workspace.root);
  await vise.value("search_text", { query: "warm up", path: "d0" });
  const progress: number[] = [];
  vise.onLine((line) => {
    const message = JSON.parse(line);
    if (message.method === "notifications/progress") progress.push(message.params.progress);
  });
  const search = vise.request("tools/call", {
    name: "search_text",
    arguments: { query: "(\\w+\\s?)+:", regex: true },
    _meta: { progressToken: "p" },
  }, "long");
  const other = await vise.request("ping");
  ok(other.error === undefined);
  strictEqual((await search).result.structuredContent.files_searched, 3_000);
  deepStrictEqual(progress, [...progress].sort((a, b) => a - b));
  void vise.request("tools/call", { name: "search_text", arguments: { query: "\\w{30}x", regex: true } }, "gone").catch(
    () => {},
  );
  vise.sendRaw('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"gone"}}\n');
  strictEqual((await vise.value("search_text", { query: "interest", max_results: 1 })).matches.length, 1);
  ok(!vise.lines.some((line) => line.includes('"id":"gone"')));
});

Deno.test("search_text shows the start of a match whose context is longer than the text, and goes on behind it", async () => {
  using ws = new TempWorkspace();
  const long = (mark: string) => `${mark} ${"😀".repeat(600)}\n`;
  ws.write("f.txt", ["a", "b", "NEEDLE", "c", "d", "e", "NEEDLE", "f", "g"].map(long).join(""));
  await using vise = new ViseProcess(ws.root);
  const args = { query: "NEEDLE", context_lines: 5, max_preview_bytes: 4_096 };
  const text = ViseProcess.text(await vise.call("search_text", args));
  ok(new TextEncoder().encode(text).length <= 16_384 && text.startsWith("  a 😀"));
  match(text, /… showing 1 of 2 matches; continue with search_text\(.*offset=1, max_preview_bytes=4096\)$/m);
});

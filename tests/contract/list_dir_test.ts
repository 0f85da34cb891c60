/** `list_dir` over the real protocol. */

import assert from "node:assert/strict";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

Deno.test("a listing gives each entry its type, size, time and link target", async () => {
  using place = new TempWorkspace();
  place.sh(
    "mkdir d; printf 12345 > a.txt; touch -d '2020-01-02T03:04:05Z' a.txt; ln -s d lnk; ln -s /etc out; mkfifo q; printf x > .hid",
  );
  await using server = new ViseProcess(place.root);
  const value = await server.value("list_dir", {});
  assert.equal(value.path, ".");
  assert.deepEqual(
    // deno-lint-ignore no-explicit-any
    value.entries.map((entry: any) => [entry.name, entry.type, entry.kind ?? null, entry.symlink_target ?? null]),
    [
      ["a.txt", "file", null, null],
      ["d", "directory", null, null],
      ["lnk", "symlink", null, "d"],
      ["out", "symlink", null, "/etc"],
      ["q", "other", "fifo", null],
    ],
  );
  assert.deepEqual(value.entries[0], {
    name: "a.txt",
    path: "a.txt",
    type: "file",
    size_bytes: 5,
    modified: "2020-01-02T03:04:05.000Z",
    is_hidden: false,
    is_ignored: false,
  });
  assert.deepEqual([value.truncated, value.total_entries, value.hidden_left_out], [false, 5, 1]);
  const text = ViseProcess.text(await server.call("list_dir", { path: "" }));
  assert.match(text, /^a\.txt \[file\]\nd \[directory\]\nlnk \[symlink\] -> d\n/);
  assert.match(text, /1 hidden/);
});

Deno.test("recursion goes three levels deep unless told, breadth first, and never through links or into .git", async () => {
  using place = new TempWorkspace();
  place.sh("mkdir -p b/c/d/e .git/x a; touch b/c/d/e/f top; ln -s .. a/up");
  await using server = new ViseProcess(place.root);
  const paths = async (args: Record<string, unknown>) =>
    // deno-lint-ignore no-explicit-any
    (await server.value("list_dir", args)).entries.map((entry: any) => entry.path);
  assert.deepEqual(await paths({ recursive: true }), ["a", "b", "b/c", "b/c/d", "top", "a/up"]);
  assert.deepEqual(await paths({ recursive: true, max_depth: 1 }), ["a", "b", "top"]);
  assert.deepEqual(await paths({ max_depth: 5, path: "b" }), ["b/c", "b/c/d", "b/c/d/e", "b/c/d/e/f"]);
  assert.deepEqual(await paths({ recursive: true, max_entries: 4 }), ["a", "b", "top", "a/up"]);
  const all = await paths({ recursive: true, include_hidden: true, include_ignored: true });
  assert.ok(all.includes(".git") && !all.includes(".git/x"));
});

Deno.test("pages follow each other without gap or repetition in every order", async () => {
  using place = new TempWorkspace();
  place.sh(
    "for i in 1 2 3 4 5 6 7; do mkdir -p d$i/sub; for j in a b c; do echo > d$i/$j; touch -d @$((i * 7 % 5 + 1000)) d$i/$j; done; ln -s a d$i/l; done",
  );
  await using server = new ViseProcess(place.root);
  for (const sort of ["name", "type", "modified"]) {
    // deno-lint-ignore no-explicit-any
    const whole: any[] = (await server.value("list_dir", { recursive: true, sort })).entries;
    assert.equal(whole.length, 7 * 6);
    let args: Record<string, unknown> = { recursive: true, sort, max_entries: 5 };
    const seen: string[] = [];
    for (let page = 0; page < 20; page++) {
      const value = await server.value("list_dir", args);
      // deno-lint-ignore no-explicit-any
      seen.push(...value.entries.map((entry: any) => entry.path));
      assert.equal(value.truncated, value.next_action !== undefined);
      if (value.next_action === undefined) break;
      args = value.next_action.arguments;
    }
    assert.deepEqual(seen.toSorted(), whole.map((entry) => entry.path).toSorted());
    if (sort !== "name") assert.deepEqual(seen, whole.map((entry) => entry.path));
  }
  // deno-lint-ignore no-explicit-any
  const types = (await server.value("list_dir", { recursive: true, sort: "type" })).entries.map((one: any) => one.type);
  assert.deepEqual(types, types.toSorted());
});

Deno.test("ignored entries are left out and counted, shown on request, and a named ignored directory is shown", async () => {
  using place = new TempWorkspace();
  place.sh(
    "mkdir out node_modules src; printf 'out/\\n*.gen\\n' > .gitignore; touch out/a.js x.gen src/y.ts node_modules/m.js",
  );
  await using server = new ViseProcess(place.root);
  // deno-lint-ignore no-explicit-any
  const rows = (value: any) => value.entries.map((entry: any) => [entry.path, entry.is_ignored]);
  const plain = await server.value("list_dir", {});
  assert.deepEqual(rows(plain), [["src", false]]);
  assert.deepEqual([plain.ignored_left_out, plain.hidden_left_out], [3, 1]);
  assert.deepEqual(rows(await server.value("list_dir", { include_ignored: true, recursive: true })), [
    ["out/a.js", true],
    ["node_modules/m.js", true],
    ["node_modules", true],
    ["out", true],
    ["src", false],
    ["x.gen", true],
    ["src/y.ts", false],
  ]);
  assert.deepEqual(rows(await server.value("list_dir", { path: "out" })), [["out/a.js", true]]);
  assert.deepEqual(rows(await server.value("list_dir", { path: "node_modules" })), [["node_modules/m.js", true]]);
});

Deno.test("the rules of the user and of a repository above the workspace count too", async () => {
  using place = new TempWorkspace("inner");
  place.sh(
    "git init -q ..; printf '*.above\\n' > ../.gitignore; mkdir -p ../.config/git; printf '*.mine\\n' > ../.config/git/ignore; touch a.above b.mine c",
  );
  await using server = new ViseProcess(place.root);
  // deno-lint-ignore no-explicit-any
  const names = (await server.value("list_dir", {})).entries.map((entry: any) => entry.name);
  assert.deepEqual(names, ["c"]);
});

Deno.test("odd names are listed exactly, one line each, and can be read back", async () => {
  using place = new TempWorkspace();
  place.sh(
    `printf a > "$(printf 'new\\nline.txt')"; printf a > ./-dash; printf a > 'qu"o te.txt'; printf a > "$(printf 'tab\\there')"
printf a > 'trail '; printf a > "$(printf 'bad\\377.txt')"; printf a > '😀.txt'; printf a > plain.txt; printf b > 'bad\\xff.txt'`,
  );
  await using server = new ViseProcess(place.root);
  const result = await server.call("list_dir", {});
  // deno-lint-ignore no-explicit-any
  const entries: any[] = result.structuredContent.entries;
  assert.deepEqual(
    entries.map((entry) => entry.name).toSorted(),
    [
      "-dash",
      "bad\\x5cxff.txt",
      "bad\\xff.txt",
      "new\nline.txt",
      "plain.txt",
      'qu"o te.txt',
      "tab\there",
      "trail ",
      "😀.txt",
    ].toSorted(),
  );
  const bad = entries.find((entry) => entry.name === "bad\\xff.txt");
  assert.equal(bad.name_form, "escaped");
  for (const entry of entries) {
    const { content } = await server.value("read_file", { path: entry.path });
    assert.equal(content, entry.name === "bad\\x5cxff.txt" ? "b" : "a");
  }
  assert.equal(ViseProcess.text(result).trimEnd().split("\n").length, 9);
});

Deno.test("a directory of 100,000 entries gives its first page in order, with the total, while others are served", async () => {
  using place = new LargeWorkspace();
  for (let i = 0; i < 100_000; i++) {
    Deno.openSync(`${place.root}/many/f${String(i).padStart(7, "0")}`, { write: true, create: true }).close();
  }
  Deno.utimeSync(`${place.root}/many/f0050000`, 1, 1);
  await using server = new ViseProcess(place.root);
  await server.value("list_dir", {});
  const before = residentKb(server.child.pid as number);
  const calls = [
    server.value("list_dir", { path: "many", max_entries: 100 }),
    server.value("list_dir", { path: "many", max_entries: 100, sort: "modified" }),
    server.value("list_dir", { path: "many", max_entries: 100, offset: 99_950 }),
  ];
  await server.request("ping");
  const [byName, byTime, last] = await Promise.all(calls);
  assert.deepEqual([byName.entries.length, byName.total_entries, byName.truncated], [100, 100_000, true]);
  assert.deepEqual([byName.entries[0].name, byName.entries[99].name], ["f0000000", "f0000099"]);
  assert.deepEqual(byName.next_action.arguments, { path: "many", max_entries: 100, offset: 100 });
  assert.equal(byTime.entries[0].name, "f0050000");
  assert.deepEqual([last.entries.length, last.truncated], [50, false]);
  const grownKb = residentKb(server.child.pid as number) - before;
  assert.ok(grownKb < 150 * 1024, `grew by ${grownKb} KiB`);
});

Deno.test("a text that is cut names the call for the entries it does not show", async () => {
  using place = new TempWorkspace();
  for (let i = 0; i < 400; i++) place.write(`${"long-name-".repeat(6)}${String(i).padStart(3, "0")}`, "");
  await using server = new ViseProcess(place.root);
  const result = await server.call("list_dir", {});
  const text = ViseProcess.text(result);
  const offset = Number((text.match(/… .*offset=(\d+)/) as RegExpMatchArray)[1]);
  assert.equal(text.split("\n").filter((line) => line.endsWith("[file]")).length, offset);
  const next = await server.value("list_dir", { offset });
  assert.equal(next.entries[0].name, result.structuredContent.entries[offset].name);
});

Deno.test("a path that is no directory is refused with the tool that reads it", async () => {
  using place = new TempWorkspace();
  place.sh("echo x > f; mkfifo q");
  await using server = new ViseProcess(place.root);
  const error = await server.failure("list_dir", { path: "f" });
  assert.equal(error.code, "NOT_A_DIRECTORY");
  assert.deepEqual(error.details.next_action, { tool: "read_file", arguments: { path: "f" } });
  assert.equal((await server.failure("list_dir", { path: "q" })).code, "NOT_A_DIRECTORY");
  assert.equal((await server.failure("list_dir", { path: "none/x" })).code, "NOT_FOUND");
});

/** A workspace with a directory `many`, in memory where the system has a place for that: making 100,000 files is slow elsewhere. */
class LargeWorkspace implements Disposable {
  readonly root: string;

  constructor() {
    this.root = Deno.realPathSync(makeTemp("/dev/shm") ?? Deno.makeTempDirSync({ prefix: "vise-test-" }));
    Deno.mkdirSync(`${this.root}/many`);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.root, { recursive: true });
  }
}

function makeTemp(dir: string): string | null {
  try {
    return Deno.makeTempDirSync({ dir, prefix: "vise-test-" });
  } catch {
    // No such place here, or it may not be written.
    return null;
  }
}

function residentKb(pid: number): number {
  if (Deno.build.os !== "linux") return 0;
  return Number((Deno.readTextFileSync(`/proc/${pid}/status`).match(/VmRSS:\s+(\d+)/) as RegExpMatchArray)[1]);
}

Deno.test("list_dir says in words that a directory is empty, or how many entries an offset passed over", async () => {
  using ws = new TempWorkspace();
  ws.sh("mkdir empty two; : > two/a; : > two/b");
  await using vise = new ViseProcess(ws.root);
  assert.match(ViseProcess.text(await vise.call("list_dir", { path: "empty" })), /No entries found\./);
  assert.match(
    ViseProcess.text(await vise.call("list_dir", { path: "two", offset: 5 })),
    /No entries found at offset 5: there are 2\./,
  );
});

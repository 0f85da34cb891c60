/** Following the continuations of `git_diff` and `git_show` gives back what git prints, whichever form a client reads. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const NEW_REPOSITORY =
  "git init -q -b main; git config user.email a@example.com; git config user.name A; git config core.abbrev 7;";

type Args = Record<string, unknown>;

/** Every page of the structured form. */
async function pages(
  vise: ViseProcess,
  { tool, args }: { tool: string; args: Args },
  field: string,
): Promise<string[]> {
  const found: string[] = [];
  for (let next: Args | undefined = args; next !== undefined;) {
    const value = await vise.value(tool, next);
    found.push(value[field]);
    strictEqual(value.truncated, value.next_action !== undefined);
    strictEqual(value.next_action?.tool ?? tool, tool);
    next = value.next_action?.arguments;
    ok(found.length < 200, "the pages do not end");
  }
  return found;
}

/** Every page of the text form: the lines before the notice, then the call that the notice names. */
async function textPages(vise: ViseProcess, { tool, args }: { tool: string; args: Args }): Promise<string> {
  let joined = "";
  for (let next: Args | undefined = args, turns = 0; next !== undefined; turns++) {
    const text = ViseProcess.text(await vise.call(tool, next));
    ok(new TextEncoder().encode(text).length <= 16_384);
    const notice = /^… .*continue with (\w+)\((.*)\)$/m.exec(text);
    joined += notice === null ? text : text.slice(0, notice.index);
    const named: string | undefined = notice?.[2];
    next = named === undefined ? undefined : JSON.parse(`{${named.replace(/(^|, )(\w+)=/g, '$1"$2":')}}`);
    ok(turns < 200, "the pages do not end");
  }
  return joined;
}

Deno.test("a diff longer than one page is read on to its last line", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} seq 6000 > a.txt; seq 10 > z.txt; git add .; git commit -qm one
    seq 6000 | sed 's/$/ é "x"/' > a.txt; seq 20 > z.txt; seq 3000 > new.txt`);
  await using vise = new ViseProcess(ws.root);
  const whole = ws.sh("git add -N new.txt; git diff; git reset -q");
  for (const args of [{}, { max_bytes: 900 }, { max_bytes: 1_048_576 }]) {
    const found = await pages(vise, { tool: "git_diff", args: { ...args, paths: ["a.txt", "z.txt"] } }, "diff");
    ok(found.length > 1);
    const expected = ws.sh("git diff a.txt z.txt");
    strictEqual(found.join("") === expected, true, JSON.stringify(args));
  }
  strictEqual((await pages(vise, { tool: "git_diff", args: {} }, "diff")).join("").length, whole.length);
  strictEqual(await textPages(vise, { tool: "git_diff", args: { path: "a.txt" } }), ws.sh("git diff a.txt"));
  match(ViseProcess.text(await vise.call("git_diff", { offset: 1_000_000 })), /^No lines at offset 1000000\.$/m);
});

Deno.test("a commit, a tag and a blob longer than one page are read on, and each page knows the parents", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} seq 10 > a.txt; git add .; git commit -qm one; git checkout -q -b side; echo s > s.txt
    git add .; git commit -qm side; git checkout -q main; seq 9000 > b.txt; git add .; git commit -qm two
    git merge -q --no-ff -m merged side; git tag -a v1 -m 'words of the tag' HEAD~1`);
  await using vise = new ViseProcess(ws.root);
  const content = ws.read("b.txt");
  strictEqual((await pages(vise, { tool: "git_show", args: { rev: "HEAD:b.txt" } }, "content")).join(""), content);
  const commit = (await pages(vise, { tool: "git_show", args: { rev: "HEAD~1" } }, "content")).join("");
  ok(commit.startsWith("commit ") && commit.endsWith("+8999\n+9000\n"));
  const tag = (await pages(vise, { tool: "git_show", args: { rev: "v1" } }, "content")).join("");
  ok(tag.startsWith("object ") && tag.endsWith(commit), tag.slice(0, 400));
  strictEqual(await textPages(vise, { tool: "git_show", args: { rev: "HEAD:b.txt" } }), content);
  const merge = await vise.value("git_show", { max_bytes: 100 });
  const later = await vise.value("git_show", merge.next_action.arguments);
  strictEqual(later.parents.length, 2);
  deepStrictEqual(later.parents, merge.parents);
});

Deno.test("a text that shows a part of its page names one call, the one behind that part", async () => {
  using ws = new TempWorkspace();
  ws.sh(
    `${NEW_REPOSITORY} seq 3000 | sed 's/$/ and so many words that a page has no room/' > a.txt; git add .; git commit -qm one
    for i in $(seq 60); do git commit -q --allow-empty -m "commit $i $(head -c 600 /dev/zero | tr '\\0' x)"; done
    mkdir d; cd d; for i in $(seq 10000 10700); do : > "$i and so many letters in a name"; done; git add .; cd ..`,
  );
  await using vise = new ViseProcess(ws.root);
  const calls: [string, Args, RegExp, number][] = [
    ["git_blame", { path: "a.txt", max_lines: 1000 }, /^\d+ [0-9a-f]{8,} /, 3000],
    ["git_log", { max_count: 100 }, /^[0-9a-f]{7,} /, 61],
    ["git_status", {}, /^A {2}.*\d{5} and so many letters/, 701],
  ];
  for (const [tool, args, line, total] of calls) {
    const seen: string[] = [];
    for (let next: Args | undefined = args, turns = 0; next !== undefined; turns++) {
      const text = ViseProcess.text(await vise.call(tool, next));
      seen.push(...text.split("\n").filter((one) => line.test(one)));
      const notices = [...text.matchAll(/^… .*continue with (\w+)\((.*?)\)/gm)];
      ok(notices.length <= 1 && turns < 100, text.slice(-600));
      const named: string | undefined = notices[0]?.[2];
      next = named === undefined ? undefined : JSON.parse(`{${named.replace(/(^|, )(\w+)=/g, '$1"$2":')}}`);
    }
    deepStrictEqual([seen.length, new Set(seen).size], [total, total], tool);
  }
});

Deno.test("a line longer than a page is passed with what of it fits, and the reading goes on behind it", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} { echo first; head -c 500000 /dev/zero | tr '\\0' x; echo; echo last; } > a.txt
    git add .; git commit -qm one`);
  await using vise = new ViseProcess(ws.root);
  const [first, long, ...rest] = await pages(vise, { tool: "git_show", args: { rev: "HEAD:a.txt" } }, "content");
  strictEqual(first, "first\n");
  match(long ?? "", /^x{5000,}$/);
  deepStrictEqual(rest, ["last\n"]);
});

Deno.test("a large new file hides no other new file from the list", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} git commit -q --allow-empty -m one; head -c 300000 /dev/zero > a.bin
    for i in $(seq 3000); do echo "line $i of a long text that fills the page"; done > b.txt; echo c > c.txt; echo d > d.txt`);
  await using vise = new ViseProcess(ws.root);
  const diff = await vise.value("git_diff");
  deepStrictEqual(diff.files.map((file: { path: string }) => file.path), ["a.bin", "b.txt", "c.txt", "d.txt"]);
  ok(diff.truncated);
  deepStrictEqual(diff.files.map((file: { additions: number }) => file.additions), [0, 3000, 1, 1]);
  const all = (await pages(vise, { tool: "git_diff", args: {} }, "diff")).join("");
  ok(all.includes("Binary files /dev/null and b/a.bin differ") && all.endsWith("+d\n"));
});

Deno.test("every one of many new files is shown on one of the pages, in both forms", async () => {
  using ws = new TempWorkspace();
  ws.sh(
    `${NEW_REPOSITORY} git commit -q --allow-empty -m one; mkdir d e; for i in $(seq 1000 1449); do seq $((i % 7)) > d/$i.txt; done
    printf 'a\\0b' > d/bin; printf 'x\ny' > e/open; : > e/empty; ln -s ../a e/link; printf '#!\n' > 'e/r u n'; chmod +x 'e/r u n'`,
  );
  await using vise = new ViseProcess(ws.root);
  const expected = ws.sh("git add -A; git diff --cached; git reset -q");
  for (const args of [{}, { max_bytes: 3_000 }, { max_bytes: 1_048_576 }]) {
    const found = (await pages(vise, { tool: "git_diff", args }, "diff")).join("");
    strictEqual(found === expected, true, JSON.stringify(args));
  }
  const text = await textPages(vise, { tool: "git_diff", args: {} });
  strictEqual(text.replace(/Warning: 279 more files are not listed; narrow paths$/, ""), expected);
  const whole = await vise.value("git_diff", { path: "e" });
  deepStrictEqual(
    whole.files.map((file: { path: string; additions: number }) => [file.path, file.additions]),
    [["e/empty", 0], ["e/link", 1], ["e/open", 2], ["e/r u n", 1]],
  );
});

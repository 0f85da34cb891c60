/** The git tools over the real server: refusals, states and settings as a client meets them. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";
import { NEW_REPOSITORY } from "./open_engine.ts";

const TOOLS = ["git_status", "git_diff", "git_log", "git_show"] as const;

Deno.test("revisions with spaces work where git has them", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} printf 'x\\n' > 'a b'; git add .; git commit -qm 'the first one'`);
  await using vise = new ViseProcess(ws.root);
  strictEqual((await vise.value("git_log", { ref: "HEAD@{1 second ago}" })).commits.length, 1);
  strictEqual((await vise.value("git_show", { rev: "HEAD:a b" })).content, "x\n");
  match((await vise.value("git_show", { rev: ":/first one" })).content, /the first one/);
  match((await vise.value("git_show", { rev: "HEAD^{/first one}" })).content, /the first one/);
});

Deno.test("the configuration of user and repository does not change what the tools print", async () => {
  using plain = new TempWorkspace();
  using configured = new TempWorkspace();
  const script = `export GIT_AUTHOR_DATE='2024-01-02T03:04:05+0100' GIT_COMMITTER_DATE='2024-01-02T03:04:05+0100'
    ${NEW_REPOSITORY} printf 'one\\n' > a.txt; git add .; git commit -qm one
    printf 'two\\n' > a.txt; printf 'n\\n' > new.txt; mkdir u; printf q > u/f.txt\n`;
  plain.sh(script);
  configured.sh(`${script} for kv in color.ui=always color.diff=always diff.noprefix=true diff.mnemonicPrefix=true \\
    status.showUntrackedFiles=no diff.context=0 diff.wordRegex=. diff.relative=true diff.orderFile=none \\
    diff.renames=false log.decorate=full log.date=relative log.follow=true core.quotePath=true core.abbrev=5 \\
    format.pretty=oneline status.relativePaths=true diff.submodule=log diff.colorMoved=zebra log.showRoot=false \\
    diff.interHunkContext=9 diff.suppressBlankEmpty=true core.bigFileThreshold=1 log.mailmap=true i18n.logOutputEncoding=latin1 \\
    blame.showEmail=true blame.date=relative blame.coloring=repeatedLines status.short=true log.abbrevCommit=true; do
    git config "\${kv%%=*}" "\${kv#*=}"; done
    printf '[user]\\n\\tname = x\\n[diff]\\n\\tnoprefix = true\\n[color]\\n\\tui = always\\n[status]\\n\\tshort = true\\n' > ../.gitconfig`);
  await using one = new ViseProcess(plain.root);
  await using other = new ViseProcess(configured.root);
  const calls: [string, Record<string, unknown>][] = [
    ["git_status", {}],
    ["git_diff", {}],
    ["git_diff", { context_lines: 3 }],
    ["git_log", {}],
    ["git_show", {}],
    ["git_blame", { path: "a.txt" }],
  ];
  for (const [tool, args] of calls) {
    const [expected, got] = [await one.call(tool, args), await other.call(tool, args)];
    const dated = (text: string) => text.replace(/"author_time":\\d+/g, "").replace(/0{40}.*?"author_time":\d+/gs, "");
    strictEqual(dated(JSON.stringify(got.structuredContent)), dated(JSON.stringify(expected.structuredContent)), tool);
    ok(!JSON.stringify(got).includes("\\u001b"), tool);
  }
  const diff = (await other.value("git_diff")).diff as string;
  ok(diff.startsWith("diff --git a/a.txt b/a.txt\n"), diff);
  match((await other.value("git_log")).commits[0].author_date, /^2024-01-02T03:04:05\+01:00$/);
});

Deno.test("a repository without a commit says so in every tool and shows its changes", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} printf 'x\\n' > a.txt; git add a.txt; printf 'y\\n' >> a.txt`);
  await using vise = new ViseProcess(ws.root);
  const status = await vise.value("git_status");
  deepStrictEqual(
    [status.branch, status.head, status.unborn, status.detached, status.clean, status.entries],
    ["main", "", true, false, false, [{ path: "a.txt", index_status: "A", worktree_status: "M" }]],
  );
  match((await vise.value("git_diff")).diff, /^\+y$/m);
  const staged = await vise.value("git_diff", { staged: true, unstaged: false });
  match(staged.diff, /^\+x$/m);
  deepStrictEqual(staged.files.map((file: { status: string }) => file.status), ["added"]);
  const log = await vise.value("git_log");
  deepStrictEqual([log.is_repo, log.commits, log.unborn], [true, [], true]);
  for (const [tool, args] of [["git_show", {}], ["git_blame", { path: "a.txt" }]] as const) {
    const failure = await vise.failure(tool, args);
    strictEqual(failure.code, "GIT_ERROR");
    match(failure.message, /no commits yet/);
    ok(!/usage:|fatal:/.test(JSON.stringify(failure)));
  }
});

Deno.test("a detached head has no branch name but its full hash", async () => {
  using ws = new TempWorkspace();
  ws.sh(
    `${NEW_REPOSITORY} for i in 1 2; do echo $i > a.txt; git add .; git commit -qm $i; done; git checkout -q --detach HEAD~1`,
  );
  await using vise = new ViseProcess(ws.root);
  const status = await vise.value("git_status");
  deepStrictEqual([status.branch, status.detached, status.head], ["", true, ws.sh("git rev-parse HEAD").trim()]);
  match(ViseProcess.text(await vise.call("git_status")), /^## detached at [0-9a-f]{40}\nWorking tree clean\./);
});

Deno.test("outside a repository the tools say so without an error, and git_diff shows what this server changed", async () => {
  using ws = new TempWorkspace();
  ws.write("a.txt", "one\ntwo\n");
  ws.write("sub/b.txt", "b\n");
  await using vise = new ViseProcess(ws.root);
  for (const tool of TOOLS) {
    const result = await vise.call(tool);
    strictEqual(result.structuredContent.is_repo, false, tool);
    ok(!/fatal|usage/.test(JSON.stringify(result)), tool);
  }
  strictEqual((await vise.value("git_blame", { path: "a.txt" })).is_repo, false);
  strictEqual((await vise.value("git_diff")).diff, "");
  const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+three\n*** Add File: new.txt\n+new\n" +
    "*** Delete File: sub/b.txt\n*** End Patch\n";
  await vise.value("apply_patch", { patch });
  const diff = await vise.value("git_diff");
  ok(diff.warnings.includes("non-git diff fallback"));
  deepStrictEqual(
    diff.files.map((f: { path: string; status: string; additions: number; removals: number }) =>
      `${f.status} ${f.path} +${f.additions} -${f.removals}`
    ),
    ["modified a.txt +1 -1", "added new.txt +1 -0", "deleted sub/b.txt +0 -1"],
  );
  ok(diff.diff.includes("--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"), diff.diff);
  deepStrictEqual((await vise.value("git_diff", { path: "sub" })).files.length, 1);
});

const isRoot = Deno.uid() === 0;
if (!isRoot) console.log("ignored: giving a repository to another user needs root");
Deno.test({
  name: "a repository of another user at the workspace works, and the user's configuration stays as it is",
  ignore: !isRoot,
  async fn() {
    using ws = new TempWorkspace();
    ws.sh(`${NEW_REPOSITORY} printf 'x\\n' > a.txt; git add .; git commit -qm one; chown -R 12345 .`);
    await using vise = new ViseProcess(ws.root, { home: ws.parent });
    for (const tool of TOOLS) strictEqual((await vise.value(tool)).is_repo, true, tool);
    strictEqual((await vise.value("git_blame", { path: "a.txt" })).lines.length, 1);
    strictEqual(existsSync(`${ws.parent}/.gitconfig`), false);
  },
});

Deno.test({
  name: "a repository of another user above the workspace is refused with the reason, never called none",
  ignore: !isRoot,
  async fn() {
    using ws = new TempWorkspace("inner");
    ws.sh(`cd ..; ${NEW_REPOSITORY} : > x; git add .; git commit -qm one; chown -R 12345 .git`);
    await using vise = new ViseProcess(ws.root);
    const failure = await vise.failure("git_status");
    strictEqual(failure.code, "GIT_ERROR");
    match(failure.message, /owned by another user/);
    match(failure.details.retry_hint, /Start the server/);
  },
});

Deno.test("with the workspace inside a repository only what lies in it is shown, by paths relative to it", async () => {
  using ws = new TempWorkspace("sub");
  ws.sh(
    `cd ..; ${NEW_REPOSITORY} printf 'secret\\n' > above.txt; printf 'in\\n' > sub/in.txt; git add .; git commit -qm both
    printf 'more\\n' >> above.txt; git commit -qam 'only above'
    printf 'x\\n' >> above.txt; printf 'y\\n' >> sub/in.txt; : > new-above; printf 'n\\n' > sub/new.txt; git mv above.txt moved.txt`,
  );
  await using vise = new ViseProcess(ws.root);
  const status = await vise.value("git_status");
  deepStrictEqual(status.entries.map((entry: { path: string }) => entry.path), ["in.txt", "new.txt"]);
  const diff = await vise.value("git_diff", { staged: true });
  deepStrictEqual(diff.files.map((file: { path: string }) => file.path), ["in.txt", "new.txt"]);
  ok(diff.diff.includes("--- a/in.txt\n+++ b/in.txt\n"));
  const show = await vise.value("git_show", { rev: "HEAD~1" });
  deepStrictEqual(show.files.map((file: { path: string }) => file.path), ["in.txt"]);
  deepStrictEqual((await vise.value("git_log")).commits.map((commit: { subject: string }) => commit.subject), ["both"]);
  strictEqual((await vise.value("git_blame", { path: "in.txt" })).lines.length, 2);
  strictEqual((await vise.value("git_show", { rev: "HEAD:in.txt" })).content, "in\n");
  strictEqual((await vise.value("git_show", { rev: "HEAD:./in.txt" })).content, "in\n");
  const blob = ws.sh("git rev-parse HEAD:above.txt").trim();
  for (const rev of ["HEAD:../above.txt", "HEAD:above.txt", "HEAD^{tree}", blob, ":above.txt"]) {
    const result = await vise.call("git_show", { rev });
    ok(result.isError, rev);
    ok(!JSON.stringify(result).includes("secret"), rev);
  }
  const listed = await vise.value("git_show", { rev: "HEAD:" });
  ok(listed.content.includes("in.txt") && !listed.content.includes("above"), listed.content);
});

Deno.test("no git tool takes the index lock, rewrites the index or minds a lock that is there", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} printf 'x\\n' > a; git add .; git commit -qm one; sleep 1.1; touch a`);
  await using vise = new ViseProcess(ws.root);
  const facts = () => {
    const { ino, mtimeMs, ctimeMs, size } = statSync(ws.path(".git/index"));
    return [ino, mtimeMs, ctimeMs, size];
  };
  const before = facts();
  const all = async () => {
    for (const tool of TOOLS) await vise.value(tool);
    await vise.value("git_blame", { path: "a" });
  };
  await all();
  deepStrictEqual(facts(), before);
  ws.write(".git/index.lock", "");
  await all();
  strictEqual(ws.read(".git/index.lock"), "");
  ws.sh("rm .git/index.lock");
  const adding = new Deno.Command("sh", {
    args: ["-c", "for i in $(seq 60); do echo $i > a; git add -A || exit 1; done"],
    cwd: ws.root,
    stdout: "null",
    stderr: "piped",
  }).output();
  for (let i = 0; i < 60; i++) await vise.value("git_status");
  const { success, stderr } = await adding;
  ok(success, new TextDecoder().decode(stderr));
});

Deno.test("git_diff shows new, binary, empty, linked, nested and unmerged files each in its own way", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} printf 'old\\n' > gone.txt; printf '#!/bin/sh\\n' > run.sh; printf 'base\\n' > both.txt
    seq 400000 > h.txt; printf 'i.log\\n' > .gitignore; git add .; git commit -qm one
    git checkout -q -b side; printf 'side\\n' > both.txt; git commit -qam side; git checkout -q main
    printf 'main\\n' > both.txt; git commit -qam main; git merge -q side > /dev/null || true
    printf 'x\\ny' > n.txt; printf '\\000\\001' > b.bin; : > e.txt; ln -s n.txt l; mkdir k; git -C k init -q; : > k/f
    : > i.log; git rm -q gone.txt; chmod +x run.sh; seq 2 400001 | sed 's/$/!/' > h.txt; printf 's p\\n' > 'a b'`);
  await using vise = new ViseProcess(ws.root);
  const whole = await vise.value("git_diff", { max_bytes: 20_000 });
  const files = new Map<string, { status: string; binary: boolean; additions?: number; removals?: number }>(
    whole.files.map((file: { path: string }) => [file.path, file]),
  );
  strictEqual(whole.truncated, true);
  deepStrictEqual([...files.keys()].sort(), [
    "a b",
    "b.bin",
    "both.txt",
    "e.txt",
    "h.txt",
    "k/",
    "l",
    "n.txt",
    "run.sh",
  ]);
  deepStrictEqual(files.get("h.txt"), {
    path: "h.txt",
    status: "modified",
    binary: false,
    additions: 400_000,
    removals: 400_000,
  });
  strictEqual(files.get("run.sh")?.status, "mode");
  strictEqual(files.get("both.txt")?.status, "unmerged");
  strictEqual(files.get("b.bin")?.binary, true);
  ok(whole.diff.endsWith("\n"));
  match(
    ViseProcess.text(await vise.call("git_diff", { max_bytes: 20_000 })),
    /continue with git_diff\(max_bytes=20000, offset=\d+\)\nFiles, for paths:[^]*^unmerged both\.txt$/m,
  );

  const small = await vise.value("git_diff", { paths: ["n.txt", "b.bin", "e.txt", "l", "k", "run.sh", "a b"] });
  const own = ws.sh("for f in 'a b' b.bin e.txt l n.txt; do git diff --no-index /dev/null \"$f\" || true; done");
  ok(small.diff.endsWith(own), `${small.diff}\n---\n${own}`);
  ok(small.diff.startsWith("diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"), small.diff);
  ok(!small.diff.includes("\0"));
  const unmerged = await vise.value("git_diff", { path: "both.txt" });
  ok(unmerged.diff.startsWith("diff --cc both.txt\n"), unmerged.diff);
  const status = await vise.value("git_status");
  const both = status.entries.find((entry: { path: string }) => entry.path === "both.txt");
  deepStrictEqual([both.index_status, both.worktree_status, status.in_progress], ["U", "U", "merge"]);
  const staged = await vise.value("git_diff", { staged: true, unstaged: false, path: "gone.txt" });
  deepStrictEqual(staged.files, [{ path: "gone.txt", status: "deleted", binary: false, additions: 0, removals: 1 }]);
});

Deno.test("git_status says of a submodule what in it has changed", async () => {
  using ws = new TempWorkspace();
  ws.sh(`mkdir lib; cd lib; ${NEW_REPOSITORY} printf 'x\\n' > a.txt; git add .; git commit -qm one; cd ..
    mkdir top; cd top; ${NEW_REPOSITORY} git -c protocol.file.allow=always submodule --quiet add ../lib sub; git commit -qm with
    printf 'y\\n' > sub/a.txt; printf z > sub/new.txt; git -C sub -c user.name=A -c user.email=a@b commit -q --allow-empty -m two`);
  await using vise = new ViseProcess(ws.root);
  const result = await vise.call("git_status", { path: "top" });
  const [entry] = result.structuredContent.entries;
  deepStrictEqual(entry.submodule, { commit_changed: true, modified: true, untracked: true });
  match(ViseProcess.text(result), /sub \(submodule: other commit, modified content, untracked content\)/);
});

Deno.test("git_show passes over a blob that is no text, and names its size", async () => {
  using ws = new TempWorkspace();
  ws.write("b.bin", new Uint8Array(300));
  ws.sh(`${NEW_REPOSITORY} git add .; git commit -qm one`);
  await using vise = new ViseProcess(ws.root);
  const { content, warnings } = await vise.value("git_show", { rev: "HEAD:b.bin" });
  strictEqual(content, "");
  match(warnings.join("\n"), /binary blob [0-9a-f]{40} of 300 bytes: not shown/);
});

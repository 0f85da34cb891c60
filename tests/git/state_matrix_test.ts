/** Repositories in every state, each answer compared with what the installed git itself prints. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { compareBlame, compareDiff, compareLog, compareShow, compareStatus, PlainGit } from "./compare_with_git.ts";
import { GitCalls } from "./open_engine.ts";
import { STATES, TWO_COMMITS } from "./repository_states.ts";

for (const state of STATES) {
  Deno.test(`every git tool agrees with git itself: ${state.name}`, async () => {
    using ws = new TempWorkspace();
    ws.sh((state.fromNothing === true ? "" : TWO_COMMITS) + state.script);
    const root = state.open === undefined ? ws.root : `${ws.root}/${state.open}`;
    const peer = new PlainGit(root, ws.parent);
    const git = new GitCalls(root);
    const status = await compareStatus(git, peer);
    strictEqual(status.inProgress, state.inProgress ?? "");
    await compareDiff(git, peer);
    await compareLog(git, peer);
    if (status.unborn) return;
    for (const revision of state.show ?? ["HEAD"]) await compareShow(git, peer, revision);
    await compareBlame(git, peer);
  });
}

Deno.test("a bare repository is one, with its history and without a working tree", async () => {
  using ws = new TempWorkspace();
  ws.sh(`(mkdir ../o; cd ../o; ${TWO_COMMITS}); git clone -q --bare ../o .`);
  const git = new GitCalls(ws.root);
  const status = await git.status();
  deepStrictEqual([status?.bare, status?.branch, status?.unborn, status?.entries], [true, "main", false, []]);
  deepStrictEqual((await git.log())?.commits.map((commit) => commit.subject), ["two", "one"]);
  ok((await git.show())?.content.includes("+fifteen"));
  strictEqual((await git.show({ revision: "HEAD:c.txt" }))?.content, "c\n");
  ok((await git.diff())?.warnings[0]?.includes("bare repository"));
  strictEqual((await git.blame("c.txt", { revision: "HEAD" }))?.lines.length, 1);
});

Deno.test("a bare repository with the usual .git file beside it shows its history, not a tree of deleted files", async () => {
  using ws = new TempWorkspace();
  ws.sh(`(mkdir ../o; cd ../o; ${TWO_COMMITS}); git clone -q --bare ../o .bare; echo 'gitdir: ./.bare' > .git
    git worktree add -q wt main; echo x >> wt/c.txt`);
  deepStrictEqual((await new GitCalls(ws.root).status())?.entries, []);
  const inside = await new GitCalls(ws.root).status({ path: "wt" });
  deepStrictEqual(inside?.entries.map((entry) => entry.path), ["wt/c.txt"]);
});

Deno.test("a partial clone without its objects says what is missing and fetches nothing", async () => {
  using ws = new TempWorkspace();
  ws.sh(`(mkdir ../o; cd ../o; ${TWO_COMMITS} git config uploadpack.allowFilter true)
    git clone -q --no-checkout --filter=blob:none "file://$PWD/../o" .`);
  const git = new GitCalls(ws.root);
  const before = ws.sh("find .git -type f | sort | xargs ls -l --time-style=full-iso");
  strictEqual((await git.log())?.commits.length, 2);
  const failure = await git.show().then(() => null, (fault) => fault);
  strictEqual(failure?.code, "GIT_ERROR");
  strictEqual(ws.sh("find .git -type f | sort | xargs ls -l --time-style=full-iso"), before);
});

Deno.test("paths of a repository inside the workspace are relative to the workspace in every answer", async () => {
  using ws = new TempWorkspace();
  ws.sh(`mkdir -p in/ner; cd in/ner; ${TWO_COMMITS} git mv src/a.txt moved.txt; echo x >> c.txt; echo n > new`);
  const git = new GitCalls(ws.root);
  strictEqual(await git.status(), null);
  const status = await git.status({ path: "in/ner" });
  deepStrictEqual(
    status?.entries.map((entry) => [entry.path, entry.originalPath]),
    [["in/ner/c.txt", undefined], ["in/ner/moved.txt", "in/ner/src/a.txt"], ["in/ner/new", undefined]],
  );
  const diff = await git.diff({ paths: ["in/ner"], staged: true });
  deepStrictEqual(diff?.files.map((file) => file.path), ["in/ner/c.txt", "in/ner/moved.txt", "in/ner/new"]);
  ok(diff?.diff.includes("--- a/in/ner/c.txt\n+++ b/in/ner/c.txt\n"));
  ok(diff?.diff.includes("rename from in/ner/src/a.txt\nrename to in/ner/moved.txt\n"));
  strictEqual((await git.log({ path: "in/ner/c.txt" }))?.commits.length, 1);
  strictEqual((await git.show({ paths: ["in/ner"] }))?.files[0]?.path, "in/ner/src/a.txt");
  strictEqual((await git.blame("in/ner/c.txt"))?.lines.length, 2);
});

Deno.test("large files whose content is what their pointer names are not called modified", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${TWO_COMMITS} printf '*.big filter=lfs -text\\n' > .gitattributes; mkdir d
    for f in same.big other.big d/same.big; do
      printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize 6\\n' "$(printf 'hello\\n' | sha256sum | cut -d' ' -f1)" > $f
    done; printf 'no pointer' > plain.big; git add .; git commit -qm lfs
    for f in same.big d/same.big; do printf 'hello\\n' > $f; done; printf 'hallo\\n' > other.big; printf 'no painter' > plain.big`);
  const paths = async (root: string) => (await new GitCalls(root).status())?.entries.map((entry) => entry.path);
  deepStrictEqual(await paths(ws.root), ["other.big", "plain.big"]);
  deepStrictEqual(await paths(ws.path("d")), []);
});

Deno.test("git_log follows a path that no longer exists", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${TWO_COMMITS} git rm -q -r src; git commit -qm three`);
  const log = await new GitCalls(ws.root).log({ path: "src/deep/b.txt" });
  deepStrictEqual(log?.commits.map((commit) => commit.subject), ["three", "one"]);
  const blame = await new GitCalls(ws.root).blame("src/a.txt", { revision: "HEAD~1" });
  strictEqual(blame?.lines.length, 30);
});

Deno.test("a tag shows its words and its commit, a tag of a blob its content", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${TWO_COMMITS} git tag -a full -m words; git tag -a deeper full -m more; git tag -a blob HEAD:c.txt -m b`);
  const git = new GitCalls(ws.root);
  const full = await git.show({ revision: "full" });
  ok(full?.content.includes("words") && full.content.includes("+fifteen"), full?.content);
  deepStrictEqual(full?.files.map((file) => file.path), ["src/a.txt"]);
  const deeper = await git.show({ revision: "deeper" });
  ok(deeper?.content.includes("more") && deeper.content.includes("words") && deeper.content.includes("+fifteen"));
  ok((await git.show({ revision: "blob" }))?.content.endsWith("\nc\n"));
});

Deno.test("git_show names the parents of a merge in full", async () => {
  using ws = new TempWorkspace();
  ws.sh(
    `${TWO_COMMITS} git checkout -q -b s HEAD~1; echo s > s; git add s; git commit -qm s; git checkout -q main; git merge -q -m m s`,
  );
  const show = await new GitCalls(ws.root).show();
  deepStrictEqual(show?.parents, ws.sh("git rev-parse HEAD^1 HEAD^2").trim().split("\n"));
  ok(show?.warnings[0]?.includes("difference to the first"));
});

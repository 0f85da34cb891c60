/** A repository that tries to run programs: each test first proves with plain git that its trap works. */

import { ok, strictEqual } from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { GitCalls, NEW_REPOSITORY } from "./open_engine.ts";

interface Trap {
  readonly name: string;
  /** Arms the repository; `$TRAP` is a program that leaves a mark and then behaves like `cat`. */
  readonly arm: string;
  /** Plain git commands that spring the trap; empty where this git has no way to (the trap is for other versions). */
  readonly spring: string;
}

const COMMIT = "printf 'one\\n' > a.txt; git add .; git commit -qm one\n";
const CHANGE = "printf 'uno\\n' > a.txt\n";
const FILTERED = "printf '*.txt filter=fl\\n' > .gitattributes\n";

const TRAPS: readonly Trap[] = [
  { name: "core.fsmonitor", arm: 'git config core.fsmonitor "$TRAP"', spring: "git status" },
  { name: "diff.external", arm: 'git config diff.external "$TRAP"', spring: "git diff" },
  {
    name: "a diff driver's command",
    arm: 'printf "*.txt diff=d\\n" > .gitattributes; git config diff.d.command "$TRAP"',
    spring: "git diff",
  },
  {
    name: "a diff driver's textconv",
    arm: 'printf "*.txt diff=d\\n" > .gitattributes; git config diff.d.textconv "$TRAP"',
    spring: "git diff; git blame a.txt",
  },
  { name: "a clean filter", arm: `${FILTERED} git config filter.fl.clean "$TRAP"`, spring: "git status" },
  { name: "a filter process", arm: `${FILTERED} git config filter.fl.process "$TRAP"`, spring: "git status" },
  {
    name: "a clean filter that is required",
    arm: `${FILTERED} git config filter.fl.clean "$TRAP"; git config filter.fl.required true`,
    spring: "git status",
  },
  {
    name: "a clean filter named by .git/info/attributes",
    arm: 'printf "*.txt filter=fl\\n" > .git/info/attributes; git config filter.fl.clean "$TRAP"',
    spring: "git status",
  },
  {
    name: "a clean filter in an included file",
    arm: `${FILTERED} printf '[FILTER "fl"]\\n\\tclean = %s\\n' "$TRAP" > .git/more; git config include.path more`,
    spring: "git status",
  },
  {
    name: "a clean filter in a conditionally included file",
    arm: `${FILTERED} printf '[filter "fl"]\\n\\tclean = %s\\n' "$TRAP" > .git/more
      git config includeIf.onbranch:main.path more`,
    spring: "git status",
  },
  {
    name: "a clean filter in the configuration of the worktree",
    arm: `${FILTERED} git config extensions.worktreeConfig true
      git config --worktree filter.fl.clean "$TRAP"`,
    spring: "git status",
  },
  {
    name: "a clean filter with = and dots in its name",
    arm: 'printf "*.txt filter=a.b=c.d\\n" > .gitattributes; git config filter.a.b=c.d.clean "$TRAP"',
    spring: "git status",
  },
  {
    name: "a clean filter without a name",
    arm: `printf '*.txt filter=\\n' > .gitattributes; printf '[filter ""]\\n\\tclean = %s\\n' "$TRAP" >> .git/config`,
    spring: "",
  },
  {
    name: "a clean filter behind a megabyte of configuration",
    arm: `${FILTERED} { yes '# padding padding padding padding' | head -c 1200000; echo
      printf '[filter "fl"]\\n\\tclean = %s\\n' "$TRAP"; } >> .git/config`,
    spring: "git status",
  },
  {
    name: "pagers",
    arm: 'git config core.pager "$TRAP"; git config pager.log "$TRAP"; git config pager.show "$TRAP"',
    spring: "",
  },
  {
    name: "a signature check",
    arm: `git config gpg.program "$TRAP"; git config log.showSignature true
      tree=$(git rev-parse HEAD^{tree})
      { printf 'tree %s\\nauthor A <a@b> 1 +0000\\ncommitter A <a@b> 1 +0000\\n' $tree
        printf 'gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n iQ\\n -----END PGP SIGNATURE-----\\n\\nsigned\\n'; } > .git/raw
      git update-ref HEAD $(git hash-object -t commit -w .git/raw)`,
    spring: "git log",
  },
  {
    name: "a hook",
    arm: `mkdir -p .git/hooks; cp "$TRAP" .git/hooks/post-index-change; sleep 1.1; touch a.txt`,
    spring: "git add a.txt",
  },
  {
    name: "core.hooksPath",
    arm: `mkdir -p h; cp "$TRAP" h/post-index-change; git config core.hooksPath h; sleep 1.1; touch a.txt`,
    spring: "git add a.txt",
  },
  { name: "an alias", arm: 'git config alias.status "!$TRAP"; git config alias.log "!$TRAP"', spring: "" },
  {
    name: "fsmonitor and filter of a submodule",
    arm: `git -c protocol.file.allow=always clone -q . sub; cp -r sub/.git .git/keep
      printf '[submodule "s"]\\n\\tpath = sub\\n\\turl = ./x\\n' > .gitmodules
      git -c advice.addEmbeddedRepo=false add sub .gitmodules; git commit -qm sub
      git -C sub config core.fsmonitor "$TRAP"; git -C sub config filter.fl.clean "$TRAP"
      printf '*.txt filter=fl\\n' > sub/.gitattributes; printf 'zwei\\n' > sub/a.txt`,
    spring: "git status",
  },
  {
    name: "diff.submodule=diff inside a submodule",
    arm: `git -c protocol.file.allow=always clone -q . sub; git -c advice.addEmbeddedRepo=false add sub
      git commit -qm sub; git config diff.submodule diff; git -C sub config diff.external "$TRAP"
      git -C sub config core.fsmonitor "$TRAP"; printf 'zwei\\n' > sub/a.txt`,
    spring: "git diff",
  },
  {
    name: "a lazy fetch through an upload program",
    arm: `printf 'two\\n' > b.txt; git add .; git commit -qm two
      git config core.repositoryformatversion 1; git config extensions.partialClone origin
      git config remote.origin.url .; git config remote.origin.promisor true
      git config remote.origin.uploadpack "$TRAP"
      blob=$(git rev-parse HEAD:b.txt); rm -f .git/objects/$(echo $blob | cut -c1-2)/$(echo $blob | cut -c3-)`,
    spring: "git show HEAD",
  },
  {
    name: "a lazy fetch through a transport program that the repository allows",
    arm: `printf 'two\\n' > b.txt; git add .; git commit -qm two
      git config core.repositoryformatversion 1; git config extensions.partialClone origin
      git config remote.origin.url "ext::$TRAP"; git config remote.origin.promisor true
      git config protocol.ext.allow always; git config protocol.allow always
      blob=$(git rev-parse HEAD:b.txt); rm -f .git/objects/$(echo $blob | cut -c1-2)/$(echo $blob | cut -c3-)`,
    spring: "git show HEAD",
  },
  {
    name: "a lazy fetch over ssh",
    arm: `printf 'two\\n' > b.txt; git add .; git commit -qm two
      git config core.repositoryformatversion 1; git config extensions.partialClone origin
      git config remote.origin.url ssh://localhost/x; git config remote.origin.promisor true
      git config core.sshCommand "$TRAP"
      blob=$(git rev-parse HEAD:b.txt); rm -f .git/objects/$(echo $blob | cut -c1-2)/$(echo $blob | cut -c3-)`,
    spring: "git show HEAD",
  },
];

for (const trap of TRAPS) {
  Deno.test(`no git tool runs a program through ${trap.name}`, async () => {
    using ws = new TempWorkspace();
    const mark = `${ws.parent}/mark`;
    Deno.writeTextFileSync(`${ws.parent}/trap`, `#!/bin/sh\n: > ${mark}\nexec timeout 1 cat\n`, { mode: 0o755 });
    ws.sh(`TRAP=${ws.parent}/trap\n${NEW_REPOSITORY}${COMMIT}${trap.arm}\n${CHANGE}`);
    if (trap.spring !== "") {
      ws.sh(
        `cp -r . ../copy; cd ../copy; sleep 0.02; touch a.txt; (${trap.spring}) > /dev/null 2>&1 < /dev/null || true`,
      );
      ok(existsSync(mark), "the trap works with plain git");
      rmSync(mark);
    }
    const git = new GitCalls(ws.root);
    const answers = await Promise.allSettled([
      git.status(),
      git.diff(),
      git.diff({ staged: true }),
      git.log(),
      git.log({ path: "a.txt" }),
      git.show(),
      git.show({ revision: "HEAD:a.txt" }),
      git.blame("a.txt"),
    ]);
    strictEqual(existsSync(mark), false);
    strictEqual(answers[0]?.status, "fulfilled", JSON.stringify(answers[0]));
  });
}

Deno.test("git_diff shows the plain text of files whose filter and text conversion are switched off", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY}${COMMIT}printf '*.txt diff=tc filter=fl\\n' > .gitattributes
    git config diff.tc.textconv 'tr a-z A-Z <'; git config filter.fl.clean 'tr a-z A-Z'\n${CHANGE}`);
  const diff = await new GitCalls(ws.root).diff({ paths: ["a.txt"] });
  ok(diff?.diff.includes("-one\n+uno\n"), diff?.diff);
  ok(diff?.warnings.some((warning) => warning.includes("content filters are not run (fl)")));
});

Deno.test("a program called git inside the workspace is never started, wherever PATH points", async () => {
  using ws = new TempWorkspace();
  const mark = `${ws.parent}/mark`;
  ws.sh(`${NEW_REPOSITORY}${COMMIT}`);
  ws.write("bin/git", `#!/bin/sh\n: > ${mark}\n`, 0o755);
  ws.write("git", `#!/bin/sh\n: > ${mark}\n`, 0o755);
  const path = `${ws.root}/bin:.:${ws.root}::${Deno.env.get("PATH")}`;
  const git = new GitCalls(ws.root, { environment: { PATH: path } });
  strictEqual((await git.status())?.branch, "main");
  strictEqual(existsSync(mark), false);
});

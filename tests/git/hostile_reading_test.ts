/** A repository that tries to show what lies outside the workspace, or to keep git busy for ever. */

import { ok, rejects, strictEqual } from "node:assert/strict";
import { ToolError } from "../../src/base/tool_error.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { GitCalls, NEW_REPOSITORY } from "./open_engine.ts";

/** A private repository beside the workspace; `$H` its commit, `$B` its blob. */
const PRIVATE = `(mkdir ../private; cd ../private; ${NEW_REPOSITORY} printf 'SECRET-WORD\\n' > secret-name
  git add .; git commit -qm secret-subject)
H=$(git -C ../private rev-parse HEAD); B=$(git -C ../private rev-parse HEAD:secret-name)\n`;

const NEW_BARE = "git init -q --bare -b main .;";

interface Leak {
  readonly name: string;
  readonly arm: string;
}

const LEAKS: readonly Leak[] = [
  { name: "a .git file that names it", arm: 'printf "gitdir: ../private/.git\\n" > .git' },
  { name: "a .git link to it", arm: "ln -s ../private/.git .git" },
  {
    name: "a .git file that names a linked worktree of it",
    arm:
      `git -C ../private worktree add -q ../other; printf 'gitdir: %s/.git/worktrees/other\\n' "$PWD/../private" > .git`,
  },
  { name: "commondir", arm: `${NEW_REPOSITORY} printf '../../private/.git\\n' > .git/commondir` },
  {
    name: "alternates",
    arm: `${NEW_REPOSITORY} echo "$PWD/../private/.git/objects" > .git/objects/info/alternates
      echo $H > .git/refs/heads/main`,
  },
  {
    name: "alternates in quotation marks",
    arm: `${NEW_REPOSITORY} echo "\\"$PWD/../private/.git/objects\\"" > .git/objects/info/alternates
      echo $H > .git/refs/heads/main`,
  },
  {
    name: "alternates in quotation marks with escapes",
    arm: `${NEW_REPOSITORY} echo "\\"$PWD/../priv\\\\141te/.git/objects\\"" > .git/objects/info/alternates
      echo $H > .git/refs/heads/main`,
  },
  {
    name: "alternates with a NUL",
    arm:
      `${NEW_REPOSITORY} printf '%s/private/.git/objects\\0/../../../../work/x\\n' "$(realpath ..)" > .git/objects/info/alternates
      echo $H > .git/refs/heads/main`,
  },
  {
    name: "commondir with a NUL",
    arm: `${NEW_REPOSITORY} printf '../../private/.git\\0/../../../work/.git' > .git/commondir`,
  },
  {
    name: "commondir with a space at its end",
    arm: `${NEW_REPOSITORY} cp -r .git real; ln -s ../private/.git 'real '; printf '../real \\n' > .git/commondir`,
  },
  {
    name: "alternates behind a megabyte of comments",
    arm:
      `${NEW_REPOSITORY} { head -c 1100000 /dev/zero | tr '\\0' '#'; echo; realpath ../private/.git/objects; } > .git/objects/info/alternates
      echo $H > .git/refs/heads/main`,
  },
  {
    name: "alternates through a name that is not UTF-8",
    arm:
      `${NEW_REPOSITORY} ln -s ../../private/.git/objects "$(printf '.git/objects/x\\377')"; printf 'x\\377\\n' > .git/objects/info/alternates
      ln -sf ../../../private/.git/objects "$(printf '.git/objects/x\\377')"; echo $H > .git/refs/heads/main`,
  },
  {
    name: "alternates through a name that starts with a byte order mark",
    arm:
      `${NEW_REPOSITORY} mkdir .git/objects/x; ln -s ../../../private/.git/objects "$(printf '.git/objects/\\357\\273\\277x')"
      printf '\\357\\273\\277x\\n' > .git/objects/info/alternates; echo $H > .git/refs/heads/main`,
  },
  {
    name: "alternates of alternates",
    arm: `${NEW_REPOSITORY} mkdir -p more/info; echo "$PWD/more" > .git/objects/info/alternates
      echo "$PWD/../private/.git/objects" > more/info/alternates; echo $H > .git/refs/heads/main`,
  },
  {
    name: "a git directory made elsewhere that names the workspace and has alternates",
    arm:
      `mkdir -p ../made/worktrees/w ../made/objects/info ../made/refs/heads; echo "ref: refs/heads/main" > ../made/HEAD
      echo "$PWD/../private/.git/objects" > ../made/objects/info/alternates; echo $H > ../made/refs/heads/main
      printf '[core]\\n\\tbare = false\\n' > ../made/config; echo ../.. > ../made/worktrees/w/commondir
      echo "$PWD/.git" > ../made/worktrees/w/gitdir; cp ../made/HEAD ../made/worktrees/w/HEAD
      printf 'gitdir: %s/made/worktrees/w\\n' "$(realpath ..)" > .git`,
  },
  {
    name: "a git directory made elsewhere that names the workspace and has linked objects",
    arm:
      `mkdir -p ../made/refs/heads; echo "ref: refs/heads/main" > ../made/HEAD; ln -s ../private/.git/objects ../made/objects
      echo $H > ../made/refs/heads/main; printf '[core]\\n\\tbare = false\\n\\tworktree = %s\\n' "$PWD" > ../made/config
      printf 'gitdir: %s/made\\n' "$(realpath ..)" > .git`,
  },
  {
    name: "a link in place of the objects",
    arm: `${NEW_REPOSITORY} rm -rf .git/objects; ln -s ../../private/.git/objects .git/objects
      echo $H > .git/refs/heads/main`,
  },
  {
    name: "links among the loose objects",
    arm: `${NEW_REPOSITORY} for d in ../private/.git/objects/??; do ln -s ../../$d .git/objects/; done
      echo $H > .git/refs/heads/main`,
  },
  {
    name: "links in place of single loose objects",
    arm:
      `${NEW_REPOSITORY} for f in ../private/.git/objects/??/*; do d=.git/objects/$(basename "$(dirname "$f")"); mkdir -p "$d"
      ln -s "$(realpath "$f")" "$d/"; done; echo $H > .git/refs/heads/main`,
  },
  {
    name: "links among the packs",
    arm: `${NEW_REPOSITORY} git -C ../private gc -q; for f in ../private/.git/objects/pack/*; do
      ln -s ../../../$f .git/objects/pack/; done; echo $H > .git/refs/heads/main`,
  },
  {
    name: "a link in place of the branches",
    arm: `${NEW_REPOSITORY} rm -rf .git/refs; ln -s ../../private/.git/refs .git/refs`,
  },
  { name: "a link in place of the index", arm: `${NEW_REPOSITORY} ln -s ../../private/.git/index .git/index` },
  {
    name: "alternates of a bare repository",
    arm: `${NEW_BARE} echo "$PWD/../private/.git/objects" > objects/info/alternates; echo $H > refs/heads/main`,
  },
  {
    name: "a link in place of the objects of a bare repository",
    arm: `${NEW_BARE} rm -rf objects; ln -s ../private/.git/objects objects; echo $H > refs/heads/main`,
  },
  { name: "commondir of a bare repository", arm: `${NEW_BARE} echo ../private/.git > commondir` },
  {
    name: "core.worktree of a bare repository",
    arm:
      `(mkdir ../o; cd ../o; ${NEW_REPOSITORY} echo x > a.txt; git add .; git commit -qm one); git clone -q --bare ../o .
      echo x > a.txt; cp ../private/secret-name ../private/a.txt
      git config core.bare false; git config core.worktree "$PWD/../private"`,
  },
  { name: "core.worktree", arm: `${NEW_REPOSITORY} git config core.worktree "$PWD/../private"` },
  {
    name: "a submodule path that climbs out",
    arm:
      `${NEW_REPOSITORY} printf '[submodule "p"]\\n\\tpath = ../private\\n\\turl = x\\n' > .gitmodules; git add .; git commit -qm x`,
  },
  {
    name: "a submodule whose directory is a link to it",
    arm: `${NEW_REPOSITORY} printf '[submodule "p"]\\n\\tpath = p\\n\\turl = x\\n' > .gitmodules
      git update-index --add --cacheinfo 160000,$H,p; git add .gitmodules; git commit -qm x; ln -s ../private p`,
  },
  {
    name: "a submodule whose .git file names it",
    arm: `${NEW_REPOSITORY} printf '[submodule "p"]\\n\\tpath = p\\n\\turl = x\\n' > .gitmodules
      git update-index --add --cacheinfo 160000,$H,p; git add .gitmodules; git commit -qm x
      mkdir p; printf 'gitdir: %s/.git\\n' "$PWD/../private" > p/.git`,
  },
  {
    name: "a nested directory whose .git file names it",
    arm: `${NEW_REPOSITORY} mkdir p; printf 'gitdir: %s/.git\\n' "$PWD/../private" > p/.git`,
  },
  {
    name: "a link in the working tree",
    arm: `${NEW_REPOSITORY} ln -s ../private/secret-name a.txt; ln -s ../private d`,
  },
  {
    name: "diff.orderFile, mailmap.file and blame.ignoreRevsFile",
    arm: `${NEW_REPOSITORY} printf 'x\\n' > a.txt; git add .; git commit -qm one; printf 'y\\n' > a.txt
      for key in diff.orderFile mailmap.file blame.ignoreRevsFile core.attributesFile core.excludesFile; do
        git config $key "$PWD/../private/secret-name"; done`,
  },
  {
    name: "include.path of a file that is no configuration",
    arm: `${NEW_REPOSITORY} git config include.path "$PWD/../private/secret-name"`,
  },
];

for (const leak of LEAKS) {
  Deno.test(`nothing of a private repository beside the workspace is shown through ${leak.name}`, async () => {
    using ws = new TempWorkspace();
    ws.sh(PRIVATE + leak.arm);
    const facts = ws.sh("git -C ../private rev-parse HEAD HEAD:secret-name").trim().split("\n");
    const git = new GitCalls(ws.root);
    const calls = [
      git.status(),
      git.status({ path: "p" }),
      git.diff(),
      git.diff({ staged: true, paths: ["p"] }),
      git.log(),
      git.log({ path: "p" }),
      git.show(),
      git.show({ revision: facts[0] as string }),
      git.show({ revision: facts[1] as string }),
      git.blame("a.txt"),
    ];
    for (const answer of await Promise.allSettled(calls)) {
      const shown = answer.status === "fulfilled"
        ? JSON.stringify(answer.value)
        : JSON.stringify([answer.reason.message, answer.reason.details]);
      // The link itself names its target; what it leads to must not show.
      const revealed = shown.replaceAll("private/secret-name", "").match(/SECRET-WORD|secret-subject|secret-name/);
      strictEqual(revealed, null, shown);
      if (answer.status === "rejected") ok(answer.reason instanceof ToolError, String(answer.reason?.stack));
    }
  });
}

Deno.test("an ignore file outside the workspace does not decide what is shown as untracked", async () => {
  using ws = new TempWorkspace();
  ws.sh(`printf 'guess\\n' > ../secret-patterns\n${NEW_REPOSITORY}
    git config core.excludesFile "$PWD/../secret-patterns"; : > guess`);
  const status = await new GitCalls(ws.root).status();
  strictEqual(status?.entries[0]?.path, "guess");
});

Deno.test("a repository that is refused is named as one, with the reason and the way out", async () => {
  using ws = new TempWorkspace();
  ws.sh(PRIVATE + 'printf "gitdir: ../private/.git\\n" > .git');
  await rejects(new GitCalls(ws.root).status(), (fault: ToolError) => {
    strictEqual(fault.code, "GIT_ERROR");
    strictEqual(fault.details["reason"], "git_dir_outside_workspace");
    return fault.message.includes("does not name this working tree");
  });
});

Deno.test("objects shared with a repository outside are read where the operator made that place readable", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${PRIVATE} git clone -q --shared ../private .`);
  await rejects(new GitCalls(ws.root).log(), /outside the workspace/);
  const shared = new GitCalls(ws.root, { readableRoots: [`${ws.parent}/private`] });
  strictEqual((await shared.log())?.commits.length, 1);
});

Deno.test("a .git file that leads nowhere is a fault that names it, a .git directory without content is none", async () => {
  using ws = new TempWorkspace();
  for (const content of ["gitdir: ./gone\n", "nonsense\n", "gitdir: \n", ""]) {
    ws.write(".git", content);
    await rejects(new GitCalls(ws.root).status(), (fault: ToolError) => fault.details["reason"] === "broken_git_file");
  }
  ws.sh("rm .git; mkdir .git");
  strictEqual(await new GitCalls(ws.root).status(), null);
});

Deno.test("a linked worktree and a submodule are used although their git directory lies outside", async () => {
  using ws = new TempWorkspace("main");
  ws.sh(`${NEW_REPOSITORY} printf 'x\\n' > a.txt; git add .; git commit -qm one; git worktree add -q ../tree -b side
    mkdir ../super; cd ../super; ${NEW_REPOSITORY} git -c protocol.file.allow=always submodule --quiet add "$PWD/../main" sub`);
  strictEqual((await new GitCalls(`${ws.parent}/tree`).status())?.branch, "side");
  strictEqual((await new GitCalls(`${ws.parent}/super/sub`).log())?.commits.length, 1);
});

Deno.test("FIFOs in place of files that git reads end the call at its deadline, not later", async () => {
  for (
    const file of [".git/config", ".git/HEAD", ".git/info/exclude", ".gitignore", ".git/packed-refs", ".gitmodules"]
  ) {
    using ws = new TempWorkspace();
    ws.sh(
      `${NEW_REPOSITORY} : > a; git add .; git commit -qm one; : > u; mkdir -p .git/info; rm -f ${file}; mkfifo ${file}`,
    );
    const started = performance.now();
    await new GitCalls(ws.root, { deadlineMs: 300 }).status().catch((fault) => {
      strictEqual((fault as ToolError).code, "GIT_ERROR", file);
    });
    ok(performance.now() - started < 30_000, file);
  }
});

Deno.test("a repository with very many branches is read", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} : > a; git add .; git commit -qm one; H=$(git rev-parse HEAD)
    { echo '# pack-refs with: peeled fully-peeled sorted'; seq -f "$H refs/heads/b%07.0f" 1 200000; } > .git/packed-refs`);
  const git = new GitCalls(ws.root);
  strictEqual((await git.status())?.branch, "main");
  strictEqual((await git.log({ ref: "b0199999" }))?.commits.length, 1);
});

Deno.test("a .gitmodules with very many and very long paths does not stop git_status", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} : > a; git add .; git commit -qm one`);
  const long = "d/".repeat(2_000);
  const blocks = Array.from(
    { length: 20_000 },
    (_, i) => `[submodule "s${i}"]\n\tpath = ${i < 100 ? long : ""}p${i}\n`,
  );
  ws.write(".gitmodules", blocks.join(""));
  const status = await new GitCalls(ws.root).status();
  strictEqual(status?.entries[0]?.path, ".gitmodules");
});

Deno.test("megabytes of blank lines, and alternates of alternates without end, cost no time", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} : > a; git add .; git commit -qm one; mkdir -p x/info y/info`);
  ws.write(".gitmodules", "\n".repeat(1_000_000) + " ".repeat(40_000));
  ws.write(".git/config", ws.read(".git/config") + "\n".repeat(1_000_000));
  strictEqual((await new GitCalls(ws.root).status())?.branch, "main");
  const many = Array.from({ length: 20_000 }, (_, i) => `../x${i}\n`).join("") + `${ws.root}/x\n${ws.root}/y\n`;
  for (const place of [".git/objects/info", "x/info", "y/info"]) ws.write(`${place}/alternates`, many);
  await rejects(new GitCalls(ws.root).status(), /more than 100/);
});

Deno.test("variables of the server's environment that steer git do not reach it", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${PRIVATE}${NEW_REPOSITORY} printf 'x\\n' > a.txt; git add .; git commit -qm one`);
  const environment = {
    GIT_DIR: `${ws.parent}/private/.git`,
    GIT_WORK_TREE: `${ws.parent}/private`,
    GIT_INDEX_FILE: `${ws.parent}/private/.git/index`,
    GIT_OBJECT_DIRECTORY: `${ws.parent}/private/.git/objects`,
    GIT_EXTERNAL_DIFF: `touch ${ws.parent}/mark`,
    GIT_TRACE: `${ws.parent}/trace`,
  };
  const git = new GitCalls(ws.root, { environment });
  strictEqual((await git.log())?.commits[0]?.subject, "one");
  strictEqual((await git.status())?.entries.length, 0);
  strictEqual(ws.exists("../trace"), false);
});

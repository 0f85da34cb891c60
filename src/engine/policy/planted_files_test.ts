import { deepStrictEqual } from "node:assert/strict";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { PlantedFiles } from "./planted_files.ts";

function changesAfter(prepare: string, act: string): string[] {
  using workspace = new TempWorkspace();
  workspace.sh(prepare);
  const planted = new PlantedFiles(workspace.root, workspace.root);
  workspace.sh(act);
  const changes = planted.changes();
  deepStrictEqual(planted.changes(), [], "each change is named once");
  return changes;
}

const CHANGES: readonly [string, string, string, string[]][] = [
  ["a new hook", "git init -q", "echo x > .git/hooks/pre-commit", [".git/hooks/pre-commit"]],
  ["a changed hook", "git init -q; echo x > .git/hooks/p", "echo yy > .git/hooks/p", [".git/hooks/p"]],
  ["a hook made executable", "git init -q; echo x > .git/hooks/p", "chmod +x .git/hooks/p", [".git/hooks/p"]],
  ["a removed hook", "git init -q; echo x > .git/hooks/p", "rm .git/hooks/p", [".git/hooks/p"]],
  ["another hooks directory", "git init -q", "git config core.hooksPath h", [".git/config"]],
  ["an alias that runs a shell", "git init -q", "git config alias.x '!touch y'", [".git/config"]],
  ["a file system monitor", "git init -q", "git config core.fsmonitor ./x", [".git/config"]],
  ["a filter", "git init -q", "git config filter.x.clean ./x", [".git/config"]],
  ["start files", "true", "echo x > .envrc; mkdir .vscode; echo {} > .vscode/tasks.json; echo {} > .mcp.json", [
    ".envrc",
    ".mcp.json",
    ".vscode/tasks.json",
  ]],
  ["a link", "true", "ln -s /x .envrc", [".envrc"]],
];

for (const [what, prepare, act, wanted] of CHANGES) {
  Deno.test(`PlantedFiles names ${what}`, () => deepStrictEqual(changesAfter(prepare, act), wanted));
}

Deno.test("PlantedFiles is silent about ordinary work with a repository", () => {
  deepStrictEqual(changesAfter("true", "git init -q; echo x > a.txt; git add a.txt"), []);
  deepStrictEqual(
    changesAfter(
      "git init -q",
      "git config user.name A; git config branch.main.remote origin; git config remote.origin.url https://h/r; " +
        "mkdir .vscode; echo x > src.txt",
    ),
    [],
  );
});

Deno.test("PlantedFiles also looks at the directory a command runs in", () => {
  using workspace = new TempWorkspace();
  workspace.sh("mkdir sub; cd sub; git init -q");
  const planted = new PlantedFiles(workspace.root, workspace.path("sub"));
  workspace.sh("echo x > sub/.git/hooks/pre-push");
  deepStrictEqual(planted.changes(), ["sub/.git/hooks/pre-push"]);
});

/** Files that run or configure programs, each with the tool that obeys it. */
const WATCHED = `
.git/config.worktree .git/info/attributes .mcp.json .vscode/tasks.json .vscode/settings.json .vscode/launch.json
.vscode/mcp.json .cursor/mcp.json .cursor/hooks.json .claude/settings.json .claude/settings.local.json
.gemini/settings.json .codex/config.toml .zed/settings.json .zed/tasks.json .idea/workspace.xml
.devcontainer/devcontainer.json .devcontainer.json .envrc .direnvrc .mise.toml .bashrc .bash_profile .bash_login
.bash_logout .profile .zshenv .zshrc .zprofile .zlogin .config/fish/config.fish .gitconfig .ssh/config .ssh/rc
.git/hooks/x .husky/x .githooks/x .claude/hooks/x
`.trim().split(/\s+/);

Deno.test("PlantedFiles names every file that runs or configures programs, when it comes, changes and goes", () => {
  using workspace = new TempWorkspace();
  const planted = new PlantedFiles(workspace.root, workspace.root);
  for (const path of WATCHED) workspace.write(path, "x");
  deepStrictEqual(planted.changes(), [...WATCHED].sort());
  for (const path of WATCHED) workspace.write(path, "xy");
  deepStrictEqual(planted.changes(), [...WATCHED].sort());
  workspace.sh("rm -r .[a-z]*");
  deepStrictEqual(planted.changes(), [...WATCHED].sort());
});

Deno.test("PlantedFiles names a .git that is a file, and no directory and no sample", () => {
  deepStrictEqual(changesAfter("true", "echo gitdir: /x > .git"), [".git"]);
  deepStrictEqual(changesAfter("true", "mkdir -p .git/hooks .envrc .mcp.json; touch .git/hooks/a.sample"), []);
});

Deno.test("PlantedFiles looks at 256 entries of a directory of hooks", () => {
  const many = (count: number) =>
    changesAfter("mkdir .husky", `cd .husky; for i in $(seq ${count}); do : > h$i; done`).length;
  deepStrictEqual([many(256), many(257)], [256, 256]);
});

/** Lines of a configuration, and whether they run something. */
const SETTINGS: readonly (readonly [line: string, runs: boolean])[] = [
  ["[core]\n\tfsmonitor = x", true],
  ["[core]\nhooksPath=x", true],
  ["[core]\n\teditor  =  x", true],
  ["[alias]", true],
  ["  [ include ]", true],
  ['[includeIf "gitdir:x"]', true],
  ['[filter "x"]', true],
  ["[credential]", true],
  ["\tx = !rm", true],
  ['\tx = "!rm"', true],
  ["\tx=!rm", true],
  ["\tname = editor = x", false],
  ["\tmyeditor = x", false],
  ["\teditors = x", false],
  ["\tx = a!b", false],
  ["[filters]", false],
  ["[user]\n\tname = [alias]", false],
  ["x[alias]", false],
];

for (const [line, runs] of SETTINGS) {
  Deno.test(`PlantedFiles and a setting of git: ${JSON.stringify(line)}`, () => {
    using workspace = new TempWorkspace();
    workspace.write(".git/config", "[user]\n");
    const planted = new PlantedFiles(workspace.root, workspace.root);
    workspace.write(".git/config", `[user]\n${line}\n`);
    deepStrictEqual(planted.changes(), runs ? [".git/config"] : []);
  });
}

Deno.test("PlantedFiles compares the running lines of a configuration, in their order", () => {
  using workspace = new TempWorkspace();
  workspace.write(".git/config", "\teditor = a\n\tpager = b\n\tname = c\n");
  const planted = new PlantedFiles(workspace.root, workspace.root);
  workspace.write(".git/config", "\tname = d\n\teditor = a\n\tpager = b\n");
  deepStrictEqual(planted.changes(), []);
  workspace.write(".git/config", "\teditor = a\tpager = b\n");
  deepStrictEqual(planted.changes(), [".git/config"]);
});

Deno.test("PlantedFiles compares a configuration of more than 256 KiB, or that is no file, by its state", async () => {
  using workspace = new TempWorkspace();
  const filler = (bytes: number, sign: string) => `#${sign.repeat(bytes - 2)}\n`;
  workspace.write(".git/config", filler(262_144, "x"));
  const planted = new PlantedFiles(workspace.root, workspace.root);
  workspace.write(".git/config", filler(262_144, "y"));
  workspace.sh("chmod 600 .git/config");
  deepStrictEqual(planted.changes(), []);
  workspace.write(".git/config", filler(262_145, "x"));
  deepStrictEqual(planted.changes(), [".git/config"]);
  // Time stamps of files step by up to 10 ms.
  await new Promise((resolve) => setTimeout(resolve, 20));
  workspace.write(".git/config", filler(262_145, "yz").slice(0, 262_145));
  deepStrictEqual(planted.changes(), [".git/config"]);
  workspace.sh("rm .git/config; ln -s /x .git/config");
  deepStrictEqual(planted.changes(), [".git/config"]);
  workspace.sh("ln -sf /y .git/config");
  deepStrictEqual(planted.changes(), [".git/config"]);
});

Deno.test("PlantedFiles says of each changed file that it runs outside the sandbox", () => {
  using workspace = new TempWorkspace();
  const planted = new PlantedFiles(workspace.root, workspace.root);
  workspace.write(".envrc", "x");
  deepStrictEqual(planted.warnings(), [
    ".envrc was changed by a command and runs or configures programs outside the sandbox; review it before you use it",
  ]);
});

Deno.test("PlantedFiles goes on when the workspace is gone", () => {
  const workspace = new TempWorkspace();
  workspace.write(".envrc", "x");
  const planted = new PlantedFiles(workspace.root, workspace.root);
  workspace[Symbol.dispose]();
  deepStrictEqual(planted.changes(), [".envrc"]);
});

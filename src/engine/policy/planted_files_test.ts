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

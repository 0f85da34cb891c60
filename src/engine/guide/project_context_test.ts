import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { QUICK_FILES } from "../../platform/quick_files.ts";
import { Workspace } from "../workspace/workspace.ts";
import { ProjectContext } from "./project_context.ts";

/** Hang guard for a project of thousands of directories. */
const LARGE_PROJECT_LIMIT_MS = 10_000;

interface Scene {
  readonly context: ProjectContext;
  readonly clock: { now: number };
  readonly opened: { count: number };
}

function scene(workspace: TempWorkspace): Scene {
  const clock = { now: 0 };
  const opened = { count: 0 };
  const made = new Workspace(workspace.root);
  const context = new ProjectContext({
    root: workspace.root,
    files: QUICK_FILES,
    workspace: () => {
      opened.count++;
      return Promise.resolve(made);
    },
    now: () => clock.now,
  });
  return { context, clock, opened };
}

Deno.test("a project without guidance adds nothing and opens nothing", async () => {
  using workspace = new TempWorkspace();
  workspace.write("src/a.ts", "");
  const { context, opened } = scene(workspace);
  strictEqual(await context.text(), "");
  strictEqual(opened.count, 0);
});

Deno.test("guidance is found in a root that cannot be listed, and in one of thousands of files", async () => {
  using workspace = new TempWorkspace();
  workspace.write("AGENTS.md", "A");
  workspace.write(".cursor/rules/a.mdc", "R");
  const expected = "Project instructions from AGENTS.md:\nA\n\n" +
    "Guidance written for other agents, not included here:\n- .cursor/rules/";
  const made = new Workspace(workspace.root);
  const unlisted = new ProjectContext({
    root: workspace.root,
    files: { ...QUICK_FILES, names: () => null },
    workspace: () => Promise.resolve(made),
  });
  strictEqual(await unlisted.text(), expected);
  for (let count = 0; count < 1_200; count++) workspace.write(`file-${count}`, "");
  strictEqual(await scene(workspace).context.text(), expected);
});

Deno.test("root files are included in order, each named, and nested ones are listed", async () => {
  using workspace = new TempWorkspace();
  workspace.sh("git init -q");
  workspace.write("CLAUDE.md", "C\n@docs/style.md\n@CLAUDE.md\n@missing.md\n");
  workspace.write("AGENTS.md", "\ufeffA\n");
  workspace.write("docs/style.md", "S");
  workspace.write("pkg/AGENTS.md", "P");
  workspace.write("pkg/deep/CLAUDE.md", "D");
  workspace.write("ignored/AGENTS.md", "I");
  workspace.write("node_modules/x/AGENTS.md", "N");
  workspace.write(".gitignore", "ignored/\n");
  workspace.write(".github/copilot-instructions.md", "G");
  workspace.write(".cursor/rules/a.mdc", "R");
  const { context } = scene(workspace);
  strictEqual(
    await context.text(),
    [
      "Project instructions from AGENTS.md:\nA",
      "Project instructions from CLAUDE.md:\nC\n@docs/style.md\n@CLAUDE.md\n@missing.md",
      "Further reading that these files name (read_file):\n- docs/style.md",
      "Before you change files below one of these directories, read its file with read_file; " +
      "workspace_guide names the files that apply to a path:\n- pkg/AGENTS.md\n- pkg/deep/CLAUDE.md",
      "Guidance written for other agents, not included here:\n- .github/copilot-instructions.md\n- .cursor/rules/",
    ].join("\n\n"),
  );
  deepStrictEqual(await context.found(), {
    root_instruction_files: ["AGENTS.md", "CLAUDE.md"],
    nested_instruction_files: ["pkg/AGENTS.md", "pkg/deep/CLAUDE.md"],
    warnings: [],
  });
});

Deno.test("files that compete for space share it, and a cut says where the rest is", async () => {
  using workspace = new TempWorkspace();
  workspace.write("AGENTS.md", "é".repeat(20_000));
  workspace.write("CLAUDE.md", "short");
  const text = await scene(workspace).context.text();
  ok(text.includes(`Project instructions from AGENTS.md [truncated]:\n${"é".repeat(8_192)}\n\n`));
  ok(text.includes("Project instructions from CLAUDE.md:\nshort"));
  ok(text.includes("- AGENTS.md is longer than its share of 16384 bytes; read the rest with read_file"));
  workspace.write("AGENTS.MD", "x".repeat(20_000));
  workspace.write("CLAUDE.md", "y".repeat(20_000));
  const three = await scene(workspace).context.text();
  for (const part of ["x".repeat(10_922), "é".repeat(5_461), "y".repeat(10_923)]) {
    ok(three.includes(`:\n${part}\n`), part[0]);
  }
  ok(new TextEncoder().encode(three).length < 34_000);
});

Deno.test("one file under two names is included once, links out of the workspace and special files never", async () => {
  using workspace = new TempWorkspace();
  writeFileSync(join(workspace.parent, "secret.md"), "OUT-RULE");
  workspace.write("AGENTS.md", "shared");
  symlinkSync("AGENTS.md", workspace.path("CLAUDE.md"));
  symlinkSync("../secret.md", workspace.path("AGENTS.MD"));
  workspace.sh("mkfifo CLAUDE.MD; mkdir p q; mkfifo p/AGENTS.md; ln -s AGENTS.md q/AGENTS.md");
  const { context } = scene(workspace);
  const text = await context.text();
  strictEqual(text.split("shared").length, 2);
  strictEqual(text.includes("OUT-RULE"), false);
  deepStrictEqual(await context.found(), {
    root_instruction_files: ["AGENTS.md"],
    nested_instruction_files: [],
    warnings: [
      "Skipped root instruction file AGENTS.MD: it is a link that leaves the workspace",
      "Skipped root instruction file CLAUDE.MD: not a regular file but a FIFO (named pipe)",
    ],
  });
});

Deno.test("a file that is not UTF-8 is skipped with its reason", async () => {
  using workspace = new TempWorkspace();
  workspace.write("AGENTS.md", Uint8Array.of(0x63, 0xe9, 0x0a));
  const found = await scene(workspace).context.found();
  deepStrictEqual(found.warnings, ["Skipped root instruction file AGENTS.md: it is not valid UTF-8"]);
});

Deno.test("a changed file is read again, an unchanged one is not", async () => {
  using workspace = new TempWorkspace();
  workspace.write("AGENTS.md", "one");
  const { context, opened, clock } = scene(workspace);
  await context.text();
  await context.text();
  strictEqual(opened.count, 1);
  workspace.write("AGENTS.md", "two");
  utimesSync(workspace.path("AGENTS.md"), 1, 1);
  ok((await context.text()).includes("two"));
  workspace.write("sub/AGENTS.md", "nested");
  clock.now += 6_000;
  deepStrictEqual((await context.found()).nested_instruction_files, ["sub/AGENTS.md"]);
});

Deno.test("a directory name with control characters stays one line", async () => {
  using workspace = new TempWorkspace();
  workspace.write("a\n- b/AGENTS.md", "x");
  const text = await scene(workspace).context.text();
  ok(text.endsWith('\n- "a\\n- b/AGENTS.md"'), text);
});

Deno.test("long names are cut from a list, and it says how many are missing", async () => {
  using workspace = new TempWorkspace();
  for (let at = 0; at < 60; at++) workspace.write(`d${at}${"x".repeat(200)}/AGENTS.md`, "x");
  const text = await scene(workspace).context.text();
  ok(text.length < 9_000 && /\n- … \d+ more$/.test(text), text.slice(-200));
});

Deno.test("at most 64 nested files are named", async () => {
  using workspace = new TempWorkspace();
  for (let at = 0; at < 70; at++) workspace.write(`d${at}/AGENTS.md`, "x");
  const found = await scene(workspace).context.found();
  strictEqual(found.nested_instruction_files.length, 64);
  deepStrictEqual(found.warnings, ["Nested instruction list truncated to 64 files."]);
});

Deno.test("thousands of directories keep nobody waiting and do not hide what is found in time", async () => {
  using workspace = new TempWorkspace();
  for (let at = 0; at < 40; at++) {
    mkdirSync(workspace.path(`d${at}`));
    for (let below = 0; below < 100; below++) mkdirSync(workspace.path(`d${at}/e${below}`));
  }
  workspace.write("d7/e7/AGENTS.md", "x");
  const { context } = scene(workspace);
  const startedAt = performance.now();
  let found = await context.found();
  while (found.nested_instruction_files.length === 0 && performance.now() - startedAt < LARGE_PROJECT_LIMIT_MS) {
    ok(found.warnings[0]?.includes("still running"), found.warnings[0]);
    found = await context.found();
  }
  deepStrictEqual(found.nested_instruction_files, ["d7/e7/AGENTS.md"]);
});

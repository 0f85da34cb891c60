import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { ToolError } from "../../base/tool_error.ts";
import { Workspace } from "../workspace/workspace.ts";
import { type Guide, GuideEngine } from "./guide_engine.ts";

function guide(workspace: TempWorkspace, path: string): Guide {
  return new GuideEngine(new Workspace(workspace.root)).guideFor(path);
}

function skill(name: string, description = "does things"): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\nbody\n`;
}

const rulePaths = ({ rules }: Guide) => rules.map(({ path, scope }) => `${path} ${scope}`);
const skillPaths = ({ skills }: Guide) => skills.map(({ path }) => path);

Deno.test("rules come root first, each directory in its order, one file once", () => {
  using workspace = new TempWorkspace();
  workspace.write("AGENTS.md", "root\n");
  workspace.write(".claude/CLAUDE.md", "c");
  workspace.write("pkg/AGENTS.md", "p");
  workspace.write("pkg/AGENTS.override.md", "o");
  workspace.write("pkg/src/CLAUDE.md", "x");
  workspace.write("pkg/src/a.ts", "");
  workspace.write("other/AGENTS.md", "no");
  workspace.sh("ln -s AGENTS.md CLAUDE.md; ln pkg/AGENTS.md pkg/CLAUDE.md");
  const found = guide(workspace, "pkg/src/a.ts");
  deepStrictEqual(rulePaths(found), [
    "AGENTS.md root",
    ".claude/CLAUDE.md root",
    "pkg/AGENTS.override.md ancestor",
    "pkg/AGENTS.md ancestor",
    "pkg/src/CLAUDE.md target",
  ]);
  deepStrictEqual(found.directories, [".", "pkg", "pkg/src"]);
  deepStrictEqual([found.path, found.targetType], ["pkg/src/a.ts", "file"]);
  const [first] = found.rules;
  deepStrictEqual([first?.bytes, first?.totalLines, first?.revision], [
    5,
    1,
    createHash("sha256").update("root\n").digest("hex"),
  ]);
  deepStrictEqual(rulePaths(guide(workspace, ".")), ["AGENTS.md root", ".claude/CLAUDE.md root"]);
});

Deno.test("a target that does not exist yet is answered from its nearest existing ancestor", () => {
  using workspace = new TempWorkspace();
  workspace.write("pkg/AGENTS.md", "p");
  const found = guide(workspace, "pkg/new/dir/file.ts");
  deepStrictEqual([found.path, found.targetType, found.directories], ["pkg/new/dir/file.ts", "missing", [".", "pkg"]]);
  deepStrictEqual(rulePaths(found), ["pkg/AGENTS.md target"]);
});

Deno.test("paths that leave the workspace are refused, existing or not", () => {
  using workspace = new TempWorkspace();
  mkdirSync(join(workspace.parent, "vault"));
  workspace.sh("ln -s ../vault out; ln -s ../nowhere gone");
  for (
    const [path, code] of [["../x", "PATH_OUTSIDE_WORKSPACE"], ["/etc", "ABSOLUTE_PATH_DENIED"], [
      "out",
      "SYMLINK_ESCAPE",
    ], ["out/new", "PATH_OUTSIDE_WORKSPACE"]] as const
  ) {
    throws(() => guide(workspace, path), (fault) => fault instanceof ToolError && fault.code === code, path);
  }
});

Deno.test("odd instruction files are skipped with a reason", () => {
  using workspace = new TempWorkspace();
  writeFileSync(join(workspace.parent, "secret.md"), "OUT-RULE\n");
  workspace.sh(
    "ln -s ../secret.md AGENTS.md; mkdir p q r s; mkfifo p/AGENTS.md; ln -s AGENTS.md q/AGENTS.md; echo x > q/agents.MD; " +
      "printf 'caf\\351 RULE\\n' > r/AGENTS.md; printf '\\357\\273\\277\\r\\nBOM-RULE\\r\\n' > s/AGENTS.md; printf '@CLAUDE.md\\n' > s/CLAUDE.md",
  );
  const outside = "Skipped rule: AGENTS.md: it is a link that leaves the workspace";
  deepStrictEqual(guide(workspace, ".").warnings, [outside]);
  deepStrictEqual(guide(workspace, "p/x").warnings, [
    outside,
    "Skipped rule: p/AGENTS.md: not a regular file but a FIFO (named pipe)",
  ]);
  strictEqual(guide(workspace, "q/x").warnings.length, 2);
  deepStrictEqual(rulePaths(guide(workspace, "q/x")), []);
  deepStrictEqual(guide(workspace, "r/x").warnings, [outside, "Skipped rule: r/AGENTS.md: it is not valid UTF-8"]);
  const found = guide(workspace, "s/x");
  deepStrictEqual(rulePaths(found), ["s/AGENTS.md target", "s/CLAUDE.md target"]);
  deepStrictEqual(found.rules.map(({ imports }) => imports), [[], []]);
});

Deno.test("references are resolved from the file that makes them, inside the workspace only", () => {
  using workspace = new TempWorkspace();
  workspace.write("pkg/CLAUDE.md", "@../docs/a.md @b.md @../../up.md @/etc/hosts @~/x.md @missing.md @sub/../b.md");
  workspace.write("docs/a.md", "");
  workspace.write("pkg/b.md", "");
  writeFileSync(join(workspace.parent, "up.md"), "");
  deepStrictEqual(guide(workspace, "pkg").rules[0]?.imports, ["docs/a.md", "pkg/b.md"]);
});

Deno.test("skills come nearest first, in the order of their roots, and a nearer one shadows its namesake", () => {
  using workspace = new TempWorkspace();
  workspace.write("skills/build/SKILL.md", skill("build", "root"));
  workspace.write(".claude/skills/z/SKILL.md", skill("z"));
  workspace.write(".claude/skills/group/a/SKILL.md", skill("a"));
  workspace.write(".agents/skills/q/SKILL.md", skill("q"));
  workspace.write("pkg/skills/build/SKILL.md", skill("build", "near"));
  workspace.write("pkg/skills/not-a-skill/readme.md", "");
  const found = guide(workspace, "pkg/x.ts");
  deepStrictEqual(skillPaths(found), [
    "pkg/skills/build/SKILL.md",
    ".agents/skills/q/SKILL.md",
    ".claude/skills/group/a/SKILL.md",
    ".claude/skills/z/SKILL.md",
    "skills/build/SKILL.md",
  ]);
  deepStrictEqual(found.skills.map(({ shadowedBy }) => shadowedBy).filter((path) => path !== null), [
    "pkg/skills/build/SKILL.md",
  ]);
  deepStrictEqual(found.warnings, []);
});

Deno.test("linked skill directories count while they stay inside, each skill once", () => {
  using workspace = new TempWorkspace();
  mkdirSync(join(workspace.parent, "vault/evil"), { recursive: true });
  writeFileSync(join(workspace.parent, "vault/evil/SKILL.md"), skill("evil"));
  workspace.write("shared/one/SKILL.md", skill("one"));
  workspace.sh(
    "mkdir -p .claude/skills skills; ln -s ../../shared/one .claude/skills/one; ln -s ../shared/one skills/again; " +
      "ln -s ../../vault/evil skills/evil; ln -s ../../vault skills/vault; ln -s nowhere skills/gone; ln -s . skills/loop",
  );
  const found = guide(workspace, ".");
  deepStrictEqual(skillPaths(found), ["shared/one/SKILL.md"]);
  strictEqual(
    found.warnings.filter((line) => line.includes("leaves the workspace")).length >= 2,
    true,
    found.warnings.join("\n"),
  );
});

Deno.test("a skill without usable front matter is skipped with its reason, long metadata is cut", () => {
  using workspace = new TempWorkspace();
  workspace.write("skills/a/SKILL.md", "# no front matter");
  workspace.write("skills/b/SKILL.md", "---\nname: b\n---\n");
  workspace.write("skills/c/SKILL.md", `---\nname: c\ndescription: d\n---\n${"x".repeat(33_000)}`);
  workspace.write("skills/d/SKILL.md", `---\nname: ${"n".repeat(100)}\ndescription: >\n  ${"é".repeat(1_100)}\n---\n`);
  const found = guide(workspace, ".");
  deepStrictEqual(found.warnings, [
    "Skipped skill: skills/a/SKILL.md: it has no front matter",
    "Skipped skill: skills/b/SKILL.md: its front matter lacks name or description",
    "Skipped skill: skills/c/SKILL.md: it has 33031 bytes, more than 32768",
  ]);
  const [only] = found.skills;
  deepStrictEqual([only?.name.length, only?.description.length, only?.isMetadataCut], [64, 1_024, true]);
});

Deno.test("many skills are cut at the bounds, and the answer says so", () => {
  using workspace = new TempWorkspace();
  for (let at = 0; at < 140; at++) workspace.write(`skills/s${at}/SKILL.md`, skill(`s${at}`));
  const found = guide(workspace, ".");
  const count = found.skills.length;
  deepStrictEqual([found.skillsAreCut, found.warnings.length], [true, 1]);
  ok(count >= 100 && found.warnings[0]?.startsWith(`Only the first ${count} skills are listed`), found.warnings[0]);
  for (let at = 0; at < 140; at++) workspace.write(`skills/s${at}/SKILL.md`, skill(`s${at}`, "d".repeat(1_000)));
  const long = guide(workspace, ".");
  ok(long.skillsAreCut && JSON.stringify(long.skills).length < 49_152, String(JSON.stringify(long.skills).length));
});

Deno.test("a chain deeper than 32 directories is cut and says so", () => {
  using workspace = new TempWorkspace();
  const deep = Array.from({ length: 40 }, (_, at) => `d${at}`).join("/");
  workspace.write(`${deep}/AGENTS.md`, "x");
  const found = guide(workspace, deep);
  strictEqual(found.directories.length, 33);
  deepStrictEqual(rulePaths(found), []);
  ok(found.warnings[0]?.includes("deeper than 32"));
});

Deno.test("guidance for other agents is listed with what it applies to", () => {
  using workspace = new TempWorkspace();
  workspace.write(
    ".cursor/rules/ts.mdc",
    "---\ndescription: TypeScript rules\nglobs: src/**/*.ts\nalwaysApply: false\n---\nx",
  );
  workspace.write(".cursor/rules/readme.txt", "");
  workspace.write(".github/copilot-instructions.md", "x");
  workspace.write(".github/instructions/py.instructions.md", '---\napplyTo: "**/*.py"\n---\n');
  workspace.write("GEMINI.md", "x");
  workspace.write("CONVENTIONS.md", "x");
  deepStrictEqual(guide(workspace, ".").otherGuidance, [
    { path: "GEMINI.md", bytes: 1 },
    { path: "CONVENTIONS.md", bytes: 1 },
    { path: ".github/copilot-instructions.md", bytes: 1 },
    { path: ".cursor/rules/ts.mdc", bytes: 77, description: "TypeScript rules", appliesTo: "src/**/*.ts" },
    { path: ".github/instructions/py.instructions.md", bytes: 27, appliesTo: "**/*.py" },
  ]);
});

Deno.test("nested repositories and worktrees are ordinary directories of the chain", () => {
  using workspace = new TempWorkspace();
  workspace.sh("git init -q sub; mkdir -p wt; echo 'gitdir: ../x' > wt/.git");
  workspace.write("sub/AGENTS.md", "x");
  workspace.write("wt/AGENTS.md", "x");
  deepStrictEqual(rulePaths(guide(workspace, "sub/a")), ["sub/AGENTS.md target"]);
  deepStrictEqual(rulePaths(guide(workspace, "wt")), ["wt/AGENTS.md target"]);
});

Deno.test("at most 64 rules are listed, and the answer says so", () => {
  using workspace = new TempWorkspace();
  const chain = Array.from({ length: 20 }, (_, at) => `d${at}`);
  for (let depth = 0; depth <= chain.length; depth++) {
    const directory = chain.slice(0, depth).map((name) => `${name}/`).join("");
    for (const name of ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md"]) {
      workspace.write(directory + name, `${depth} ${name}`);
    }
  }
  const found = guide(workspace, chain.join("/"));
  deepStrictEqual([found.rules.length, found.rulesAreCut], [64, true]);
  ok(found.warnings.includes("Only the first 64 rules are listed."), found.warnings.join());
});

Deno.test("a directory of very many entries does not hide that it was not read to its end", () => {
  using workspace = new TempWorkspace();
  workspace.sh("mkdir -p skills && cd skills && seq -f 'x%05g' 4200 | xargs mkdir");
  const { skills, warnings } = guide(workspace, ".");
  deepStrictEqual(skills, []);
  deepStrictEqual(warnings, ["Only 4096 entries of skills were looked at."]);
});

Deno.test("very many skill files are looked at up to a bound, and the answer says so", () => {
  using workspace = new TempWorkspace();
  workspace.write("skills/a/SKILL.md", skill("a"));
  // The same file under other names is listed once, so that the bound on what is listed does not come first.
  workspace.sh("cd skills; for n in $(seq 1000 1520); do mkdir s$n; ln a/SKILL.md s$n/SKILL.md; done");
  const { skillsAreCut, warnings } = guide(workspace, ".");
  deepStrictEqual([skillsAreCut, warnings], [true, ["Only 512 skill files were looked at."]]);
});

Deno.test("skill directories that cannot be read are named with the reason", () => {
  using workspace = new TempWorkspace();
  workspace.sh(
    "mkdir -p skills ../outside && ln -s ../../outside skills/out && ln -s loop skills/loop && printf x > .agents",
  );
  const { skills, warnings } = guide(workspace, ".");
  deepStrictEqual(skills, []);
  ok(warnings.some((warning) => warning.startsWith("Skipped skill directory: skills/out: ")), warnings.join("\n"));
  ok(warnings.some((warning) => warning.startsWith("Skipped skill directory: skills/loop: ")), warnings.join("\n"));
});

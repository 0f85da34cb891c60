/**
 * `deno task replay [COMMITS]`: applies a generated history commit by commit through `apply_patch`.
 *
 * Each patch is made from what `git diff` prints. After each call the tree of the workspace, written by git, must be the
 * tree of the commit, byte for byte. A patch whose context is ambiguous is asked again with more context, and counted.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ViseProcess } from "../../tests/support/vise_process.ts";
import { patchFromDiff } from "./patch_from_diff.ts";

const COMMITS = Number(Deno.args[0] ?? 200);
const FILES = 40;
/** Lines of context that are tried one after the other. */
const CONTEXTS = [3, 12, 10_000];

const place = mkdtempSync(join(tmpdir(), "vise-replay-"));
const [source, target] = [join(place, "source"), join(place, "target")];
let state = 7;
try {
  makeHistory();
  Deno.exit(await replay() ? 0 : 1);
} finally {
  rmSync(place, { recursive: true, force: true });
}

async function replay(): Promise<boolean> {
  const commits = git(source, "rev-list", "--reverse", "HEAD").trim().split("\n");
  git(place, "clone", "--quiet", "--no-checkout", source, target);
  git(target, "checkout", "--quiet", "--detach", commits[0] as string);
  await using vise = new ViseProcess(target);
  const startedAt = performance.now();
  let [calls, bytes, widened] = [0, 0, 0];
  for (const [index, commit] of commits.entries()) {
    if (index === 0) continue;
    for (const context of CONTEXTS) {
      const diff = git(source, "diff", `-U${context}`, "--no-renames", `${commit}^`, commit);
      if (diff === "") break;
      const patch = patchFromDiff(diff);
      const result = await vise.call("apply_patch", { patch });
      calls++;
      bytes += patch.length;
      if (!result.isError) break;
      widened++;
      if (context === CONTEXTS.at(-1)) throw new Error(`commit ${index}: ${ViseProcess.text(result)}`);
    }
    git(target, "add", "--all");
    const [ours, theirs] = [git(target, "write-tree"), git(source, "rev-parse", `${commit}^{tree}`)];
    if (ours !== theirs) {
      console.log(`commit ${index}: the tree differs from git's`);
      return false;
    }
  }
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(
    `${commits.length - 1} commits, ${calls} calls, ${widened} of them refused for context that fits several places, ` +
      `${bytes} bytes of patches, ${seconds} s: every tree is git's`,
  );
  return true;
}

/** Files of repeated lines, so that contexts are ambiguous now and then; edits, additions, deletions. The envelope cannot say that a final newline is missing, so all have one. */
function makeHistory(): void {
  mkdirSync(source);
  git(source, "init", "--quiet", "--initial-branch=main");
  const files = new Map<string, string[]>();
  for (let i = 0; i < FILES; i++) files.set(nameOf(i), Array.from({ length: 20 + random(200) }, freshLine));
  for (let commit = 0; commit <= COMMITS; commit++) {
    for (let change = 0; commit > 0 && change < 1 + random(4); change++) changeOne(files, commit * 10 + change);
    git(source, "rm", "-r", "--quiet", "--cached", "--ignore-unmatch", ".");
    for (const name of ["a", "b"]) rmSync(join(source, name), { recursive: true, force: true });
    for (const [name, lines] of files) {
      mkdirSync(dirname(join(source, name)), { recursive: true });
      writeFileSync(join(source, name), lines.join("\n") + "\n");
    }
    git(source, "add", "--all");
    const identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
    git(source, ...identity, "commit", "--quiet", "--allow-empty", "--message", `change ${commit}`);
  }
}

function changeOne(files: Map<string, string[]>, serial: number): void {
  const names = [...files.keys()];
  const name = names[random(names.length)] as string;
  const lines = files.get(name) as string[];
  const kind = random(20);
  if (kind === 0) files.set(`b/new${serial}.txt`, Array.from({ length: 1 + random(30) }, freshLine));
  else if (kind === 1 && names.length > 10) files.delete(name);
  else {
    const at = random(lines.length);
    lines.splice(at, random(4), ...Array.from({ length: random(4) }, freshLine));
    if (lines.length === 0) lines.push(freshLine());
  }
}

function freshLine(): string {
  return random(3) === 0 ? "  }" : `  call(${random(60)}, "é${random(5)}");`;
}

function nameOf(index: number): string {
  return `${index % 2 === 0 ? "a" : "b"}/file${index}.txt`;
}

function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor(state / 2 ** 32 * below);
}

function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", ["-c", "core.autocrlf=false", ...args], { cwd, encoding: "utf8", maxBuffer: 2 ** 28 });
}

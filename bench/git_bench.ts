/**
 * `deno run -A bench/git_bench.ts [directory]`: the git tools over stdio against the bare git commands they wrap.
 *
 * Repository: 50,000 files in 500 directories, 5,000 commits of three files each; 20 files changed, 5 new. Medians of
 * alternating runs. Bar: 1.3 times the bare command, or 8 ms more, whichever is larger. The directory is kept when given.
 */

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ViseProcess } from "../tests/support/vise_process.ts";

const RUNS = 15;
const FILES = 50_000;
const COMMITS = 5_000;

const kept = Deno.args[0];
const place = kept ?? mkdtempSync(join(tmpdir(), "vise-git-bench-"));
const root = join(place, "repo");
if (!existsSync(root)) await generate(root);
const path = "d007/f00007.txt";
const ROWS: readonly { tool: string; args: Record<string, unknown>; bare: readonly (readonly string[])[] }[] = [
  { tool: "git_status", args: {}, bare: [["status", "--porcelain=v2", "--branch"]] },
  {
    tool: "git_diff",
    args: {},
    bare: [["diff"], ["ls-files", "--others", "--exclude-standard"]],
  },
  { tool: "git_diff", args: { include_untracked: false }, bare: [["diff"]] },
  { tool: "git_diff", args: { staged: true, unstaged: false }, bare: [["diff", "--cached"]] },
  { tool: "git_log", args: {}, bare: [["log", "-20"]] },
  { tool: "git_log", args: { path }, bare: [["log", "-20", "--", path]] },
  { tool: "git_show", args: {}, bare: [["show"]] },
  { tool: "git_blame", args: { path }, bare: [["blame", "-L1,200", path]] },
];

{
  await using vise = new ViseProcess(root);
  for (const { tool, args } of ROWS) await vise.value(tool, args);
  console.log("tool                                          vise     bare    ratio   more");
  for (const { tool, args, bare } of ROWS) {
    const mine: number[] = [];
    const theirs: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      mine.push(await timed(() => vise.request("tools/call", { name: tool, arguments: args })));
      theirs.push(
        await timed(async () => {
          for (const command of bare) await runGit(command);
        }),
      );
    }
    const [a, b] = [median(mine), median(theirs)];
    const name = `${tool} ${JSON.stringify(args)}`.padEnd(44);
    const verdict = a <= Math.max(b * 1.3, b + 8) ? "" : "  OVER THE BAR";
    console.log(
      `${name} ${a.toFixed(1).padStart(6)} ${b.toFixed(1).padStart(8)} ${(a / b).toFixed(2).padStart(8)} ${
        (a - b).toFixed(1).padStart(6)
      }${verdict}`,
    );
  }
}
if (kept === undefined) rmSync(place, { recursive: true, force: true });

async function generate(root: string): Promise<void> {
  mkdirSync(root, { recursive: true });
  await runGit(["init", "-q", "-b", "main"], root);
  const child = spawn("git", ["fast-import", "--quiet"], { cwd: root, stdio: ["pipe", "ignore", "inherit"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const write = async (text: string): Promise<void> => {
    if (!child.stdin.write(text)) await new Promise((resolve) => child.stdin.once("drain", resolve));
  };
  for (let commit = 0; commit < COMMITS; commit++) {
    const files = commit === 0
      ? Array.from({ length: FILES }, (_, i) => i)
      : [0, 1, 2].map((i) => (commit * 7 + i * 13) % FILES);
    await write(
      `commit refs/heads/main\ncommitter A <a@example.com> ${1_700_000_000 + commit * 60} +0000\ndata 9\nnumber ${
        commit % 10
      }\n\n`,
    );
    for (const file of files) {
      const body = Array.from(
        { length: 20 },
        (_, line) => `line ${line} of ${file}${line === 7 ? ` at ${commit}` : ""}\n`,
      ).join("");
      await write(`M 100644 inline ${nameOf(file)}\ndata ${body.length}\n${body}\n`);
    }
  }
  child.stdin.end();
  await ended;
  await runGit(["reset", "-q", "--hard"], root);
  for (let i = 0; i < 20; i++) Deno.writeTextFileSync(join(root, nameOf(i * 501)), "changed\n");
  for (let i = 0; i < 5; i++) Deno.writeTextFileSync(join(root, `new${i}.txt`), "new\n");
}

function nameOf(file: number): string {
  return `d${String(file % 500).padStart(3, "0")}/f${String(file).padStart(5, "0")}.txt`;
}

function runGit(args: readonly string[], cwd = root): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn("git", args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.resume();
    child.on("close", () => resolve());
  });
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await act();
  return performance.now() - from;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}

/** A git repository of 50,000 files in 500 directories and 5,000 commits of three files each; 20 files changed, 5 staged, 5 new. */

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../driver/command.ts";

const FILES = 50_000;
const COMMITS = 5_000;

/** A file that several commits touched. */
export const TOUCHED_FILE = nameOf(7);
/** The first of the files that differ from the index. */
export const CHANGED_FILE = nameOf(0);
/** The first of the files that are staged. */
export const STAGED_FILE = nameOf(1);
/** The first of the files that git does not know. */
export const NEW_FILE = "new0.txt";

/** Fills the directory. */
export async function makeRepository(root: string): Promise<void> {
  mkdirSync(root, { recursive: true });
  await runProgram(["git", "init", "-q", "-b", "main"], { cwd: root });
  const child = spawn("git", ["fast-import", "--quiet"], { cwd: root, stdio: ["pipe", "ignore", "inherit"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  for (let commit = 0; commit < COMMITS; commit++) {
    if (!child.stdin.write(commitText(commit))) await new Promise((go) => child.stdin.once("drain", go));
  }
  child.stdin.end();
  await ended;
  await runProgram(["git", "reset", "-q", "--hard"], { cwd: root });
  const staged = Array.from({ length: 5 }, (_, i) => nameOf(i * 501 + 1));
  for (const name of staged) writeFileSync(join(root, name), "staged\n");
  await runProgram(["git", "add", ...staged], { cwd: root });
  for (let i = 0; i < 20; i++) writeFileSync(join(root, nameOf(i * 501)), "changed\n");
  for (let i = 0; i < 5; i++) writeFileSync(join(root, `new${i}.txt`), "new\n");
}

/** One commit in the format of git-fast-import(1). */
function commitText(commit: number): string {
  const files = commit === 0
    ? Array.from({ length: FILES }, (_, i) => i)
    : [0, 1, 2].map((i) => (commit * 7 + i * 13) % FILES);
  const when = 1_700_000_000 + commit * 60;
  const changes = files.map((file) => {
    const line = (n: number) => `line ${n} of ${file}${n === 7 ? ` at ${commit}` : ""}\n`;
    const body = Array.from({ length: 20 }, (_, n) => line(n)).join("");
    return `M 100644 inline ${nameOf(file)}\ndata ${body.length}\n${body}\n`;
  });
  return `commit refs/heads/main\ncommitter A <a@example.com> ${when} +0000\ndata 9\nnumber ${commit % 10}\n\n${
    changes.join("")
  }`;
}

function nameOf(file: number): string {
  return `d${String(file % 500).padStart(3, "0")}/f${String(file).padStart(5, "0")}.txt`;
}

/** A package of the npm registry → a git repository whose tests can run. */

import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RealPackage } from "./packages.ts";

/** Tag of the commit that is the package as published. */
export const ORIGINAL = "original";

/** Makes the repository below `place`, with its test runner ignored by git. @returns its root @throws Error when npm, tar or git fails */
export function unpackPackage({ name, version, runner }: RealPackage, place: string): string {
  const download = join(place, "download");
  mkdirSync(download);
  const archive = run(download, "npm", "pack", "--silent", `${name}@${version}`).trim().split("\n").at(-1) ?? "";
  run(download, "tar", "-xzf", archive);
  const root = join(place, "package");
  renameSync(join(download, "package"), root);
  if (runner.length > 0) installRunner(runner, { place, root });
  run(root, "git", "init", "--quiet", "--initial-branch=main");
  for (const [key, value] of [["user.name", "A"], ["user.email", "a@example.com"], ["commit.gpgsign", "false"]]) {
    run(root, "git", "config", key as string, value as string);
  }
  appendFileSync(join(root, ".git/info/exclude"), "node_modules/\n");
  commitAll(root, `${name} ${version} as published`);
  run(root, "git", "tag", ORIGINAL);
  return root;
}

/** The repaired tree is the published one. @throws Error when git itself, asked beside Vise, sees another tree than the published one, or anything uncommitted */
export function confirmPublished(root: string): void {
  const left = run(root, "git", "diff", ORIGINAL, "HEAD") + run(root, "git", "status", "--porcelain");
  if (left !== "") throw new Error(`git sees a difference: ${left.slice(0, 1_000)}`);
}

/** Commits all files but those of the test runner. */
export function commitAll(root: string, message: string): void {
  run(root, "git", "add", "--all", "--force", "--", ".", ":!node_modules");
  run(root, "git", "commit", "--quiet", "--no-verify", "--message", message);
}

/** Installed elsewhere and moved, because the package's own package.json would pull in all that its authors work with. */
function installRunner(runner: readonly string[], { place, root }: { place: string; root: string }): void {
  const room = join(place, "runner");
  mkdirSync(room);
  writeFileSync(join(room, "package.json"), '{ "private": true }\n');
  run(room, "npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", ...runner);
  renameSync(join(room, "node_modules"), join(root, "node_modules"));
}

function run(cwd: string, program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

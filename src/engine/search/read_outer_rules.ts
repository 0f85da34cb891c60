/** Reads the ignore rules that lie outside the workspace: the user's, and those of a repository that holds the root. */

import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { OuterRules } from "./ignore_rules.ts";

/** Ignore files are a few KiB; what follows 1 MiB is something else. */
const LIMIT_BYTES = 1_048_576;

/**
 * Rules that hold at `root` (canonical, absolute) before its own files; `userExcludes` is the path of
 * `core.excludesFile` or null. What cannot be read counts as not there: git does the same.
 */
export function readOuterRules(root: string, userExcludes: string | null): OuterRules {
  const top = repositoryTop(root);
  return {
    userExcludes: userExcludes === null ? null : contentOf(userExcludes),
    repositoryExcludes: top === null ? null : contentOf(join(gitDirectory(top), "info/exclude")),
    above: top === null ? [] : gitignoresBetween(top, root),
  };
}

/** The directory with the `.git` that the root belongs to; null without one. */
function repositoryTop(root: string): string | null {
  for (let directory = root;; directory = dirname(directory)) {
    if (isThere(join(directory, ".git"))) return directory;
    if (directory === dirname(directory)) return null;
  }
}

/** Where the shared files of the repository are: of a worktree or submodule, `.git` is a file that names the place. */
function gitDirectory(top: string): string {
  const own = join(top, ".git");
  const named = /^gitdir: (.+)/.exec(textOf(own))?.[1];
  if (named === undefined) return own;
  const directory = resolve(top, named.trim());
  const common = textOf(join(directory, "commondir")).trim();
  return common === "" ? directory : resolve(directory, common);
}

function gitignoresBetween(top: string, root: string): OuterRules["above"] {
  const above: { gitignore: Uint8Array | null; next: string }[] = [];
  for (let directory = root; directory !== top; directory = dirname(directory)) {
    const parent = dirname(directory);
    above.unshift({ gitignore: contentOf(join(parent, ".gitignore")), next: basename(directory) });
  }
  return above;
}

function textOf(path: string): string {
  const content = contentOf(path);
  return content === null ? "" : new TextDecoder().decode(content);
}

function contentOf(path: string): Uint8Array | null {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= LIMIT_BYTES ? new Uint8Array(readFileSync(path)) : null;
  } catch {
    // Missing, or outside of what this process may read.
    return null;
  }
}

function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch {
    // Missing, or outside of what this process may read.
    return false;
  }
}

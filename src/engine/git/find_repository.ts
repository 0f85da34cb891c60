/** Finds the repository that a directory belongs to, without running git and without trusting what the workspace says about places outside it. */

import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { ToolError } from "../../base/tool_error.ts";
import { configLines, readPathFile, readSmallFile } from "./_small_file.ts";
import { ownUser } from "../../platform/own_user.ts";

/** A repository as git is told to use it: nothing is left to git's own discovery. */
export interface Repository {
  /** `GIT_DIR`: own part of a linked worktree, else the whole. */
  readonly gitDir: string;
  /** Holds configuration, branches and objects; `gitDir` except in a linked worktree. */
  readonly commonDir: string;
  /** Root of the working tree; null in a bare repository. */
  readonly top: string | null;
  /** Where git runs: `top`, or the workspace when that lies below. */
  readonly cwd: string;
  /** Path of the workspace below `top`, ending in `/`; empty when they are the same or `top` lies inside the workspace. */
  readonly above: string;
  /** Path of `top` below the workspace, ending in `/`; empty when they are the same or the workspace lies below. */
  readonly below: string;
}

/** Where a repository in the workspace may have parts of itself. */
export interface RepositoryBounds {
  /** The workspace, canonical. */
  readonly root: string;
  /** Places outside that the operator made readable (`VISE_EXEC_ALLOW_ROOTS`), canonical. */
  readonly readableRoots: readonly string[];
  /** Whether links are looked for in every directory of objects: needed where the kernel does not keep git inside. */
  readonly looksDeep: boolean;
}

/**
 * Walks up from `directory` to the repository it belongs to; null when there is none.
 *
 * `directory` lies in the workspace.
 * @throws ToolError GIT_ERROR when there is one that must not be used, with the reason.
 */
export function findRepository(bounds: RepositoryBounds, directory: string): Repository | null {
  const { root } = bounds;
  const device = statOrNull(directory)?.dev;
  for (let at = directory;; at = dirname(at)) {
    const stats = statOrNull(at);
    // Like git, the search ends at a file system border (GIT_DISCOVERY_ACROSS_FILESYSTEM).
    if (stats === null || stats.dev !== device) return null;
    const entry = lstatOrNull(join(at, ".git"));
    if (entry !== null) {
      const found = openDotGit(bounds, at, entry);
      if (found !== null) return found;
    }
    if (at === root && looksBare(at)) return openBare(bounds, at);
    if (at === dirname(at)) return null;
  }
}

function openDotGit(bounds: RepositoryBounds, top: string, entry: Stats): Repository | null {
  const { root } = bounds;
  const dotGit = join(top, ".git");
  const gitDir = entry.isDirectory() ? dotGit : followDotGit(dotGit, entry);
  if (gitDir === null || !isGitDir(gitDir)) {
    // Like git: a directory that is no repository is passed over, a pointer that leads nowhere is a fault.
    if (entry.isDirectory()) return null;
    throw new ToolError("GIT_ERROR", `Cannot use this repository: ${dotGit} leads to no git directory`, {
      details: {
        reason: "broken_git_file",
        target: gitDir ?? "",
        retry_hint: "A moved main repository is found again after `git worktree repair`.",
      },
    });
  }
  const commonDir = commonDirOf(gitDir);
  if (contains(root, top)) {
    refuseForeignGitDir(bounds, { top, dotGit, gitDir, commonDir });
  } else {
    refuseForeignOwner(top, gitDir);
  }
  return placed(root, { gitDir, commonDir, top });
}

/** The workspace itself is a git directory. Security: what it consists of lies in it, as for every other. */
function openBare(bounds: RepositoryBounds, gitDir: string): Repository {
  const commonDir = commonDirOf(gitDir);
  if (!isWithin(bounds, commonDir)) {
    throw outside(join(gitDir, "commondir"), commonDir, "a place outside the workspace");
  }
  for (const base of new Set([gitDir, commonDir])) refuseLinksOutside(bounds, base);
  return placed(bounds.root, { gitDir, commonDir, top: null });
}

function commonDirOf(gitDir: string): string {
  const pointed = pathsIn(join(gitDir, "commondir"));
  // As git trims it: a space at the end belongs to the name.
  return pointed === undefined ? gitDir : realOrSelf(resolve(gitDir, pointed.replace(/[\r\n]+$/, "")));
}

/** Text of a file of paths; undefined when there is none. @throws ToolError GIT_ERROR when it is not plain text */
function pathsIn(file: string): string | undefined {
  const text = readPathFile(file);
  if (text === null) throw outside(file, "a place that cannot be told", "since it is not plain UTF-8 text of paths");
  return text;
}

/** Target of a `.git` file (gitrepository-layout(5): `gitdir: <path>`) or link. */
function followDotGit(dotGit: string, entry: Stats): string | null {
  if (entry.isSymbolicLink()) {
    const real = realOrSelf(dotGit);
    const target = statOrNull(real);
    if (target?.isDirectory()) return real;
    if (!target?.isFile()) return null;
  } else if (!entry.isFile()) {
    return null;
  }
  const pointed = /^gitdir: ([^\0\n]+)\n*$/.exec(readSmallFile(dotGit) ?? "")?.[1];
  return pointed === undefined ? null : realOrSelf(resolve(dirname(realOrSelf(dotGit)), pointed));
}

interface Found {
  readonly top: string;
  readonly dotGit: string;
  readonly gitDir: string;
  readonly commonDir: string;
}

/**
 * Security: whoever can write in the workspace could let a `.git` file, `commondir`, link or alternates file name a
 * private repository elsewhere and read it through us. A place outside counts only if it names this working tree itself.
 */
function refuseForeignGitDir(bounds: RepositoryBounds, found: Found): void {
  const { gitDir, commonDir } = found;
  if (!isWithin(bounds, gitDir) && !isAttested(found)) {
    throw outside(found.dotGit, gitDir, "and that place does not name this working tree");
  }
  if (commonDir !== gitDir && !isWithin(bounds, commonDir) && !contains(join(commonDir, "worktrees"), gitDir)) {
    throw outside(join(gitDir, "commondir"), commonDir, "which does not hold this worktree");
  }
  // Security: also where a place outside names this working tree, since a command may have made it in its own directory.
  const own = { ...bounds, readableRoots: [...bounds.readableRoots, gitDir, commonDir] };
  for (const base of new Set([gitDir, commonDir])) refuseLinksOutside(own, base);
}

/** True when the outside directory says itself that it serves this working tree (linked worktree, submodule). */
function isAttested({ top, dotGit, gitDir }: Found): boolean {
  const backlink = readSmallFile(join(gitDir, "gitdir"))?.trim();
  if (backlink !== undefined && realOrSelf(resolve(gitDir, backlink)) === realOrSelf(dotGit)) return true;
  const worktree = configLines(readSmallFile(join(gitDir, "config")) ?? "", "worktree")[0];
  return worktree !== undefined && realOrSelf(resolve(gitDir, worktree)) === realOrSelf(top);
}

/** Entries of a git directory that git follows when they are links. */
const FOLLOWED = [
  "HEAD",
  "index",
  "packed-refs",
  "refs",
  "objects",
  "info",
  "logs",
  "config",
  "config.worktree",
  "shallow",
];

function refuseLinksOutside(bounds: RepositoryBounds, base: string): void {
  const links = FOLLOWED.map((name) => join(base, name)).filter((path) => lstatOrNull(path)?.isSymbolicLink());
  const loose = bounds.looksDeep ? looseObjectDirectories(join(base, "objects")) : [];
  for (const directory of ["objects", "objects/pack", "objects/info", ...loose]) {
    links.push(...linksIn(join(base, directory)));
  }
  for (const link of links) {
    const real = realOrSelf(link);
    if (!isWithin(bounds, real)) throw outside(link, real, "a place outside the workspace");
  }
  refuseAlternatesOutside(bounds, join(base, "objects"));
}

/** Alternates followed; git follows five levels of them (gitrepository-layout(5)), a hostile repository could name millions. */
const MAX_ALTERNATES = 100;

function refuseAlternatesOutside(bounds: RepositoryBounds, objects: string): void {
  const seen = new Set([objects]);
  for (const directory of seen) {
    const file = join(directory, "info", "alternates");
    for (const line of (pathsIn(file) ?? "").split("\n")) {
      if (line === "" || line.startsWith("#")) continue;
      // Security: git would take the marks and escapes off; whoever writes them can write the path without.
      if (line.startsWith('"')) throw outside(file, line.slice(0, 200), "a path in quotation marks");
      const alternate = realOrSelf(resolve(directory, line));
      if (!isWithin(bounds, alternate)) throw outside(file, alternate, "a place outside the workspace");
      seen.add(alternate);
      if (seen.size > MAX_ALTERNATES) throw outside(file, "too many places", `more than ${MAX_ALTERNATES}`);
    }
  }
}

/** `objects/00` to `objects/ff`, as far as they exist (gitrepository-layout(5)). */
function looseObjectDirectories(objects: string): string[] {
  try {
    return readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name)).map((name) => `objects/${name}`);
  } catch {
    // As below.
    return [];
  }
}

function linksIn(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isSymbolicLink()).map((entry) => join(directory, entry.name));
  } catch {
    // Missing directories are git's business; here only links count.
    return [];
  }
}

/** Security: a directory above the workspace may belong to another user of the machine, as in a shared temp directory. */
function refuseForeignOwner(top: string, gitDir: string): void {
  const owner = statOrNull(gitDir)?.uid ?? 0;
  const self = ownUser()?.uid ?? owner;
  if (owner === self || owner === 0) return;
  throw new ToolError(
    "GIT_ERROR",
    `Cannot use the repository ${top}: it lies above the workspace and is owned by another user`,
    {
      details: {
        reason: "foreign_owner",
        owner_uid: owner,
        retry_hint: "Start the server with that directory as its workspace, or make its .git directory yours.",
      },
    },
  );
}

function outside(from: string, to: string, because: string): ToolError {
  return new ToolError("GIT_ERROR", `Cannot use this repository: ${from} leads to ${to}, ${because}`, {
    details: {
      reason: "git_dir_outside_workspace",
      retry_hint:
        "Start the server with a workspace that contains the whole repository, or name that place in VISE_EXEC_ALLOW_ROOTS.",
    },
  });
}

function placed(root: string, found: Pick<Repository, "gitDir" | "commonDir" | "top">): Repository {
  const { top } = found;
  if (top === null) return { ...found, cwd: root, above: "", below: "" };
  const inside = contains(root, top);
  return {
    ...found,
    cwd: inside ? top : root,
    above: inside ? "" : relative(top, root) + "/",
    below: top === root || !inside ? "" : relative(root, top) + "/",
  };
}

function isGitDir(path: string): boolean {
  return lstatOrNull(join(path, "HEAD")) !== null &&
    (statOrNull(join(path, "commondir")) !== null ||
      (statOrNull(join(path, "objects"))?.isDirectory() === true &&
        statOrNull(join(path, "refs"))?.isDirectory() === true));
}

function looksBare(path: string): boolean {
  return basename(path) !== ".git" && lstatOrNull(join(path, "HEAD")) !== null && isGitDir(path);
}

function isWithin({ root, readableRoots }: RepositoryBounds, path: string): boolean {
  return contains(root, path) || readableRoots.some((place) => contains(place, path));
}

/** True when `path` is `parent` or lies below it; both canonical. */
function contains(parent: string, path: string): boolean {
  return path === parent || path.startsWith(parent === "/" ? parent : parent + "/");
}

function realOrSelf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // A dangling link: its nearest existing ancestor decides where it leads.
    const parent = dirname(path);
    return parent === path ? path : join(realOrSelf(parent), basename(path));
  }
}

function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    // Missing, or behind something that is no directory: either way nothing to follow.
    return null;
  }
}

function lstatOrNull(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    // As above.
    return null;
  }
}

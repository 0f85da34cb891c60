/** Looks into submodules for `status`, each opened as carefully as the repository itself. */

import { lstatSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { splitPathFields } from "./_bytes.ts";
import { configLines, readSmallFile } from "./_small_file.ts";
import type { Git, OpenRepository } from "./git.ts";
import { fromTop, toPathspec } from "./git_path.ts";
import { readStatus, type StatusEntry, type StatusRequest, type WorkingTreeStatus } from "./status.ts";

/** Submodules looked into; each costs one start of git. */
const MAX_SUBMODULES = 64;
/** Declarations read, and UTF-16 units of a path: a hostile `.gitmodules` must not outgrow a command line. */
const MAX_DECLARED = 1_000;
const MAX_PATH_UNITS = 1_000;

/** Adds to `status` what is modified or untracked inside submodules; their commits are already compared. */
export async function addSubmodules(
  git: Git,
  repository: OpenRepository,
  { status, request }: { status: WorkingTreeStatus; request: StatusRequest },
): Promise<WorkingTreeStatus> {
  const declared = declaredPaths(repository, request.path);
  if (declared.length === 0) return status;
  const looked = await onlyGitlinks(git, repository, { paths: declared, signal: request.signal });
  const states = await Promise.all(
    looked.slice(0, MAX_SUBMODULES).map((path) => lookInto(git, repository, { path, signal: request.signal })),
  );
  const entries = [...status.entries];
  for (const state of states) if (state !== null) merge(entries, state);
  const warnings = looked.length > MAX_SUBMODULES
    ? [...status.warnings, `${looked.length - MAX_SUBMODULES} submodules were compared by commit only`]
    : status.warnings;
  return { ...status, entries, warnings };
}

interface Inside {
  /** Workspace-relative. */
  readonly path: string;
  readonly modified: boolean;
  readonly untracked: boolean;
}

/** Paths relative to the top that `.gitmodules` names (gitmodules(5)) and that lie below `within`. */
function declaredPaths(repository: OpenRepository, within: string): string[] {
  if (repository.top === null) return [];
  const text = readSmallFile(join(repository.top, ".gitmodules"));
  if (text === undefined) return [];
  const paths = configLines(text, "path").filter((path) => path !== "");
  return [...new Set(paths)].slice(0, MAX_DECLARED).filter((path) => {
    if (path.length > MAX_PATH_UNITS) return false;
    const shown = path.split("/").includes("..") ? null : fromTop(repository, path);
    return shown !== null && (within === "." || shown === within || shown.startsWith(within + "/"));
  });
}

async function onlyGitlinks(
  git: Git,
  repository: OpenRepository,
  { paths, signal }: { paths: readonly string[]; signal: AbortSignal },
): Promise<string[]> {
  const specs = paths.map((path) => toPathspec(repository, fromTop(repository, path) as string) ?? ".");
  const output = await git.read(repository, ["ls-files", "-z", "--stage", "--full-name", "--", ...specs], { signal });
  return splitPathFields(output).filter((line) => line.startsWith("160000 ")).map((line) =>
    line.slice(line.indexOf("\t") + 1)
  );
}

async function lookInto(
  git: Git,
  repository: OpenRepository,
  { path, signal }: { path: string; signal: AbortSignal },
): Promise<Inside | null> {
  const absolute = join(repository.top as string, path);
  const shown = fromTop(repository, path) as string;
  // Security: a link in place of the submodule would have its target read.
  if (!isRealDirectory(absolute) || !isThere(join(absolute, ".git"))) return null;
  const inner = await git.open(absolute, signal);
  if (inner === null || inner.top !== absolute || inner.bare) return null;
  const status = await readStatus(git, inner, { path: shown, includeUntracked: true, signal });
  const untracked = status.entries.some((entry) => entry.worktreeStatus === "?" || entry.submodule?.untracked === true);
  const modified = status.entries.some((entry) => entry.worktreeStatus !== "?");
  return modified || untracked ? { path: shown, modified, untracked } : null;
}

function merge(entries: StatusEntry[], { path, modified, untracked }: Inside): void {
  const at = entries.findIndex((entry) => entry.path === path);
  const known = entries[at];
  const submodule = { commitChanged: known?.submodule?.commitChanged ?? false, modified, untracked };
  const worktreeStatus = known === undefined || known.worktreeStatus === " " ? "M" : known.worktreeStatus;
  const entry: StatusEntry = { ...(known ?? { path, indexStatus: " " }), worktreeStatus, submodule };
  if (known !== undefined) {
    entries[at] = entry;
    return;
  }
  const before = entries.findIndex((other) => other.worktreeStatus === "?" || other.path > path);
  entries.splice(before < 0 ? entries.length : before, 0, entry);
}

function isRealDirectory(path: string): boolean {
  try {
    return lstatSync(path).isDirectory() && realpathSync(path) === path;
  } catch {
    // Not checked out.
    return false;
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** State of a working tree: branch, operation in progress, changed and untracked entries (git-status(1), porcelain version 2). */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { splitPathFields } from "./_bytes.ts";
import { type Suspect, unchangedLargeFiles } from "./_large_files.ts";
import { addSubmodules } from "./_submodules.ts";
import { type Git, gitFailed, type OpenRepository } from "./git.ts";
import { fromTop, pathspecArguments } from "./git_path.ts";

/** One porcelain letter each; space: unmodified, `?`: untracked. */
export interface StatusEntry {
  /** Workspace-relative; an untracked directory or nested repository ends in `/`. */
  readonly path: string;
  readonly originalPath?: string;
  readonly indexStatus: string;
  readonly worktreeStatus: string;
  /** What differs in a submodule. */
  readonly submodule?: SubmoduleFlags;
}

/** The letters C, M and U of porcelain version 2. */
export interface SubmoduleFlags {
  readonly commitChanged: boolean;
  readonly modified: boolean;
  readonly untracked: boolean;
}

/** What `git status` knows, without the index being refreshed. */
export interface WorkingTreeStatus {
  /** Empty when detached. */
  readonly branch: string;
  /** Full object name; empty when unborn. */
  readonly head: string;
  /** Short name of the tracked branch; empty without one. */
  readonly upstream: string;
  /** Commits that the upstream does not have. */
  readonly ahead: number;
  /** Commits that only the upstream has. */
  readonly behind: number;
  readonly detached: boolean;
  readonly unborn: boolean;
  readonly bare: boolean;
  /** Such as `merge` or `rebase`; empty when nothing is. */
  readonly inProgress: string;
  readonly entries: readonly StatusEntry[];
  readonly warnings: readonly string[];
}

/** The part of the tree that is asked for. */
export interface StatusRequest {
  /** Workspace-relative subtree. */
  readonly path: string;
  readonly includeUntracked: boolean;
  readonly signal: AbortSignal;
}

/** Reads the whole state; entries in git's order. @throws ToolError GIT_ERROR */
export async function readStatus(
  git: Git,
  repository: OpenRepository,
  request: StatusRequest,
): Promise<WorkingTreeStatus> {
  if (repository.bare) return await readBareStatus(git, repository, request.signal);
  const args = [
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--ahead-behind",
    "--find-renames",
    // Security: with more, git would start itself inside each submodule, under a configuration nobody looked at.
    "--ignore-submodules=dirty",
    `--untracked-files=${request.includeUntracked ? "normal" : "no"}`,
    ...pathspecArguments(repository, [request.path]),
  ];
  const output = await git.read(repository, args, request);
  const fields = splitPathFields(output);
  const { suspects, ...parsed } = parseStatus(repository, fields);
  const unchanged = await unchangedLargeFiles(git, repository, { suspects, signal: request.signal });
  const entries = unchanged.size === 0 ? parsed.entries : parsed.entries.flatMap((entry) => {
    if (!unchanged.has(entry)) return [entry];
    return entry.indexStatus === " " ? [] : [{ ...entry, worktreeStatus: " " }];
  });
  return await addSubmodules(git, repository, { status: { ...parsed, entries }, request });
}

/** Builds the value from the fields of `status --porcelain=v2 -z --branch`. */
function parseStatus(
  repository: OpenRepository,
  fields: readonly string[],
): WorkingTreeStatus & { readonly suspects: readonly Suspect[] } {
  const header = new Map<string, string>();
  const entries: StatusEntry[] = [];
  const suspects: Suspect[] = [];
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] as string;
    if (field.startsWith("# ")) {
      const end = field.indexOf(" ", 2);
      header.set(field.slice(2, end), field.slice(end + 1));
      continue;
    }
    const original = field.startsWith("2 ") ? fields[++at] as string : undefined;
    const entry = parseEntry(repository, field, original);
    if (entry === null) continue;
    entries.push(entry);
    if (entry.worktreeStatus === "M" && field.startsWith("1 ") && entry.submodule === undefined) {
      suspects.push({ entry, pathFromTop: pathOf(field), indexName: field.split(" ", 8)[7] as string });
    }
  }
  const oid = header.get("branch.oid") ?? "";
  const head = header.get("branch.head") ?? "";
  const [ahead = 0, behind = 0] = (header.get("branch.ab") ?? "").split(" ").map((count) => Math.abs(Number(count)));
  return {
    branch: head === "(detached)" ? "" : head,
    head: oid === "(initial)" ? "" : oid,
    upstream: header.get("branch.upstream") ?? "",
    ahead,
    behind,
    detached: head === "(detached)",
    unborn: oid === "(initial)",
    bare: false,
    inProgress: operationInProgress(repository),
    entries,
    suspects,
    warnings: filterWarnings(repository),
  };
}

/** Number of space-separated fields before the path, by record type (git-status(1)). */
const FIELDS_BEFORE_PATH: Readonly<Record<string, number>> = { "1": 8, "2": 9, "u": 10 };

function parseEntry(repository: OpenRepository, field: string, original: string | undefined): StatusEntry | null {
  const type = field[0] as string;
  if (type === "?") {
    const path = fromTop(repository, field.slice(2));
    return path === null ? null : { path, indexStatus: "?", worktreeStatus: "?" };
  }
  if (FIELDS_BEFORE_PATH[type] === undefined) return null;
  const path = fromTop(repository, pathOf(field));
  if (path === null) return null;
  const from = original === undefined ? null : fromTop(repository, original);
  const submodule = field.slice(5, 9);
  return {
    path,
    ...(from === null ? {} : { originalPath: from }),
    indexStatus: letter(field[2]),
    worktreeStatus: letter(field[3]),
    ...(submodule.startsWith("S")
      ? {
        submodule: {
          commitChanged: submodule[1] === "C",
          modified: submodule[2] === "M",
          untracked: submodule[3] === "U",
        },
      }
      : {}),
  };
}

/** Path of a changed entry: what stands behind its fields. */
function pathOf(field: string): string {
  let start = 0;
  for (let skip = FIELDS_BEFORE_PATH[field[0] as string] ?? 0; skip > 0; skip--) start = field.indexOf(" ", start) + 1;
  return field.slice(start);
}

function letter(unit: string | undefined): string {
  return unit === undefined || unit === "." ? " " : unit;
}

async function readBareStatus(git: Git, repository: OpenRepository, signal: AbortSignal): Promise<WorkingTreeStatus> {
  let printed = "";
  const decoder = new TextDecoder();
  const symbolic = await git.start(repository, ["symbolic-ref", "--short", "-q", "HEAD"], {
    signal,
    onOutput: (chunk) => (printed += decoder.decode(chunk)).length < 4096,
  });
  const branch = symbolic.exitCode === 0 ? printed.trim() : "";
  printed = "";
  const verified = await git.start(repository, ["rev-parse", "-q", "--verify", "HEAD"], {
    signal,
    onOutput: (chunk) => (printed += decoder.decode(chunk)).length < 4096,
  });
  if (verified.exitCode !== 0 && verified.stderr !== "") throw gitFailed("rev-parse", verified);
  const head = verified.exitCode === 0 ? printed.trim() : "";
  return {
    branch,
    head,
    upstream: "",
    ahead: 0,
    behind: 0,
    detached: branch === "",
    unborn: head === "",
    bare: true,
    inProgress: "",
    entries: [],
    warnings: ["bare repository: it has no working tree"],
  };
}

/** Files that git keeps while an operation waits to be continued (gitrepository-layout(5), git-rebase(1), git-am(1)). */
const OPERATIONS: readonly (readonly [string, string])[] = [
  ["rebase-merge", "rebase"],
  ["rebase-apply/applying", "am"],
  ["rebase-apply", "rebase"],
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["sequencer/todo", "sequence"],
  ["BISECT_LOG", "bisect"],
];

/** Name of the operation that waits to be continued, several joined by a comma; empty when none does. */
function operationInProgress(repository: OpenRepository): string {
  const found = OPERATIONS.filter(([file]) => existsSync(join(repository.gitDir, file))).map(([, name]) => name);
  const named = found.filter((name, at) => found.indexOf(name) === at);
  const specific = named.length > 1 ? named.filter((name) => name !== "sequence") : named;
  return (specific.includes("am") ? specific.filter((name) => name !== "rebase") : specific).join(",");
}

/** Says that content filters (git-lfs for one) were not run, which may show their files as modified. */
export function filterWarnings(repository: OpenRepository): string[] {
  if (repository.filters.length === 0) return [];
  const names = repository.filters.slice(0, 5).join(", ");
  return [`content filters are not run (${names}): files they apply to are compared as they are on disk`];
}

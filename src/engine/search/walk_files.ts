/** The one walk over a tree: entries in path order, with what git ignores, hidden names and excluded names left out. */

import { pathIn } from "../../base/tree_path.ts";
import { SystemError } from "../../platform/errno.ts";
import type { EntryKind } from "../../platform/file_facts.ts";
import type { DirectoryHandle, Tree } from "../../platform/tree.ts";
import { DEFAULT_EXCLUDED_NAMES, isHiddenName } from "./default_excludes.ts";
import type { GlobPosition } from "./glob_filter.ts";
import { IgnoreRules, NO_OUTER_RULES, type OuterRules } from "./ignore_rules.ts";

/** What one walk shows. */
export interface WalkRequest {
  /** Directory to walk, workspace-relative, free of symlinks. */
  readonly base: string;
  readonly includeHidden: boolean;
  readonly includeIgnored: boolean;
  readonly globs: GlobPosition;
  readonly outer?: OuterRules;
  /** Counts are added to it while the walk runs. */
  readonly counts: WalkCounts;
}

/** Entries left out where the walk met them; what lies below a directory that was left out is not counted. */
export interface WalkCounts {
  /** Names that begin with a dot. */
  hidden: number;
  /** Entries that git ignores, and excluded names. */
  ignored: number;
  /** Directories that could not be opened. */
  unreadable: number;
}

/** A file, symlink or special file that the globs match. */
export interface WalkedEntry {
  /** Directory that holds it, workspace-relative. */
  readonly directory: string;
  readonly name: string;
  readonly kind: EntryKind;
  readonly isIgnored: boolean;
}

/**
 * Walks depth first; in each directory entries come in order of their names, compared by code unit.
 *
 * `null` is yielded after every directory, so that a caller can stop or pause a walk that finds nothing. A directory
 * that vanished or may not be read is counted and passed over. `.git` is never entered and symlinks are never followed.
 *
 * @throws SystemError when `base` itself cannot be opened
 */
export function* walkFiles(tree: Tree, request: WalkRequest): Generator<WalkedEntry | null> {
  const { base, includeIgnored, counts } = request;
  const isBaseIgnored = isPathIgnored(tree, base, request.outer ?? NO_OUTER_RULES);
  const rules = isBaseIgnored ? IgnoreRules.inside(tree, base) : IgnoreRules.at(tree, base, request.outer);
  const stack: Frame[] = [
    { ...readEntries(tree, base), path: base, rules, globs: request.globs, isIgnored: isBaseIgnored, next: 0 },
  ];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const entry = frame.entries[frame.next++];
    if (entry === undefined) {
      stack.pop();
      yield null;
      continue;
    }
    const { name, kind } = entry;
    const isDirectory = kind === "directory";
    if (name === ".git") continue;
    if (!request.includeHidden && isHiddenName(name)) {
      counts.hidden++;
      continue;
    }
    const isIgnored = DEFAULT_EXCLUDED_NAMES.has(name) || frame.rules.isIgnored(name, kind);
    if (isIgnored && !includeIgnored) {
      counts.ignored++;
      continue;
    }
    if (!isDirectory) {
      if (frame.globs.matchesFile(name)) {
        yield { directory: frame.path, name, kind, isIgnored: isIgnored || frame.isIgnored };
      }
      continue;
    }
    const globs = frame.globs.enter(name);
    if (globs === null) continue;
    const child = enterDirectory(tree, frame, name);
    if (child === null) counts.unreadable++;
    else stack.push({ ...child, globs, isIgnored: isIgnored || frame.isIgnored, next: 0 });
  }
}

/**
 * True when `path` is ignored itself, lies below something ignored, or is a directory whose every content is (`out/*`):
 * somebody who names it wants to see it (O-45).
 */
export function isPathIgnored(tree: Tree, path: string, outer: OuterRules): boolean {
  let rules = IgnoreRules.atRoot(tree, outer);
  let parent = ".";
  for (const name of path.split("/").filter((part) => part !== "" && part !== ".")) {
    if (DEFAULT_EXCLUDED_NAMES.has(name) || rules.isIgnored(name, "directory")) return true;
    parent = pathIn(parent, name);
    rules = rules.enter(tree, parent);
  }
  return parent !== "." && rules.isIgnored(PROBE_NAME, "file") && rules.isIgnored(PROBE_NAME, "directory");
}

/** A name that only a rule for everything matches. */
const PROBE_NAME = "\u0001";

interface Listed {
  readonly entries: readonly SortedEntry[];
}

interface Frame extends Listed {
  readonly path: string;
  readonly rules: IgnoreRules;
  readonly globs: GlobPosition;
  readonly isIgnored: boolean;
  next: number;
}

interface SortedEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

function enterDirectory(tree: Tree, frame: Frame, name: string): Pick<Frame, "entries" | "path" | "rules"> | null {
  const path = pathIn(frame.path, name);
  try {
    const { entries } = readEntries(tree, path);
    const files = { hasGitignore: false, hasGit: false };
    for (const entry of entries) {
      if (entry.name === ".gitignore") files.hasGitignore = true;
      else if (entry.name === ".git") files.hasGit = true;
    }
    return { entries, path, rules: frame.rules.enter(tree, path, files) };
  } catch (fault) {
    if (fault instanceof SystemError) return null;
    throw fault;
  }
}

function readEntries(tree: Tree, path: string): Listed {
  using directory = tree.openDirectory(path);
  const entries: SortedEntry[] = [];
  for (const batch of directory.batches()) {
    for (const entry of batch) {
      const kind = entry.kind ?? kindByFacts(directory, entry.name);
      // The listing's own object as a rule: a directory may have a million of them.
      if (kind !== null) entries.push(entry.kind === kind ? entry as SortedEntry : { name: entry.name, kind });
    }
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { entries };
}

function kindByFacts(directory: DirectoryHandle, name: string): EntryKind | null {
  try {
    return directory.factsOf(name)?.kind ?? null;
  } catch (fault) {
    if (fault instanceof SystemError) return null;
    throw fault;
  }
}

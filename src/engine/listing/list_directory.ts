/**
 * Lists a directory, breadth first, in an order that two calls share.
 *
 * Order: by `name`, all entries when they fit one page, else those of each directory by name, shallow directories first;
 * by `type` and `modified`, all entries of the walk.
 */

import { compareText } from "../../base/compare_text.ts";
import { FirstInOrder } from "../../base/first_in_order.ts";
import { SystemError } from "../../platform/errno.ts";
import type { EntryKind } from "../../platform/file_facts.ts";
import type { OuterRules } from "../search/ignore_rules.ts";
import { asPathError } from "../workspace/path_errors.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { type DescribedEntry, describeEntries } from "./_describe_entries.ts";
import { byName, DirectoryWalk, type FoundEntry } from "./_directory_walk.ts";

/** `type`: by the name of the type, then by name; `modified`: oldest first. */
export type ListOrder = "name" | "type" | "modified";

/** One page of one directory. */
export interface ListRequest {
  /** Levels of entries below the directory; at least 1. */
  readonly maxDepth: number;
  readonly maxEntries: number;
  /** Entries passed by before the first one shown. */
  readonly offset: number;
  readonly includeHidden: boolean;
  readonly includeIgnored: boolean;
  readonly sort: ListOrder;
  readonly outer: OuterRules;
  readonly signal: AbortSignal;
}

/** The page, and how much there is beside it. */
export interface Listing {
  /** Workspace-relative, links resolved. */
  readonly path: string;
  readonly entries: readonly DescribedEntry[];
  /** Entries lie behind the last one shown. */
  readonly isTruncated: boolean;
  /** Entries that exist; at least that many when `isTotalExact` is false. */
  readonly total: number;
  readonly isTotalExact: boolean;
  /** Entries left out where the walk met them. */
  readonly hidden: number;
  readonly ignored: number;
  /** Directories that could not be read. */
  readonly unreadable: number;
}

/**
 * Lists the directory at `spelled`; resolves it again when it was moved meanwhile.
 *
 * @throws ToolError with the path codes
 */
export async function listDirectory(workspace: Workspace, spelled: string, request: ListRequest): Promise<Listing> {
  for (let attempt = 1;; attempt++) {
    const opened = workspace.openDirectory(spelled, { emptyIsRoot: true });
    opened.handle.close();
    try {
      return await listResolved(workspace, opened.path, request);
    } catch (fault) {
      // The directory was moved or swapped since it was resolved: where is it, if anywhere, now?
      const isSwapped = fault instanceof SystemError && SWAP_ERRNOS.has(fault.errno);
      if (!isSwapped || attempt === SWAP_ATTEMPTS) throw asPathError(fault, spelled);
    }
  }
}

const SWAP_ERRNOS: ReadonlySet<string> = new Set(["ELOOP", "ENOENT", "ENOTDIR"]);
/** Resolutions of a path that keeps being swapped; a tree that moves that fast is not to be listed. */
const SWAP_ATTEMPTS = 20;

async function listResolved(workspace: Workspace, path: string, request: ListRequest): Promise<Listing> {
  const walk = new DirectoryWalk(workspace.tree, { base: path, ...request });
  const { found, total, isTotalExact } = await gather(walk, request);
  const page = found.slice(request.offset, request.offset + request.maxEntries);
  return {
    path,
    entries: await describeEntries(workspace.tree, page, request),
    isTruncated: total > request.offset + page.length,
    total,
    isTotalExact,
    hidden: walk.hidden,
    ignored: walk.ignored,
    unreadable: walk.unreadable,
  };
}

/** Entries looked at in one call; a walk that goes on behind that is cut, and the total is a lower bound. */
const MAX_VISITED = 2_000_000;

interface Gathered {
  readonly found: readonly FoundEntry[];
  readonly total: number;
  readonly isTotalExact: boolean;
}

async function gather(walk: DirectoryWalk, request: ListRequest): Promise<Gathered> {
  return request.sort === "name"
    ? await gatherInWalkOrder(walk, request)
    : await gatherSorted(walk, request.sort, request);
}

async function gatherInWalkOrder(walk: DirectoryWalk, request: ListRequest): Promise<Gathered> {
  const wanted = request.offset + request.maxEntries;
  const found: FoundEntry[] = [];
  let total = 0;
  while (!walk.isDone && total <= wanted) {
    // A directory keeps no more entries than can still be shown.
    const keep = wanted - found.length;
    const entries = new FirstInOrder<FoundEntry>(keep, byName);
    await walk.visitNext({ keepDirectories: keep, found: (entry) => entries.add(entry) });
    for (const entry of entries.finish()) found.push(entry);
    total += entries.seen;
  }
  // What fits one page is sorted as a whole; that does not depend on the offset, so continuations agree with it.
  if (walk.isDone && total <= request.maxEntries) found.sort((a, b) => byName(a, b) || compareText(a.path, b.path));
  return { found, total, isTotalExact: walk.isDone };
}

async function gatherSorted(
  walk: DirectoryWalk,
  sort: "type" | "modified",
  request: ListRequest,
): Promise<Gathered> {
  const entries = new FirstInOrder<FoundEntry>(request.offset + request.maxEntries, orderOf(sort));
  while (!walk.isDone && entries.seen <= MAX_VISITED) {
    await walk.visitNext({ keepDirectories: Infinity, found: (entry) => entries.add(entry) });
  }
  return { found: entries.finish(), total: entries.seen, isTotalExact: walk.isDone };
}

function orderOf(sort: "type" | "modified"): (a: FoundEntry, b: FoundEntry) => number {
  const first = sort === "type"
    ? (a: FoundEntry, b: FoundEntry) => compareText(typeOf(a.kind), typeOf(b.kind))
    : (a: FoundEntry, b: FoundEntry) => compareBigInt(a.modifiedNs, b.modifiedNs);
  return (a, b) => first(a, b) || compareText(a.name, b.name) || compareText(a.path, b.path);
}

/** The type that listings report. */
export function typeOf(kind: EntryKind): "file" | "directory" | "symlink" | "other" {
  return kind === "file" || kind === "directory" || kind === "symlink" ? kind : "other";
}

function compareBigInt(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

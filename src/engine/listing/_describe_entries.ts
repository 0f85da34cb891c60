/** Adds to the entries of a page what only the file system knows. */

import { isEscapedPath } from "../../base/path_text.ts";
import { Pacer } from "../../base/pacer.ts";
import { SystemError } from "../../platform/errno.ts";
import type { EntryKind, FileFacts } from "../../platform/file_facts.ts";
import type { DirectoryHandle, Tree } from "../../platform/tree.ts";
import type { FoundEntry } from "./_directory_walk.ts";

/** One entry as the listing shows it; a link is described itself. */
export interface DescribedEntry {
  readonly name: string;
  /** Workspace-relative. */
  readonly path: string;
  readonly kind: EntryKind;
  readonly sizeBytes: number;
  /** Milliseconds since 1970. */
  readonly modifiedMs: number;
  readonly isHidden: boolean;
  readonly isIgnored: boolean;
  /** Target text of a link. */
  readonly linkTarget: string | null;
  /**
   * `text` for an ordinary name; `escaped` for one that is not UTF-8, which every tool takes in this form; `lost` for
   * one that this system's calls cannot name.
   */
  readonly nameForm: "text" | "escaped" | "lost";
}

/** Describes entries in their order; one that vanished since it was found is dropped. */
export async function describeEntries(
  tree: Tree,
  entries: readonly FoundEntry[],
  { signal }: { signal: AbortSignal },
): Promise<DescribedEntry[]> {
  const pacer = new Pacer();
  const described: DescribedEntry[] = [];
  let directory: DirectoryHandle | null = null;
  let opened: string | null = null;
  try {
    for (const entry of entries) {
      if (entry.directory !== opened) {
        directory?.close();
        directory = openOrNull(tree, entry.directory);
        opened = entry.directory;
      }
      const one = directory === null ? null : describe(directory, entry);
      if (one !== null) described.push(one);
      if (pacer.isDue) await pacer.rest(signal);
    }
  } finally {
    directory?.close();
  }
  return described;
}

/** What a name becomes where bytes that are not UTF-8 cannot be read as such. */
const REPLACEMENT = "\ufffd";

function describe(directory: DirectoryHandle, entry: FoundEntry): DescribedEntry | null {
  const { name, path, isHidden, isIgnored } = entry;
  const facts = quietly(() => directory.factsOf(name));
  if (facts === null && !name.includes(REPLACEMENT)) return null;
  const kind = facts?.kind ?? entry.kind;
  return {
    name,
    path,
    kind,
    sizeBytes: facts?.size ?? 0,
    modifiedMs: facts === null ? 0 : Number(facts.modifiedNs / 1_000_000n),
    isHidden,
    isIgnored,
    linkTarget: kind === "symlink" ? quietly(() => directory.readLink(name)) : null,
    nameForm: nameFormOf(name, facts),
  };
}

function nameFormOf(name: string, facts: FileFacts | null): DescribedEntry["nameForm"] {
  if (facts === null) return "lost";
  return isEscapedPath(name) ? "escaped" : "text";
}

function openOrNull(tree: Tree, path: string): DirectoryHandle | null {
  return quietly(() => tree.openDirectory(path));
}

/** Null where the entry or its directory went away or closed since it was found. */
function quietly<T>(ask: () => T | null): T | null {
  try {
    return ask();
  } catch (fault) {
    if (fault instanceof SystemError) return null;
    throw fault;
  }
}

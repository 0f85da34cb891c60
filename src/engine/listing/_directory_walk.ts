/** The walk of a listing: one directory at a time, breadth first, with what is hidden or ignored left out. */

import { compareText } from "../../base/compare_text.ts";
import { FirstInOrder } from "../../base/first_in_order.ts";
import { Pacer } from "../../base/pacer.ts";
import { pathIn } from "../../base/tree_path.ts";
import { SystemError } from "../../platform/errno.ts";
import type { EntryKind } from "../../platform/file_facts.ts";
import type { DirectoryEntry, DirectoryHandle, Tree } from "../../platform/tree.ts";
import { DEFAULT_EXCLUDED_NAMES, isHiddenName } from "../search/default_excludes.ts";
import { IgnoreRules, type OuterRules } from "../search/ignore_rules.ts";
import { isPathIgnored } from "../search/walk_files.ts";
import type { ListOrder } from "./list_directory.ts";

/** What one walk shows. */
export interface WalkOptions {
  /** Workspace-relative, free of links. */
  readonly base: string;
  /** Levels of entries below `base`; at least 1. */
  readonly maxDepth: number;
  readonly includeHidden: boolean;
  readonly includeIgnored: boolean;
  readonly sort: ListOrder;
  readonly outer: OuterRules;
  readonly signal: AbortSignal;
}

/** One entry before its size is asked for. */
export interface FoundEntry {
  readonly directory: string;
  readonly name: string;
  /** Workspace-relative. */
  readonly path: string;
  readonly kind: EntryKind;
  readonly isHidden: boolean;
  readonly isIgnored: boolean;
  /** Only filled where the order needs it. */
  readonly modifiedNs: bigint;
}

/** How one directory is read. */
export interface Visit {
  /** Subdirectories of use, the first by name; with Infinity all, in any order. */
  readonly keepDirectories: number;
  /** Takes each entry that is not left out, in the file system's order. */
  readonly found: (entry: FoundEntry) => void;
}

/** Visits a directory per call and queues the ones below it. */
export class DirectoryWalk {
  /** Entries left out because of their name. */
  hidden = 0;
  /** Entries left out because git ignores them. */
  ignored = 0;
  /** Directories that could not be read. */
  unreadable = 0;
  readonly #tree: Tree;
  readonly #options: WalkOptions;
  readonly #pacer = new Pacer();
  readonly #queue: Place[] = [];
  #next = 0;

  constructor(tree: Tree, options: WalkOptions) {
    this.#tree = tree;
    this.#options = options;
    const { base, outer } = options;
    // Somebody who names an ignored directory wants to see it: inside, only its own rules count (O-45).
    const isIgnored = base !== "." && isPathIgnored(tree, base, outer);
    const rules = () => isIgnored ? IgnoreRules.inside(tree, base) : IgnoreRules.at(tree, base, outer);
    this.#queue.push({ path: base, depth: 0, rules, isHidden: false, isIgnored });
  }

  /** True when no directory is left to visit. */
  get isDone(): boolean {
    return this.#next === this.#queue.length;
  }

  /** Visits one directory; shallow ones come first. @throws SystemError when the base cannot be read */
  async visitNext(visit: Visit): Promise<void> {
    this.#options.signal.throwIfAborted();
    const place = this.#queue[this.#next++];
    if (place === undefined) return;
    try {
      await this.#visit(place, visit);
    } catch (fault) {
      // The base itself must be readable; a directory below may vanish or be closed to us.
      if (place.depth === 0 || !(fault instanceof SystemError)) throw fault;
      this.unreadable++;
    }
  }

  async #visit(place: Place, { keepDirectories, found: take }: Visit): Promise<void> {
    const isLastLevel = place.depth + 1 >= this.#options.maxDepth;
    const subdirectories: FoundEntry[] = [];
    const first = keepDirectories === Infinity ? null : new FirstInOrder<FoundEntry>(keepDirectories, byName);
    const rules = place.rules();
    using directory = this.#tree.openDirectory(place.path);
    for (const batch of directory.batches()) {
      for (const entry of batch) {
        const found = this.#look(place, { entry, directory, rules });
        if (found === null) continue;
        take(found);
        if (!isLastLevel && found.kind === "directory" && found.name !== ".git") {
          if (first === null) subdirectories.push(found);
          else first.add(found);
        }
        if (this.#pacer.isDue) await this.#pacer.rest(this.#options.signal);
      }
    }
    for (const { path, name, isHidden, isIgnored } of first?.finish() ?? subdirectories) {
      const enter = () => rules.enter(this.#tree, pathIn(place.path, name));
      this.#queue.push({ path, depth: place.depth + 1, rules: enter, isHidden, isIgnored });
    }
  }

  /** The entry as it is listed; null when it is left out. */
  #look(place: Place, { entry, directory, rules }: Sight): FoundEntry | null {
    const { name } = entry;
    const isHidden = isHiddenName(name);
    if (isHidden && !this.#options.includeHidden) {
      this.hidden++;
      return null;
    }
    const needsFacts = entry.kind === null || this.#options.sort === "modified";
    const facts = needsFacts ? factsOrNull(directory, name) : null;
    const kind = entry.kind ?? facts?.kind ?? "file";
    const isIgnored = DEFAULT_EXCLUDED_NAMES.has(name) || rules.isIgnored(name, kind);
    if (isIgnored && !this.#options.includeIgnored) {
      this.ignored++;
      return null;
    }
    return {
      directory: place.path,
      name,
      path: pathIn(place.path, name),
      kind,
      isHidden: isHidden || place.isHidden,
      isIgnored: isIgnored || place.isIgnored,
      modifiedNs: facts?.modifiedNs ?? 0n,
    };
  }
}

interface Place {
  readonly path: string;
  /** Levels below the base. */
  readonly depth: number;
  /** Made when the directory is visited, so that a queue of thousands holds no rules. */
  readonly rules: () => IgnoreRules;
  readonly isHidden: boolean;
  readonly isIgnored: boolean;
}

interface Sight {
  readonly entry: DirectoryEntry;
  readonly directory: DirectoryHandle;
  readonly rules: IgnoreRules;
}

/** Order of the entries of one directory: by code unit. */
export function byName(a: FoundEntry, b: FoundEntry): number {
  return compareText(a.name, b.name);
}

function factsOrNull(directory: DirectoryHandle, name: string) {
  try {
    return directory.factsOf(name);
  } catch (fault) {
    if (fault instanceof SystemError) return null;
    throw fault;
  }
}

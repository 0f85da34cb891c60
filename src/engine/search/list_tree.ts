/** Lists the files of a tree with their sizes and times. */

import { FirstInOrder } from "../../base/first_in_order.ts";
import { pathIn } from "../../base/tree_path.ts";
import { SystemError } from "../../platform/errno.ts";
import { createStampReader } from "../../platform/entry_stamps.ts";
import type { Tree } from "../../platform/tree.ts";
import { GlobFilter } from "./glob_filter.ts";
import { LastDirectory } from "./last_directory.ts";
import type { ListArguments, ListedFile, Listing } from "./search_messages.ts";
import { type WalkedEntry, walkFiles } from "./walk_files.ts";

/**
 * The page that `list` asks for. In path order the walk ends one file behind the page, and `total` is that far; by time
 * every file must be seen, so `total` is exact.
 *
 * @throws SystemError when the base cannot be opened
 */
export function listTree(tree: Tree, list: ListArguments, shouldStop: () => boolean): Listing {
  const counts = { hidden: 0, ignored: 0, unreadable: 0 };
  const { walk, offset, limit, order } = list;
  const globs = GlobFilter.compile(walk.globs).at(walk.base);
  const page = order === "path" ? new PageByPath(offset, limit) : new PageByTime(offset, limit);
  using describer = new Describer(tree);
  let isExact = true;
  for (const entry of walkFiles(tree, { ...walk, globs, counts })) {
    if (shouldStop()) return { files: [], total: 0, isExact: false, counts };
    if (entry === null || !isListed(tree, entry)) continue;
    if (!page.add(entry, describer)) {
      isExact = false;
      break;
    }
  }
  return { ...page.finish(), isExact, counts };
}

interface Page {
  /** False when the page is full and one more was seen. */
  add(entry: WalkedEntry, describer: Describer): boolean;
  finish(): { files: readonly ListedFile[]; total: number };
}

class PageByPath implements Page {
  readonly #files: ListedFile[] = [];
  readonly #offset: number;
  readonly #limit: number;
  #seen = 0;

  constructor(offset: number, limit: number) {
    this.#offset = offset;
    this.#limit = limit;
  }

  add(entry: WalkedEntry, describer: Describer): boolean {
    if (this.#seen < this.#offset) {
      this.#seen++;
      return true;
    }
    if (this.#files.length === this.#limit) {
      this.#seen++;
      return false;
    }
    const file = describer.describe(entry);
    if (file !== null) {
      this.#files.push(file);
      this.#seen++;
    }
    return true;
  }

  finish(): { files: readonly ListedFile[]; total: number } {
    return { files: this.#files, total: this.#seen };
  }
}

class PageByTime implements Page {
  readonly #first: FirstInOrder<ListedFile & { readonly order: number }>;
  readonly #offset: number;

  constructor(offset: number, limit: number) {
    this.#offset = offset;
    this.#first = new FirstInOrder(offset + limit, (a, b) => a.modifiedMs - b.modifiedMs || a.order - b.order);
  }

  add(entry: WalkedEntry, describer: Describer): boolean {
    const file = describer.describe(entry);
    if (file !== null) this.#first.add({ ...file, order: this.#first.seen });
    return true;
  }

  finish(): { files: readonly ListedFile[]; total: number } {
    const files = this.#first.finish().slice(this.#offset).map(({ order: _, ...file }) => file);
    return { files, total: this.#first.seen };
  }
}

/** Asks for sizes and times. */
class Describer implements Disposable {
  readonly #stampOf = createStampReader();
  readonly #directory: LastDirectory;

  constructor(tree: Tree) {
    this.#directory = new LastDirectory(tree);
  }

  /** Null when the file is gone. */
  describe(entry: WalkedEntry): ListedFile | null {
    const path = pathOf(entry);
    try {
      const stamp = this.#stampOf(this.#directory.open(entry.directory), entry.name);
      if (stamp === null) return null;
      return {
        path,
        type: entry.kind === "symlink" ? "symlink" : "file",
        sizeBytes: stamp.size,
        modifiedMs: stamp.modifiedMs,
        isIgnored: entry.isIgnored,
      };
    } catch (fault) {
      if (fault instanceof SystemError) return null;
      throw fault;
    }
  }

  [Symbol.dispose](): void {
    this.#directory[Symbol.dispose]();
  }
}

/** Files, and symlinks whose target is inside the tree. */
function isListed(tree: Tree, entry: WalkedEntry): boolean {
  if (entry.kind === "file") return true;
  if (entry.kind !== "symlink") return false;
  const target = tree.canonical(`${tree.root}/${pathOf(entry)}`);
  return target !== null && (target === tree.root || target.startsWith(`${tree.root}/`));
}

function pathOf({ directory, name }: WalkedEntry): string {
  return pathIn(directory, name);
}

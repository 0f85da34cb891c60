/** Finds the path that somebody probably meant when one does not exist. */

import { nearestName } from "../../base/nearest_name.ts";
import { SystemError } from "../../platform/errno.ts";
import type { Tree } from "../../platform/tree.ts";

/** Names compared; each costs some microseconds, and this is only advice. */
const MAX_NAMES = 400;

/**
 * An existing path beside the missing one: below the directory `nearest`, a name like the first of `rest`, and behind it
 * the other names as they are. Null when there is none.
 */
export function nearMiss(tree: Tree, nearest: string, rest: readonly string[]): string | null {
  const [wrong, ...behind] = rest;
  if (wrong === undefined) return null;
  try {
    const similar = nearestName(wrong, firstNames(tree, nearest));
    if (similar === null) return null;
    const path = [...(nearest === "." ? [] : [nearest]), similar, ...behind].join("/");
    tree.facts(path);
    return path;
  } catch (fault) {
    // Not there either, or not to be looked at: then there is no advice to give.
    if (fault instanceof SystemError) return null;
    throw fault;
  }
}

function firstNames(tree: Tree, path: string): string[] {
  using directory = tree.openDirectory(path);
  const names: string[] = [];
  for (const batch of directory.batches()) {
    for (const { name } of batch) {
      names.push(name);
      if (names.length === MAX_NAMES) return names;
    }
  }
  return names;
}

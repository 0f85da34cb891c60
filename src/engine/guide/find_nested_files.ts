/** Finds instruction files below the root quickly: names only, bounded in depth, count and time (contract 9.1). */

import type { QuickFiles } from "../../platform/quick_files.ts";
import { DEFAULT_EXCLUDED_NAMES } from "../search/default_excludes.ts";
import { isInstructionName } from "./instruction_names.ts";

/** Directories below the root that are entered. */
const MAX_DEPTH = 12;
/** Entries looked at. */
const MAX_SCANNED = 20_000;
/** Time between two pauses, in which the server answers others. */
const SLICE_MS = 8;
/** Longest search, so that a slow file system cannot hold an answer. 5 s: contract 9.1. */
const MAX_SEARCH_MS = 5_000;
/** Directories of other version control systems, beside the default excludes. */
const ALSO_EXCLUDED: ReadonlySet<string> = new Set([".hg", ".svn"]);

/** What the search found within its bounds. */
export interface NestedFiles {
  /** Workspace-relative, sorted; ignore rules are not applied. */
  readonly paths: readonly string[];
  /** Why the list may be incomplete; empty when it is complete. */
  readonly warnings: readonly string[];
}

/** Walks below `root` without following links. Pauses regularly; resolves in at most about five seconds. */
export async function findNestedFiles(root: string, files: QuickFiles): Promise<NestedFiles> {
  const paths: string[] = [];
  const startedAt = performance.now();
  let sliceStart = startedAt;
  let scanned = 0;
  let queue: string[] = [""];
  for (let depth = 0; depth <= MAX_DEPTH && queue.length > 0; depth++) {
    const next: string[] = [];
    for (const directory of queue) {
      for (const { name, kind } of files.entries(directory === "" ? root : `${root}/${directory}`)) {
        if (++scanned > MAX_SCANNED) return incomplete(paths, `only ${MAX_SCANNED} entries were looked at`);
        const path = directory === "" ? name : `${directory}/${name}`;
        if (kind === "directory") {
          if (!DEFAULT_EXCLUDED_NAMES.has(name) && !ALSO_EXCLUDED.has(name)) next.push(path);
        } else if (directory !== "" && isInstructionName(name)) paths.push(path);
      }
      const now = performance.now();
      if (now - startedAt > MAX_SEARCH_MS) return incomplete(paths, `it stopped after ${MAX_SEARCH_MS} ms`);
      if (now - sliceStart > SLICE_MS) {
        await new Promise((resolve) => setTimeout(resolve, 0));
        sliceStart = performance.now();
      }
    }
    queue = next;
  }
  return { paths: paths.sort(), warnings: [] };
}

function incomplete(paths: string[], why: string): NestedFiles {
  return { paths: paths.sort(), warnings: [`The search for nested instruction files is incomplete: ${why}.`] };
}

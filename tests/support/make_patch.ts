/** Writes the patch that turns one list of lines into another, as a careful author would. */

import { diffLines, type LineChange } from "../../src/engine/patch/diff_lines.ts";

/** `before` and `after` are split at LF, with the element after the last one. `contextLines` of context around changes. */
export async function makePatch(
  path: string,
  change: { readonly before: readonly string[]; readonly after: readonly string[]; readonly contextLines: number },
): Promise<string> {
  const { before, after, contextLines } = change;
  const lines = ["*** Begin Patch", `*** Update File: ${path}`];
  for (const group of grouped(await diffLines(before, after), contextLines)) {
    const first = group[0] as LineChange;
    const last = group.at(-1) as LineChange;
    lines.push("@@");
    let at = Math.max(0, first.aStart - contextLines);
    for (const { aStart, aEnd, bStart, bEnd } of group) {
      for (; at < aStart; at++) lines.push(` ${before[at]}`);
      for (; at < aEnd; at++) lines.push(`-${before[at]}`);
      for (let i = bStart; i < bEnd; i++) lines.push(`+${after[i]}`);
    }
    for (; at < Math.min(before.length, last.aEnd + contextLines); at++) lines.push(` ${before[at]}`);
  }
  return [...lines, "*** End Patch", ""].join("\n");
}

function grouped(changes: readonly LineChange[], contextLines: number): LineChange[][] {
  const groups: LineChange[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    if (group !== undefined && change.aStart - (group.at(-1) as LineChange).aEnd <= 2 * contextLines) {
      group.push(change);
    } else groups.push([change]);
  }
  return groups;
}

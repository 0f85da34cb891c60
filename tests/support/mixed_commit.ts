/** Trees and patches that touch several files in every way, for tests that interrupt a commit. */

import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { TempWorkspace } from "./temp_workspace.ts";

/** Fills the workspace and returns a patch that touches `count` files: updated, added, removed, moved in turn. */
export function mixedCommit(workspace: TempWorkspace, count: number): string {
  const lines = ["*** Begin Patch"];
  for (let i = 0, touched = 0; touched < count; i++) {
    const kind = count - touched < 2 && i % 4 === 3 ? 0 : i % 4;
    if (kind === 0) {
      workspace.write(`update${i}.txt`, `first\nold ${i}\nlast\n`, i % 8 === 0 ? 0o755 : 0o640);
      lines.push(`*** Update File: update${i}.txt`, " first", `-old ${i}`, `+new ${i}`);
      touched++;
    } else if (kind === 1) {
      lines.push(`*** Add File: made/level${i}/add${i}.txt`, `+added ${i}`);
      touched++;
    } else if (kind === 2) {
      workspace.write(`sub/delete${i}.txt`, `to remove ${i}\n`);
      lines.push(`*** Delete File: sub/delete${i}.txt`);
      touched++;
    } else {
      workspace.write(`move${i}.txt`, `moved ${i}\n`, 0o600);
      workspace.write(`sub/target${i}.txt`, `replaced ${i}\n`);
      lines.push(`*** Update File: move${i}.txt`, `*** Move to: sub/target${i}.txt`, `-moved ${i}`, `+arrived ${i}`);
      touched += 2;
    }
  }
  workspace.write("untouched.txt", "stays\n");
  return [...lines, "*** End Patch", ""].join("\n");
}

/** Every entry below `directory` with its kind, mode and content, as one comparable value. */
export function snapshot(directory: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (relative: string) => {
    for (const name of readdirSync(join(directory, relative)).sort()) {
      const path = relative === "" ? name : `${relative}/${name}`;
      const stats = lstatSync(join(directory, path));
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isDirectory()) {
        found[`${path}/`] = mode;
        walk(path);
      } else if (stats.isSymbolicLink()) found[path] = `-> ${readlinkSync(join(directory, path))}`;
      else found[path] = `${mode} ${readFileSync(join(directory, path)).toString("latin1")}`;
    }
  };
  walk("");
  return found;
}

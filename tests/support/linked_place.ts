/** A temporary workspace whose files and links a test arranges, with the engine on it. */

import { rmSync, symlinkSync } from "node:fs";
import { Workspace } from "../../src/engine/workspace/workspace.ts";
import type { Tree } from "../../src/platform/tree.ts";
import { TempWorkspace } from "./temp_workspace.ts";

/** Owns the engine and the directory; disposing ends both. */
export class LinkedPlace extends TempWorkspace {
  /** Last name of the root. */
  readonly name: string;
  readonly workspace: Workspace;

  constructor(open: (root: string) => Tree) {
    const name = "proj";
    super(name);
    this.name = name;
    this.workspace = new Workspace(this.root, { openTree: open });
  }

  /** Makes a symbolic link at `path` below the root. */
  link(path: string, target: string): void {
    symlinkSync(target, this.path(path));
  }

  /** Makes it where something else may be already. */
  relink(path: string, target: string): void {
    rmSync(this.path(path), { force: true });
    this.link(path, target);
  }

  override [Symbol.dispose](): void {
    this.workspace.close();
    super[Symbol.dispose]();
  }
}

/** The engines a call may use. Each is made when first asked for, so that a run pays only for what it does. */

import type { GitEngine } from "./git/git_engine.ts";
import type { Workspace } from "./workspace/workspace.ts";

export interface Engines {
  /** The confined tree; always there. */
  readonly workspace: Workspace;
  /** Reads the repository of the workspace; it never changes it. */
  readonly git: () => Promise<GitEngine>;
}

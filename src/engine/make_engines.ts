/** Makes the engines of a run. Everything but the workspace waits until a call needs it. */

import type { Config } from "../config/config.ts";
import type { Engines } from "./engines.ts";
import { Workspace } from "./workspace/workspace.ts";

export interface MadeEngines extends Engines {
  /** Ends every command and removes what this run left outside the workspace. Safe to call twice. */
  shutDown(): Promise<void>;
}

export function makeEngines(config: Config): MadeEngines {
  const workspace = new Workspace(config.workspace, {
    gitWrites: config.permissionMode === "dangerous" ? "allowed" : "refused",
  });
  return {
    workspace,
    shutDown: () => Promise.resolve(),
  };
}

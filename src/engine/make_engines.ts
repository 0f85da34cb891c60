/** Makes the engines of a run. Everything but the workspace waits until a call needs it. */

import type { Config } from "../config/config.ts";
import type { Engines } from "./engines.ts";
import type { GitEngine } from "./git/git_engine.ts";
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
    git: lazily(() => makeGit(config)),
    shutDown: () => Promise.resolve(),
  };
}

/** Makes the value at the first call and gives back the same one after that. */
function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => made ??= make();
}

async function makeGit(config: Config): Promise<GitEngine> {
  const [{ GitEngine }, { createChildHost }] = await Promise.all([
    import("./git/git_engine.ts"),
    import("../platform/create_child_host.ts"),
  ]);
  return new GitEngine({
    root: config.workspace,
    host: createChildHost(),
    environment: () => Promise.resolve({ PATH: config.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin" }),
  });
}

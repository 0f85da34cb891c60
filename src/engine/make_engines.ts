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
  const environment = once(async () => {
    const { EnvironmentEngine } = await import("./environment/environment_engine.ts");
    return new EnvironmentEngine(config);
  });
  const grants = once(async () => {
    const { GrantStore } = await import("./policy/grant_store.ts");
    return new GrantStore();
  });
  const policy = once(async () => {
    const { PolicyEngine } = await import("./policy/policy_engine.ts");
    return new PolicyEngine({ config, runtime: (await environment()).runtime, grants: await grants() });
  });
  return {
    workspace,
    environment,
    grants,
    policy,
    git: once(() => makeGit(config)),
    async shutDown() {
      if (environment.made) (await environment()).close();
    },
  };
}

/** A maker that makes its thing at the first call and remembers it; `made` tells whether that happened. */
interface Once<T> {
  (): Promise<T>;
  readonly made: boolean;
}

function once<T>(make: () => Promise<T>): Once<T> {
  let value: Promise<T> | undefined;
  const get = (): Promise<T> => value ??= make();
  return Object.defineProperty(get, "made", { get: () => value !== undefined }) as Once<T>;
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

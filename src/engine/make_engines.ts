/** Makes the engines of a run. Everything but the workspace waits until a call needs it. */

import { lazy } from "../base/lazy.ts";
import type { Config } from "../config/config.ts";
import type { Engines } from "./engines.ts";
import type { EnvironmentEngine } from "./environment/environment_engine.ts";
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
  /** What each made engine leaves behind, ended in reverse order. */
  const closers: (() => void | Promise<void>)[] = [];
  const environment = lazy(async () => {
    const { EnvironmentEngine } = await import("./environment/environment_engine.ts");
    const engine = new EnvironmentEngine(config);
    closers.push(() => engine.close());
    return engine;
  });
  const grants = lazy(async () => {
    const { GrantStore } = await import("./policy/grant_store.ts");
    return new GrantStore();
  });
  const policy = lazy(async () => {
    const { PolicyEngine } = await import("./policy/policy_engine.ts");
    return new PolicyEngine({ config, runtime: (await environment()).runtime, grants: await grants() });
  });
  const sandbox = lazy(async () => {
    const { createSandbox } = await import("./sandbox/create_sandbox.ts");
    const made = createSandbox(config, await environment());
    closers.push(() => made.close());
    return made;
  });
  const image = lazy(async () => {
    const [{ createImageEngine }, { createChildHost }] = await Promise.all([
      import("./image/create_image_engine.ts"),
      import("../platform/create_child_host.ts"),
    ]);
    const engine = createImageEngine({ config, workspace, host: createChildHost(), sandbox });
    closers.push(() => engine.close());
    return engine;
  });
  const patch = lazy(async () => {
    const { PatchEngine } = await import("./patch/patch_engine.ts");
    return new PatchEngine({ workspace, config });
  });
  return {
    workspace,
    image,
    patch,
    sandbox,
    environment,
    grants,
    policy,
    git: lazy(() => makeGit(config, environment)),
    async shutDown() {
      for (const close of closers.splice(0).reverse()) await close();
    },
  };
}

async function makeGit(config: Config, environment: () => Promise<EnvironmentEngine>): Promise<GitEngine> {
  const [{ GitEngine }, { createChildHost }] = await Promise.all([
    import("./git/git_engine.ts"),
    import("../platform/create_child_host.ts"),
  ]);
  return new GitEngine({
    root: config.workspace,
    host: createChildHost(),
    environment: async () => await (await environment()).gitEnvironment(),
  });
}

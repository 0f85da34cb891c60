/** Makes the engines of a run. Everything but the workspace waits until a call needs it. */

import { lazy } from "../base/lazy.ts";
import type { Config } from "../config/config.ts";
import type { Engines } from "./engines.ts";
import type { RunEngine } from "./run/run_engine.ts";
import { Workspace } from "./workspace/workspace.ts";

export interface MadeEngines extends Engines {
  /** Ends the commands of servers that were killed; gives back how many processes that were. */
  endLeftovers(): Promise<number>;
  /** Ends every command and removes what this run left outside the workspace. Safe to call twice. */
  shutDown(): Promise<void>;
}

/** How long the end waits for what an earlier, killed server left to be removed; the next start goes on with it. */
const CLEANING_WAIT_MS = 300;

/** `log` takes a line for people. */
export function makeEngines(config: Config, log: (line: string) => void): MadeEngines {
  const workspace = new Workspace(config.workspace, {
    gitWrites: config.permissionMode === "dangerous" ? "allowed" : "refused",
  });
  /** What each made engine leaves behind, ended in reverse order. */
  const closers: (() => void | Promise<void>)[] = [];
  let ending: Promise<void> | undefined;
  const environment = lazy(async () => {
    const { EnvironmentEngine } = await import("./environment/environment_engine.ts");
    const engine = new EnvironmentEngine(config);
    closers.push(async () => {
      await engine.runtime.cleanedWithin(CLEANING_WAIT_MS);
      engine.close();
    });
    return engine;
  });
  const guide = lazy(async () => new (await import("./guide/guide_engine.ts")).GuideEngine(workspace));
  const grants = lazy(async () => {
    const { GrantStore } = await import("./policy/grant_store.ts");
    if (!config.trace) return new GrantStore();
    return new GrantStore({
      onEvent: (event) => log(JSON.stringify({ ...event, timestamp: new Date().toISOString() })),
    });
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
  // One for all rooms: it tells its own children from the orphans of commands.
  const children = lazy(async () => (await import("../platform/create_child_host.ts")).createChildHost());
  const image = lazy(async () => {
    const { createImageEngine } = await import("./image/create_image_engine.ts");
    const engine = createImageEngine({ config, workspace, host: await children(), sandbox });
    closers.push(() => engine.close());
    return engine;
  });
  const patch = lazy(async () => {
    const { PatchEngine } = await import("./patch/patch_engine.ts");
    return new PatchEngine({ workspace, config, log });
  });
  const outerRules = async () => {
    const { readOuterRules } = await import("./search/read_outer_rules.ts");
    return readOuterRules(config.workspace, await (await environment()).userExcludesFile());
  };
  const search = lazy(async () => {
    const { SearchEngine } = await import("./search/search_engine.ts");
    const engine = new SearchEngine({ workspace, entryUrl: config.self.entryUrl, outerRules });
    closers.push(() => engine.close());
    return engine;
  });
  let running: RunEngine | undefined;
  const run = lazy(async () => {
    const [{ RunEngine }, { ConfinedSurroundings }] = await Promise.all([
      import("./run/run_engine.ts"),
      import("./run/confined_surroundings.ts"),
    ]);
    const rooms = {
      config,
      policy: await policy(),
      environment: await environment(),
      sandbox: await sandbox(),
    };
    const engine = new RunEngine(await children(), new ConfinedSurroundings(rooms), config.limits);
    running = engine;
    closers.push(() => engine.shutDown());
    return engine;
  });
  return {
    workspace,
    search,
    outerRules,
    image,
    patch,
    run,
    commandSummaries: () => running?.summaries() ?? [],
    sandbox,
    environment,
    guide,
    projectContextFiles: async () => await (await guide()).context.found(),
    grants,
    policy,
    git: lazy(async () => {
      const { GitEngine } = await import("./git/git_engine.ts");
      return new GitEngine({
        workspace,
        readableRoots: config.execAllowRoots,
        host: await children(),
        environment: async () => await (await environment()).gitEnvironment(),
        confine: async (argv, extraRules) =>
          (await (await sandbox()).prepare(argv, { purpose: "git", extraRules })).launch,
      });
    }),
    async endLeftovers() {
      const [{ endLeftovers }, { PROCESS_RECORD_SUFFIX }] = await Promise.all([
        import("./run/end_leftovers.ts"),
        import("./run/process_record.ts"),
      ]);
      const { runtime } = await environment();
      const records = runtime.staleSideFiles(PROCESS_RECORD_SUFFIX);
      const table = records.length === 0 ? null : (await children()).processes;
      if (table === null) return 0;
      const ended = await endLeftovers(table, records);
      runtime.cleanAgain();
      return ended;
    },
    shutDown() {
      // Everybody who asks waits for the one end: the signal and the end of input may come together.
      return ending ??= (async () => {
        for (const close of closers.splice(0).reverse()) await close();
      })();
    },
  };
}

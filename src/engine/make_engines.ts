/** Makes the engines of a run. Everything but the workspace waits until a call needs it. */

import { lazy } from "../base/lazy.ts";
import type { Config } from "../config/config.ts";
import type { ChildHost } from "../platform/child.ts";
import type { Engines } from "./engines.ts";
import type { EnvironmentEngine } from "./environment/environment_engine.ts";
import type { GitEngine } from "./git/git_engine.ts";
import type { GuideEngine } from "./guide/guide_engine.ts";
import type { ImageEngine } from "./image/image_engine.ts";
import type { PatchEngine } from "./patch/patch_engine.ts";
import type { GrantStore } from "./policy/grant_store.ts";
import type { PolicyEngine } from "./policy/policy_engine.ts";
import type { RunEngine } from "./run/run_engine.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import type { OuterRules } from "./search/ignore_rules.ts";
import type { SearchEngine } from "./search/search_engine.ts";
import type { CommandSummary, ProjectContextFiles } from "./server_facts.ts";
import { Workspace } from "./workspace/workspace.ts";

/** The engines of a run together with their end. */
export interface MadeEngines extends Engines {
  /** Ends the commands of servers that were killed; gives back how many processes that were. */
  endLeftovers(): Promise<number>;
  /** Ends every command and removes what this run left outside the workspace. Safe to call twice. */
  shutDown(): Promise<void>;
}

/** Makes the engines for `config`; `log` takes a line for people. The caller shuts them down. */
export function makeEngines(config: Config, log: (line: string) => void): MadeEngines {
  return new LazyEngines(config, log);
}

/** How long the end waits for what an earlier, killed server left to be removed; the next start goes on with it. */
const CLEANING_WAIT_MS = 300;

class LazyEngines implements MadeEngines {
  readonly workspace: Workspace;
  readonly environment = lazy(() => this.#makeEnvironment());
  readonly guide = lazy(() => this.#makeGuide());
  readonly grants = lazy(() => this.#makeGrants());
  readonly policy = lazy(() => this.#makePolicy());
  readonly sandbox = lazy(() => this.#makeSandbox());
  readonly image = lazy(() => this.#makeImage());
  readonly patch = lazy(() => this.#makePatch());
  readonly search = lazy(() => this.#makeSearch());
  readonly run = lazy(() => this.#makeRun());
  readonly git = lazy(() => this.#makeGit());
  /** One for all rooms: it tells its own children from the orphans of commands. */
  readonly #children = lazy(() => makeChildHost());
  readonly #config: Config;
  readonly #log: (line: string) => void;
  /** What each made engine leaves behind, ended in reverse order. */
  readonly #closers: (() => void | Promise<void>)[] = [];
  #running: RunEngine | undefined;
  #ending: Promise<void> | undefined;

  constructor(config: Config, log: (line: string) => void) {
    this.#config = config;
    this.#log = log;
    this.workspace = new Workspace(config.workspace, {
      gitWrites: config.permissionMode === "dangerous" ? "allowed" : "refused",
    });
  }

  async outerRules(): Promise<OuterRules> {
    const { readOuterRules } = await import("./search/read_outer_rules.ts");
    return readOuterRules(this.#config.workspace, await (await this.environment()).userExcludesFile());
  }

  commandSummaries(): readonly CommandSummary[] {
    return this.#running?.summaries() ?? [];
  }

  async projectContextFiles(): Promise<ProjectContextFiles> {
    return await (await this.guide()).context.found();
  }

  async endLeftovers(): Promise<number> {
    const [{ endLeftovers }, { PROCESS_RECORD_SUFFIX }] = await Promise.all([
      import("./run/end_leftovers.ts"),
      import("./run/process_record.ts"),
    ]);
    const { runtime } = await this.environment();
    const records = runtime.staleSideFiles(PROCESS_RECORD_SUFFIX);
    const table = records.length === 0 ? null : (await this.#children()).processes;
    if (table === null) return 0;
    const ended = await endLeftovers(table, records);
    runtime.cleanAgain();
    return ended;
  }

  /** Everybody who asks waits for the one end: the signal and the end of input may come together. */
  shutDown(): Promise<void> {
    return this.#ending ??= this.#close();
  }

  async #close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }

  async #makeEnvironment(): Promise<EnvironmentEngine> {
    const { EnvironmentEngine } = await import("./environment/environment_engine.ts");
    const engine = new EnvironmentEngine(this.#config);
    this.#closers.push(async () => {
      await engine.runtime.cleanedWithin(CLEANING_WAIT_MS);
      engine.close();
    });
    return engine;
  }

  async #makeGuide(): Promise<GuideEngine> {
    const { GuideEngine } = await import("./guide/guide_engine.ts");
    return new GuideEngine(this.workspace);
  }

  async #makeGrants(): Promise<GrantStore> {
    const { GrantStore } = await import("./policy/grant_store.ts");
    if (!this.#config.trace) return new GrantStore();
    return new GrantStore({
      onEvent: (event) => this.#log(JSON.stringify({ ...event, timestamp: new Date().toISOString() })),
    });
  }

  async #makePolicy(): Promise<PolicyEngine> {
    const { PolicyEngine } = await import("./policy/policy_engine.ts");
    return new PolicyEngine({
      config: this.#config,
      runtime: (await this.environment()).runtime,
      grants: await this.grants(),
    });
  }

  async #makeSandbox(): Promise<Sandbox> {
    const { createSandbox } = await import("./sandbox/create_sandbox.ts");
    const made = createSandbox(this.#config, await this.environment());
    this.#closers.push(() => made.close());
    return made;
  }

  async #makeImage(): Promise<ImageEngine> {
    const { createImageEngine } = await import("./image/create_image_engine.ts");
    const engine = createImageEngine({
      config: this.#config,
      workspace: this.workspace,
      host: await this.#children(),
      sandbox: this.sandbox,
    });
    this.#closers.push(() => engine.close());
    return engine;
  }

  async #makePatch(): Promise<PatchEngine> {
    const { PatchEngine } = await import("./patch/patch_engine.ts");
    return new PatchEngine({ workspace: this.workspace, config: this.#config, log: this.#log });
  }

  async #makeSearch(): Promise<SearchEngine> {
    const { SearchEngine } = await import("./search/search_engine.ts");
    const engine = new SearchEngine({
      workspace: this.workspace,
      entryUrl: this.#config.self.entryUrl,
      outerRules: () => this.outerRules(),
    });
    this.#closers.push(() => engine.close());
    return engine;
  }

  async #makeRun(): Promise<RunEngine> {
    const [{ RunEngine }, { ConfinedSurroundings }] = await Promise.all([
      import("./run/run_engine.ts"),
      import("./run/confined_surroundings.ts"),
    ]);
    const surroundings = new ConfinedSurroundings({
      config: this.#config,
      policy: await this.policy(),
      environment: await this.environment(),
      sandbox: await this.sandbox(),
    });
    const engine = new RunEngine({ host: await this.#children(), surroundings, limits: this.#config.limits });
    this.#running = engine;
    this.#closers.push(() => engine.shutDown());
    return engine;
  }

  async #makeGit(): Promise<GitEngine> {
    const { GitEngine } = await import("./git/git_engine.ts");
    return new GitEngine({
      workspace: this.workspace,
      readableRoots: this.#config.execAllowRoots,
      host: await this.#children(),
      environment: async () => await (await this.environment()).gitEnvironment(),
      confine: async (argv, extraRules) =>
        (await (await this.sandbox()).prepare(argv, { purpose: "git", extraRules })).launch,
      mayReadOutside: async () => (await this.sandbox()).confinement.abi === null,
    });
  }
}

async function makeChildHost(): Promise<ChildHost> {
  const { createChildHost } = await import("../platform/create_child_host.ts");
  return createChildHost();
}

/** Prepares confined starts: from a plan to a `Launch` and a report of what the kernel enforces (O-30, O-31). */

import { readdirSync, statSync } from "node:fs";
import { ToolError } from "../../base/tool_error.ts";
import type { Config } from "../../config/config.ts";
import { SystemError } from "../../platform/errno.ts";
import type { Launch } from "../../platform/launch.ts";
import { createConfinement } from "../../platform/create_confinement.ts";
import type {
  ConfinedStart,
  Confinement,
  ConfinementFacts,
  ConfinementRequest,
  Enforcement,
} from "../../platform/confinement.ts";
import { makePlan, type PlanRequest, type SandboxPlan, type Surroundings } from "./plan.ts";
import { isFullyEnforced, missingProtections, type SandboxReport } from "./report.ts";
import { sandboxError } from "./sandbox_error.ts";
import { prepareWritePaths } from "./prepare_write_paths.ts";

/** A start that may be made once. */
export interface PreparedStart {
  /** Handed to the spawner once; its `release` gives back what it holds. */
  readonly launch: Launch;
  readonly report: SandboxReport;
  /** What is less than planned, for `warnings` of the result. */
  readonly warnings: readonly string[];
  readonly plan: SandboxPlan;
}

/** What the start is for. */
export interface PrepareOptions extends PlanRequest {
  /** `argv[0]` that the program sees; default: its path. */
  readonly argv0?: string;
}

/** A plan is made again after this time: toolchains and Java installations come and go. As long as rules stay bound. */
const PLAN_VALID_MS = 5_000;
/** Plans of one run differ by purpose and grants; more than these are not worth keeping. */
const MAX_PLANS = 32;

/** One per run; keeps plans and rulesets between starts, and is closed at the end. */
export class Sandbox {
  readonly #config: Config;
  readonly #surroundings: () => Promise<Surroundings>;
  readonly #listings = new Map<string, { readonly mtimeMs: number; readonly names: readonly string[] }>();
  readonly #plans = new Map<string, { readonly plan: SandboxPlan; readonly madeAtMs: number }>();
  #confinement: Confinement | undefined;

  /** Costs nothing until the first start: `surroundings` is asked then. */
  constructor(config: Config, surroundings: () => Promise<Surroundings>) {
    this.#config = config;
    this.#surroundings = surroundings;
  }

  /**
   * A start of `argv`, whose first element is the absolute path of the program.
   *
   * Without Landlock the start is made with a warning, or refused with `--require-sandbox`; where Landlock exists, any
   * other fault refuses it (D-42).
   *
   * @throws ToolError SANDBOX_UNAVAILABLE, INVALID_ARGUMENT (a write path that is not a directory)
   */
  async prepare(argv: readonly string[], options: PrepareOptions): Promise<PreparedStart> {
    const plan = await this.plan(options);
    if (!plan.confined) {
      const report: SandboxReport = {
        filesystem: "unconfined",
        attributes: "unconfined",
        network: "open",
        signals: "unscoped",
        abi: this.confinement.abi,
        reason: "dangerous mode",
      };
      this.#requireAll(plan, report);
      return { launch: plainLaunch(argv, options.argv0), report, warnings: [], plan };
    }
    const { launchPrefix } = await this.#surroundings();
    const prepared = this.#confine(argv, {
      rules: plan.rules,
      network: plan.network,
      pipesOnly: plan.pipesOnly,
      sealAttributes: options.purpose === "command",
      launchPrefix,
      ...(options.argv0 === undefined ? {} : { argv0: options.argv0 }),
    });
    const report = asReport(prepared.enforcement);
    try {
      this.#requireAll(plan, report);
    } catch (fault) {
      prepared.abandon();
      throw fault;
    }
    return { launch: prepared.launch, report, warnings: missingProtections(plan, report), plan };
  }

  /** What a start would be allowed, without preparing it. @throws ToolError as `prepare` for write paths. */
  async plan(request: PlanRequest): Promise<SandboxPlan> {
    const { purpose, network, extraRules } = request;
    const key = JSON.stringify({ purpose, network, extraRules });
    const known = this.#plans.get(key);
    // Write paths are looked at for every start: a command may have removed one.
    const isFixed = this.#config.workspaceMutation !== "structured-only";
    if (known !== undefined && isFixed && performance.now() - known.madeAtMs < PLAN_VALID_MS) return known.plan;
    const plan = makePlan(request, {
      config: this.#config,
      surroundings: await this.#surroundings(),
      listNames: (directory) => this.#listNames(directory),
      writePaths: prepareWritePaths(this.#config),
    });
    if (this.#plans.size >= MAX_PLANS) this.#plans.clear();
    this.#plans.set(key, { plan, madeAtMs: performance.now() });
    return plan;
  }

  /** What this system can enforce on commands of this run, found by trying it. Creates the private directories. */
  async examine(): Promise<ConfinementFacts> {
    const { rules } = await this.plan({ purpose: "command" });
    const { launchPrefix } = await this.#surroundings();
    return this.confinement.examine({ rules, launchPrefix });
  }

  /** What this system can enforce. */
  get confinement(): Confinement {
    return this.#confinement ??= createConfinement();
  }

  /** Read again only when the directory has changed: every command asks for the same few. */
  #listNames(directory: string): readonly string[] {
    try {
      const { mtimeMs } = statSync(directory);
      const known = this.#listings.get(directory);
      if (known?.mtimeMs === mtimeMs) return known.names;
      const names = readdirSync(directory);
      this.#listings.set(directory, { mtimeMs, names });
      return names;
    } catch {
      // A directory that cannot be listed has nothing to add.
      return [];
    }
  }

  /** Gives back descriptors and files. */
  close(): void {
    this.#confinement?.close();
  }

  #confine(argv: readonly string[], request: ConfinementRequest): ConfinedStart {
    try {
      return this.confinement.prepare(argv, request);
    } catch (fault) {
      throw fault instanceof SystemError ? sandboxError(fault) : fault;
    }
  }

  #requireAll(plan: SandboxPlan, report: SandboxReport): void {
    if (!this.#config.requireSandbox || isFullyEnforced(plan, report)) return;
    const reason = report.reason ?? "not everything that was asked for can be enforced";
    throw new ToolError("SANDBOX_UNAVAILABLE", `Cannot start without a complete sandbox: ${reason}`, {
      details: {
        reason,
        missing: missingProtections(plan, report),
        retry_hint: "Run `vise doctor` to see what is missing, or start the server without --require-sandbox.",
      },
    });
  }
}

/** Landlock right RESOLVE_UNIX (linux/landlock.h). */
const FIRST_ABI_WITH_UNIX_SOCKETS = 9;

function asReport(enforcement: Enforcement): SandboxReport {
  const { filesystem, attributes, network, signals, abi, reason } = enforcement;
  // Without any network `connect` itself is refused; with one only a newer Landlock tells these sockets from others.
  const reachable = network !== "none" && (abi === null || abi < FIRST_ABI_WITH_UNIX_SOCKETS);
  return {
    filesystem,
    attributes,
    network,
    signals,
    abi,
    ...(reachable ? { unix_sockets: "reachable" } : {}),
    ...(reason === null ? {} : { reason }),
  };
}

function plainLaunch(argv: readonly string[], argv0: string | undefined): Launch {
  const [program = "", ...rest] = argv;
  return { path: program, argv: [argv0 ?? program, ...rest], inherit: [], statusRead: null, release: () => {} };
}

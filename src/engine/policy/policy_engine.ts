/** Says whether a command may start, and with which network (contract 5, O-16, O-34). */

import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { ToolError } from "../../base/tool_error.ts";
import type { Config, NetworkReach } from "../../config/config.ts";
import { DEFAULT_PATH } from "../environment/command_environment.ts";
import type { RuntimeDirs } from "../environment/runtime_dirs.ts";
import { classifyCommand, type GatePermission, type PolicyContext } from "./classify_command.ts";
import type { Grant, GrantStore } from "./grant_store.ts";
import { permissionError } from "./permission_error.ts";

/** A command before anything of it was started. */
export interface CheckRequest {
  readonly cmd: string;
  /** Real absolute directory the command starts in. */
  readonly workdir: string;
  readonly callEnv: Readonly<Record<string, string>>;
  /** Who asks; grants of others do not count. */
  readonly principal: string;
  /** Whether the client can ask its user: the refusal then names `request_permissions`. */
  readonly canAsk: boolean;
}

/** What a command that may start gets. */
export interface PolicyDecision {
  /** Network that the sandbox shall give: the configured one, or `open` by a grant. */
  readonly network: NetworkReach;
  /** Grants that this command needs. */
  readonly grantIds: readonly string[];
  /** Called when the command starts: a grant for one call is used up by it, and not by a start that fails before. */
  readonly use: () => void;
}

/** What the gates ask. */
export interface PolicyEngineOptions {
  readonly config: Config;
  readonly runtime: RuntimeDirs;
  readonly grants: GrantStore;
}

/** Judges text and places; what a command may really touch is the sandbox's. */
export class PolicyEngine {
  readonly #config: Config;
  readonly #runtime: RuntimeDirs;
  readonly #grants: GrantStore;

  constructor({ config, runtime, grants }: PolicyEngineOptions) {
    this.#config = config;
    this.#runtime = runtime;
    this.#grants = grants;
  }

  /**
   * Lets a command pass or throws.
   * @throws ToolError PERMISSION_REQUIRED at the first gate without a grant, INVALID_ARGUMENT for text no shell can get
   */
  check(request: CheckRequest): PolicyDecision {
    refuseUnwritable(request);
    const grantee = { command: request.cmd, principal: request.principal };
    const granted = new Set<GatePermission>();
    const used: Grant[] = [];
    for (;;) {
      const verdict = classifyCommand(request.cmd, this.#context(request, granted));
      if (verdict.kind === "allowed") {
        const network = this.#network(request, { mayUseNetwork: verdict.mayUseNetwork, used });
        const use = (): void => used.forEach((grant) => this.#grants.use(grant));
        return { network, grantIds: used.map(({ id }) => id), use };
      }
      const grant = this.#grants.find(verdict.permission, grantee);
      if (grant === null) {
        throw permissionError(verdict, {
          cmd: request.cmd,
          root: this.#config.workspace,
          mode: this.#config.permissionMode,
          canAsk: request.canAsk,
        });
      }
      granted.add(verdict.permission);
      used.push(grant);
    }
  }

  #network(request: CheckRequest, { mayUseNetwork, used }: { mayUseNetwork: boolean; used: Grant[] }): NetworkReach {
    const configured = this.#config.network;
    if (configured === "open" || this.#config.permissionMode === "dangerous") return "open";
    if (used.some(({ permission }) => permission === "network")) return "open";
    const grant = this.#grants.find("network", { command: request.cmd, principal: request.principal });
    // A grant for one call is kept for a command that has a use for it: `ls` must not use it up.
    if (grant === null || (grant.scope === "once" && grant.command === null && !mayUseNetwork)) return configured;
    used.push(grant);
    return "open";
  }

  #context({ workdir, callEnv }: CheckRequest, granted: ReadonlySet<GatePermission>): PolicyContext {
    return {
      mode: this.#config.permissionMode,
      network: this.#config.network,
      granted,
      callEnv,
      locate: (path) => this.#locate(workdir, path),
      isRuntimePath: (absolute) => this.#runtime.holds(absolute),
      setIdProgram: (word) => this.#setIdProgram(workdir, word),
    };
  }

  /** Follows links up to the nearest existing ancestor. */
  #locate(workdir: string, path: string): "inside" | "outside" {
    let at = join(workdir, path);
    for (let step = 0; step < MAX_STEPS; step++) {
      try {
        const real = realpathSync(at);
        const { workspace } = this.#config;
        const inside = real === workspace || real.startsWith(workspace + "/") || this.#runtime.holds(real);
        return inside ? "inside" : "outside";
      } catch (fault) {
        const errno = (fault as { code?: string }).code ?? "UNKNOWN";
        if (errno !== "ENOENT" && errno !== "ENOTDIR") throw uninspectable(path, errno);
        at = danglingTarget(at) ?? dirname(at);
      }
    }
    throw uninspectable(path, "ELOOP");
  }

  #setIdProgram(workdir: string, word: string): string | null {
    const places = word.includes("/")
      ? [resolve(workdir, word)]
      : (this.#config.environment.PATH ?? DEFAULT_PATH).split(delimiter).map((directory) => join(directory, word));
    for (const place of places) {
      try {
        // Most directories of PATH do not hold it, and for each of those statSync makes an error that it does not throw.
        if (!existsSync(place)) continue;
        const stats = statSync(place, { throwIfNoEntry: false });
        if (stats?.isFile()) return (stats.mode & SET_ID_BITS) === 0 ? null : place;
      } catch {
        // Not in this directory.
      }
    }
    return null;
  }
}

/** S_ISUID and S_ISGID (inode(7)). */
const SET_ID_BITS = 0o6000;
/** Ancestors and dangling links followed: above the longest path (PATH_MAX 4096, two bytes a component). */
const MAX_STEPS = 2_100;
/** Characters of a path that an error repeats (contract 5.4). */
const MAX_SHOWN_PATH = 200;

function danglingTarget(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? resolve(realpathSync(dirname(path)), readlinkSync(path)) : null;
  } catch {
    return null;
  }
}

function uninspectable(path: string, errno: string): ToolError {
  const shown = path.slice(0, MAX_SHOWN_PATH);
  return new ToolError("INVALID_ARGUMENT", `Cannot inspect the path ${shown} of the command: ${errno}`, {
    details: { path: shown, errno, reason: "uninspectable_path" },
    root: { status: "failed" },
  });
}

/** NUL ends an argument of execve(2) early; a lone surrogate has no UTF-8 form. */
function refuseUnwritable({ cmd, callEnv }: CheckRequest): void {
  const texts = { cmd, ...Object.fromEntries(Object.entries(callEnv).map(([name, value]) => [`env.${name}`, value])) };
  for (const [argument, text] of Object.entries(texts)) {
    if (text.includes("\0")) throw invalid(argument, "it holds a NUL character");
    if (!text.isWellFormed()) throw invalid(argument, "it holds a lone surrogate");
  }
  for (const name of Object.keys(callEnv)) {
    if (name === "" || /[=\0]/.test(name) || !name.isWellFormed()) {
      throw invalid("env", `${JSON.stringify(name)} is no name of a variable`);
    }
  }
}

function invalid(argument: string, fact: string): ToolError {
  return new ToolError("INVALID_ARGUMENT", `Cannot run the command: arguments.${argument} is invalid, ${fact}`, {
    details: { argument },
    root: { status: "failed" },
  });
}

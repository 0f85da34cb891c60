/** What a child process may touch: decided here for every system, enforced by the platform. Acts on nothing. */

import type { Config, NetworkReach } from "../../config/config.ts";
import type { Access, PathRule } from "../../platform/path_rule.ts";
import {
  DEVICES,
  READABLE_FACTS,
  SHARED_MEMORY,
  SYSTEM_FILE_PREFIXES,
  SYSTEM_FILES,
  SYSTEM_ROOTS,
} from "./system_paths.ts";

/**
 * `command`: what a client runs. `git`: the git helpers, which read the repository and change nothing.
 * `pipes`: a child that has nothing but its pipes (the image decoder).
 */
export type Purpose = "command" | "git" | "pipes";

/** What the environment room knows about this run. Absolute paths. */
export interface Surroundings {
  /** Private places that commands may write: home, temporary directory, cache. */
  readonly writableRoots: readonly string[];
  /** Toolchains on PATH, without the files in them that hold credentials (O-35). */
  readonly toolchainRoots: readonly string[];
  /** Generated files that commands may read, such as the git configuration. */
  readonly readableFiles: readonly string[];
  /** Path prefix for a launcher file; in a directory that commands cannot write. */
  readonly launchPrefix: string;
}

/** What differs from one start to the next. */
export interface PlanRequest {
  readonly purpose: Purpose;
  /** A granted reach; default: the configured one for commands, none for helpers. */
  readonly network?: NetworkReach;
  /** Further paths: a repository outside the workspace, the program's own files, a granted path. */
  readonly extraRules?: readonly PathRule[];
}

/** What one start may touch; nothing else. */
export interface SandboxPlan {
  /** False in dangerous mode: nothing is restricted. */
  readonly confined: boolean;
  readonly rules: readonly PathRule[];
  readonly network: NetworkReach;
  /** No sockets at all, not even between its own processes. */
  readonly pipesOnly: boolean;
}

/** What of the machine and the configuration a plan depends on. */
export interface PlanContext {
  readonly config: Config;
  readonly surroundings: Surroundings;
  /** Names in a directory; empty where it cannot be listed. */
  readonly listNames: (directory: string) => readonly string[];
  /** Existing write paths, canonical and inside the workspace (contract 6.4). */
  readonly writePaths: readonly string[];
}

/** The plan of one start. Pure: the same arguments give the same plan. */
export function makePlan(request: PlanRequest, context: PlanContext): SandboxPlan {
  const { config, surroundings } = context;
  const extra = request.extraRules ?? [];
  if (request.purpose === "pipes") {
    const rules = [...optional(SYSTEM_ROOTS, "execute"), ...optional(DEVICES.slice(0, 5), "device")];
    rules.push(...optional(["/etc/ld.so.cache", "/proc"], "read"), ...extra);
    return { confined: true, rules, network: "none", pipesOnly: true };
  }
  // The git helpers stay confined in dangerous mode: nobody asked for what a repository's configuration may start.
  if (request.purpose !== "git" && config.permissionMode === "dangerous") {
    return { confined: false, rules: [], network: request.network ?? config.network, pipesOnly: false };
  }
  let workspaceAccess: PathRule["access"] = config.workspaceMutation === "structured-only" ? "execute" : "write";
  // Security: git neither writes anywhere nor executes what lies in the workspace.
  if (request.purpose === "git") workspaceAccess = "read";
  const rules: PathRule[] = [{ path: config.workspace, access: workspaceAccess, required: true }];
  if (request.purpose === "command") {
    rules.push(...context.writePaths.map((path) => required(path, "write")));
    rules.push(...optional([...surroundings.writableRoots, SHARED_MEMORY], "write"));
  }
  rules.push(
    ...optional(SYSTEM_ROOTS, "execute"),
    ...optional(SYSTEM_FILES, "execute"),
    ...optional(filesWithPrefixes(context.listNames), "execute"),
    ...optional(READABLE_FACTS, "read"),
    ...optional(DEVICES, "device"),
    ...optional(surroundings.toolchainRoots, "execute"),
    ...optional(config.execAllowRoots, "execute"),
    ...optional(surroundings.readableFiles, "read"),
    ...extra,
  );
  const network = request.network ?? (request.purpose === "git" ? "none" : config.network);
  return { confined: true, rules, network, pipesOnly: false };
}

function filesWithPrefixes(listNames: PlanContext["listNames"]): string[] {
  return SYSTEM_FILE_PREFIXES.flatMap(({ directory, prefix }) =>
    listNames(directory).filter((name) => name.startsWith(prefix)).map((name) => `${directory}/${name}`)
  );
}

function optional(paths: readonly string[], access: Access): PathRule[] {
  return paths.map((path) => ({ path, access, required: false }));
}

function required(path: string, access: Access): PathRule {
  return { path, access, required: true };
}

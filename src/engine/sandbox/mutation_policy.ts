/** Whether commands may change the workspace, and whether the kernel holds them to it (contract 6.4). */

import { resolve } from "node:path";
import type { Config } from "../../config/config.ts";

/** The mode, and how far it holds. */
export interface MutationPolicy {
  readonly mode: "unrestricted" | "structured-only";
  /** Canonical paths that commands may write under structured-only. */
  readonly writePaths: readonly string[];
  /** False: only the tools keep to it, commands could write. */
  readonly enforced: boolean;
  readonly enforcedBy: "landlock" | "none";
  readonly warnings: readonly string[];
}

/** The first Landlock version that can refuse truncation. */
const FIRST_ABI_WITH_TRUNCATE = 3;

/** The policy of this run on a kernel with Landlock version `abi` (null: without). */
export function mutationPolicy(config: Config, abi: number | null): MutationPolicy {
  const mode = config.workspaceMutation;
  if (mode === "unrestricted") return { mode, writePaths: [], enforced: true, enforcedBy: "none", warnings: [] };
  const isInside = (path: string): boolean => `${resolve(config.workspace, path)}/`.startsWith(config.workspace + "/");
  const writePaths = config.writePaths.filter(isInside).map((path) => resolve(config.workspace, path));
  const dropped = config.writePaths.filter((path) => !isInside(path));
  const problem = problemWith(config, abi);
  return {
    mode,
    writePaths,
    enforced: problem === null,
    enforcedBy: problem === null ? "landlock" : "none",
    warnings: [
      ...(problem === null ? [] : [`structured-only workspace mutation is not enforced for commands: ${problem}`]),
      ...dropped.map((path) => `the write path ${path} lies outside the workspace and is dropped`),
    ],
  };
}

function problemWith(config: Config, abi: number | null): string | null {
  if (config.permissionMode === "dangerous") return "dangerous mode starts commands without the sandbox";
  if (abi === null) return "Landlock is not available";
  if (abi < FIRST_ABI_WITH_TRUNCATE) return `Landlock version ${abi} cannot refuse truncation`;
  return null;
}

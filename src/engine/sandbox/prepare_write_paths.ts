/** The places that stay writable for commands under `--workspace-mutation structured-only` (contract 6.4). */

import { mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { ToolError } from "../../base/tool_error.ts";
import type { Config } from "../../config/config.ts";

/**
 * Creates missing write paths and gives back those that lie in the workspace, canonical. Empty in unrestricted mode.
 *
 * @throws ToolError SANDBOX_UNAVAILABLE if one cannot be created, INVALID_ARGUMENT if one is not a directory.
 */
export function prepareWritePaths(config: Config): string[] {
  if (config.workspaceMutation !== "structured-only") return [];
  const paths: string[] = [];
  for (const path of outermost(config.writePaths.map((given) => resolve(config.workspace, given)))) {
    const given = relative(config.workspace, path);
    // Security: nothing is created through a link that leaves the workspace.
    if (!isInside(nearestReal(path), config.workspace)) continue;
    try {
      mkdirSync(path, { recursive: true });
    } catch (fault) {
      if (isDirectory(path)) continue;
      const errno = (fault as { code?: string }).code ?? "EIO";
      if (errno === "EEXIST" || errno === "ENOTDIR") throw notADirectory(given);
      throw new ToolError("SANDBOX_UNAVAILABLE", `Cannot create the write path ${given}: ${errno}`, {
        details: { path: given, errno, reason: "a write path must exist before a command is confined to it" },
      });
    }
    if (!isDirectory(path)) throw notADirectory(given);
    // Security: a command may have replaced a write path by a link that leaves the workspace.
    const real = realpathSync(path);
    if (isInside(real, config.workspace)) paths.push(real);
  }
  return outermost(paths);
}

/**
 * `paths` without those that lie in another of them.
 *
 * Security: what lies in a write path can be swapped for a link by a running command, between this look and the rule
 * that opens it. The outer path cannot: its directory is read-only for commands, and its rule holds for all beneath.
 */
function outermost(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isInside(path, other)));
}

/** The canonical form of the nearest ancestor that exists. */
function nearestReal(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not there yet, or a dangling link: the directory above decides.
    return nearestReal(dirname(path));
  }
}

function notADirectory(path: string): ToolError {
  return new ToolError("INVALID_ARGUMENT", `Cannot use ${path} as a write path: it is not a directory`, {
    details: { argument: "--write-path", path },
  });
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Not there, below a file, or a dangling link: no directory.
    return false;
  }
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root + "/");
}

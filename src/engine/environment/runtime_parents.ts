/** Where the private directories of commands may lie (contract 4.9, O-36). */

import { existsSync, lstatSync, mkdtempSync, realpathSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { ToolError } from "../../base/tool_error.ts";
import { temporaryDirectory } from "../../platform/temporary_directory.ts";

/** What the places are derived from. */
export interface ParentOptions {
  /** Canonical workspace root. */
  readonly root: string;
  /** `--runtime-root` as given; null: `<temp>/vise-<uid>`. */
  readonly runtimeRoot: string | null;
  /** Current user; null where the system has none. */
  readonly uid: number | null;
  /** Temporary directory of the system; read from the environment by default. */
  readonly temp?: string;
}

/** The parent to use: the first that is private and takes a directory; else the first, whose failure is then reported. */
export function chooseParent(options: ParentOptions): string {
  const parents = runtimeParents(options);
  const isUsable = (path: string) => problemWith(path, options.uid) === null && canHold(path);
  return parents.find(isUsable) ?? parents[0] as string;
}

/** The places in the order of preference; never empty. @throws ToolError INVALID_ARGUMENT for a runtime root inside the workspace */
export function runtimeParents(options: ParentOptions): string[] {
  const { runtimeRoot, root, uid } = options;
  if (runtimeRoot !== null) {
    const given = realOrSame(runtimeRoot);
    if (isWithin(given, root)) {
      throw new ToolError(
        "INVALID_ARGUMENT",
        `Cannot keep runtime files in ${runtimeRoot}: it lies inside the workspace`,
        { details: { argument: "--runtime-root", path: runtimeRoot } },
      );
    }
    return [given];
  }
  const name = uid === null ? "vise" : `vise-${uid}`;
  const temps = [realOrSame(options.temp ?? temporaryDirectory()), realOrSame(SHARED_TEMP)];
  const outside = temps.filter((temp, at) => !isWithin(temp, root) && temps.indexOf(temp) === at);
  return (outside.length > 0 ? outside : [realOrSame(SHARED_TEMP)]).map((temp) => join(temp, name));
}

/** Why an existing `path` may not be the parent; null when it may, or is not there yet. */
export function problemWith(path: string, uid: number | null): string | null {
  let stats;
  try {
    stats = lstatSync(path);
  } catch (fault) {
    const code = errorCode(fault);
    return code === "ENOENT" ? null : code;
  }
  // Security: in a shared temporary directory another user may have planted a link or a directory of this name.
  if (stats.isSymbolicLink()) return "is a symbolic link";
  if (!stats.isDirectory()) return "is not a directory";
  if (uid !== null && stats.uid !== uid) return `belongs to user ${stats.uid}`;
  if ((stats.mode & 0o022) !== 0) return "is writable by others";
  return null;
}

/** Whether a directory can be made at `path` or in it: tried, since mode bits say nothing of a read-only file system. */
function canHold(path: string): boolean {
  for (let at = path;; at = dirname(at)) {
    try {
      rmdirSync(mkdtempSync(join(at, ".vise-probe-")));
      return true;
    } catch (fault) {
      if (errorCode(fault) !== "ENOENT" || at === dirname(at) || existsSync(at)) return false;
    }
  }
}

function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root + "/");
}

/** `path` with the links of its nearest existing ancestor resolved. */
function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not there yet: its ancestors decide where it will be.
    const parent = dirname(path);
    return parent === path ? path : join(realOrSame(parent), path.slice(parent.length).replace(/^\//, ""));
  }
}

/** `ENOENT` and its like; the message where there is none. */
export function errorCode(fault: unknown): string {
  return (fault as { code?: string }).code ?? String(fault);
}

/** POSIX shared temporary directory, the fallback when the configured one lies in the workspace or cannot be used. */
const SHARED_TEMP = "/tmp";

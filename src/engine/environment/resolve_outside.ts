/** Follows a path as far as nobody but the user decides where it leads. */

import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** Links that Linux follows on one way (path_resolution(7)). */
const MAX_LINKS = 40;

/**
 * The real path of `path`, absolute; null when nothing is there, or when any step of the way lies in `workspace`.
 *
 * Security: commands may put any link into the workspace. A way that leads through it would let them choose what the
 * next start opens to them.
 */
export function resolveOutside(path: string, workspace: string): string | null {
  // An empty variable such as HOME names nothing; looking for it is an error where reading is not allowed everywhere.
  if (path === "") return null;
  if (!path.startsWith("/")) return resolveOnWindows(path, workspace);
  let at = "/";
  let links = 0;
  const left = parts(path);
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    if (name === "..") {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    if (next === workspace || next.startsWith(workspace + "/")) return null;
    const target = linkTarget(next);
    if (target === null) return null;
    if (target === "") at = next;
    else {
      if (++links > MAX_LINKS) return null;
      if (target.startsWith("/")) at = "/";
      left.unshift(...parts(target));
    }
  }
  return at;
}

/** Links are rare on Windows and commands are not confined there: only the end counts. */
function resolveOnWindows(path: string, workspace: string): string | null {
  const real = existsSync(path) ? realpathSync(path) : null;
  return real === null || real === workspace || real.startsWith(workspace + "\\") ? null : real;
}

/** Where a link leads; empty for what is no link, null for what is not there. */
function linkTarget(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : "";
  } catch {
    return null;
  }
}

function parts(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

/** Path arguments of the git tools: they may name what no longer exists, but never what lies outside (contract 1.9). */

import { lstatSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isEscapedPath } from "../../base/path_text.ts";
import { ToolError } from "../../base/tool_error.ts";
import { parseSpelling } from "../workspace/path_spelling.ts";
import type { Repository } from "./find_repository.ts";

/** A place that exists, existed or might exist. */
export interface GitPath {
  /** Workspace-relative without `./`, double or trailing slashes; `.` for the root. */
  readonly path: string;
  /** Nearest existing directory, canonical: where the search for the repository starts. */
  readonly directory: string;
  readonly exists: boolean;
  readonly isDirectory: boolean;
}

/** Resolves a path argument; a link at its end stays itself. @throws ToolError with the path codes of contract 1.5 */
export function locateGitPath(root: string, spelled: string): GitPath {
  const path = parseSpelling(spelled, { root });
  const parts = path === "." ? [] : path.split("/");
  let directory = root;
  // From the top, so that a long path that does not exist costs one look.
  for (let at = 0; at < parts.length; at++) {
    const next = join(directory, parts[at] as string);
    const kind = kindAt(next);
    const isLast = at === parts.length - 1;
    if (kind === "directory" || (kind === "link" && !isLast)) {
      const real = kind === "link" ? followed(root, { link: next, spelled }) : next;
      if (real !== null) {
        directory = real;
        continue;
      }
    }
    const resolved = join(directory, ...parts.slice(at)).slice(root.length + 1);
    return { path: resolved, directory, exists: isLast && kind !== null, isDirectory: false };
  }
  return { path: directory.slice(root.length + 1) || ".", directory, exists: true, isDirectory: true };
}

/** Where a link to a directory leads; null when it leads to none. @throws ToolError PATH_OUTSIDE_WORKSPACE */
function followed(root: string, { link, spelled }: { link: string; spelled: string }): string | null {
  let real: string;
  try {
    real = realpathSync(link);
  } catch {
    // Dangling: git knows it only as the link.
    return null;
  }
  if (real !== root && !real.startsWith(root + "/")) {
    throw new ToolError(
      "PATH_OUTSIDE_WORKSPACE",
      `Cannot use ${spelled}: it leads outside the workspace through a symbolic link`,
    );
  }
  return kindAt(real) === "directory" ? real : null;
}

/**
 * `path` as git takes it on its command line, relative to the directory it runs in; null when it names the whole tree.
 *
 * @throws ToolError INVALID_ARGUMENT when it lies in another repository than `repository`
 */
export function toPathspec(repository: Repository, path: string): string | null {
  if (isEscapedPath(path)) {
    throw new ToolError("INVALID_ARGUMENT", `Cannot pass ${path} to git: its name is not UTF-8`, {
      details: { retry_hint: "Name the directory it lies in." },
    });
  }
  if (repository.below === "") return path === "." ? null : path;
  if (path + "/" === repository.below) return null;
  if (path.startsWith(repository.below)) return path.slice(repository.below.length);
  throw new ToolError("INVALID_ARGUMENT", `Cannot use ${path}: it lies outside the repository ${repository.below}`, {
    details: { retry_hint: "Make one call per repository." },
  });
}

/** Pathspec arguments with their `--`; the workspace itself where it lies below the top of the repository. */
export function pathspecArguments(repository: Repository, paths: readonly string[]): string[] {
  const specs = paths.map((path) => toPathspec(repository, path));
  if (specs.length === 0 || specs.includes(null)) return repository.above === "" ? ["--"] : ["--", "."];
  return ["--", ...specs as string[]];
}

/** Workspace-relative form of a path relative to the top of the repository; null when it lies above the workspace. */
export function fromTop(repository: Repository, path: string): string | null {
  if (repository.above === "") return repository.below + path;
  return path.startsWith(repository.above) ? path.slice(repository.above.length) : null;
}

function kindAt(absolute: string): "directory" | "link" | "other" | null {
  try {
    const stats = lstatSync(absolute, { throwIfNoEntry: false });
    if (stats === undefined) return null;
    if (stats.isDirectory()) return "directory";
    return stats.isSymbolicLink() ? "link" : "other";
  } catch {
    // Behind something that is no directory, or a name that is too long: nothing there.
    return null;
  }
}

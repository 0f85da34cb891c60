/** Recognises git's own files outside of `.git`: in a bare repository and where a separate git directory lies. */

/** What is, or would be, at a workspace-relative path. */
export type Holds = (path: string, kind: "file" | "directory") => boolean;

/**
 * The directory whose file `path` would steer git, as git itself recognises one: by `HEAD`, `objects` and `refs`
 * (gitrepository-layout(5)). Null where there is none; other files beside those three, such as the working trees that
 * some keep inside a bare repository, belong to nobody.
 */
export function gitDirectoryAround(path: string, holds: Holds): string | null {
  const parts = path.split("/");
  for (const [at, part] of parts.entries()) {
    if (!OWN_NAMES.has(part.toLowerCase())) continue;
    const directory = parts.slice(0, at).join("/");
    const inside = (name: string) => directory === "" ? name : `${directory}/${name}`;
    const isOne = holds(inside("HEAD"), "file") && holds(inside("objects"), "directory") &&
      holds(inside("refs"), "directory");
    if (isOne) return directory === "" ? "." : directory;
  }
  return null;
}

/** What there would be once all of `paths` exist; `otherwise` answers for the rest. */
export function holdsAlso(paths: readonly string[], otherwise: Holds): Holds {
  let sorted: readonly string[] | undefined;
  return (path, kind) => {
    sorted ??= paths.toSorted();
    const wanted = kind === "file" ? path : `${path}/`;
    const found = sorted[firstNotBefore(sorted, wanted)];
    const isAmong = kind === "file" ? found === wanted : found?.startsWith(wanted) === true;
    return isAmong || otherwise(path, kind);
  };
}

function firstNotBefore(sorted: readonly string[], wanted: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as string) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** In lower case, for file systems that do not tell apart. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  "branches",
  "commondir",
  "config",
  "config.worktree",
  "head",
  "hooks",
  "index",
  "info",
  "logs",
  "modules",
  "objects",
  "packed-refs",
  "refs",
  "reftable",
  "shallow",
  "worktrees",
]);

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

/** Paths and the directories above them that `paths` would make, as `Holds`; `otherwise` answers for the rest. */
export function holdsAlso(paths: readonly string[], otherwise: Holds): Holds {
  const files = new Set(paths);
  const directories = new Set(paths.flatMap(ancestors));
  return (path, kind) => (kind === "file" ? files : directories).has(path) || otherwise(path, kind);
}

function ancestors(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
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

/** Paths below a root as the engines pass them on: names joined by `/`, without `..`; the root itself is `.`. */

/** Path of the entry `name` of `directory`. */
export function pathIn(directory: string, name: string): string {
  return directory === "." ? name : `${directory}/${name}`;
}

/** `path` without its last name; `.` for what lies at the top, and for the root itself. */
export function directoryOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "." : path.slice(0, slash);
}

/** Last name of `path`. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

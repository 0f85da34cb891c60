/** Finds a program like execvp(3) does. */

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Absolute path of `name`: itself when it has a slash, else the first executable file in `searchPath`; null when there is none. */
export function findProgram(name: string, searchPath: string): string | null {
  if (name === "") return null;
  if (name.includes("/")) return name;
  for (const directory of searchPath.split(delimiter)) {
    // Security: an empty entry would mean the current directory, which is the workspace.
    if (directory === "" || directory === ".") continue;
    const candidate = join(directory, name);
    if (isExecutableFile(candidate)) return candidate;
  }
  return null;
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Finds a program like execvp(3) does. */

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, extname, join } from "node:path";
import process from "node:process";

/** Absolute path of `name`: itself when it has a slash, else the first executable file in `searchPath`; null when there is none. */
export function findProgram(name: string, searchPath: string): string | null {
  if (name === "") return null;
  if (name.includes("/") || (process.platform === "win32" && name.includes("\\"))) return name;
  for (const directory of searchPath.split(delimiter)) {
    // Security: an empty entry would mean the current directory, which is the workspace.
    if (directory === "" || directory === ".") continue;
    for (const spelled of spellings(name)) {
      const candidate = join(directory, spelled);
      if (isExecutableFile(candidate)) return candidate;
    }
  }
  return null;
}

/** Windows finds programs without their suffix. */
function spellings(name: string): string[] {
  return process.platform === "win32" && extname(name) === "" ? [`${name}.exe`, `${name}.com`] : [name];
}

function isExecutableFile(path: string): boolean {
  try {
    return isExecutable(path);
  } catch {
    // A directory of PATH that may not be searched holds nothing for us.
    return false;
  }
}

function isExecutable(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile() || (process.platform !== "win32" && (stats.mode & 0o111) === 0)) {
    return false;
  }
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (fault) {
    // Without --allow-sys the runtime does not say; the mode was looked at, and execve has the last word.
    return (fault as { code?: string }).code !== "EACCES";
  }
}

/** Finds a program that the server itself runs, outside the sandbox. */

import { delimiter, isAbsolute } from "node:path";
import { findProgram } from "../run/find_program.ts";
import { resolveOutside } from "./resolve_outside.ts";

/**
 * Absolute path of `name` in `searchPath`; null when there is none outside `workspace`.
 *
 * Security: `node_modules/.bin` and `.venv/bin` are often first on PATH, and commands may write there: a `git` that one
 * of them put in would run with all the rights of the server. So would one behind a link that leads through it.
 */
export function findTrustedProgram(
  name: string,
  { searchPath, workspace }: { readonly searchPath: string; readonly workspace: string },
): string | null {
  for (const directory of searchPath.split(delimiter).filter(isAbsolute)) {
    const candidate = findProgram(name, directory);
    if (candidate !== null && resolveOutside(candidate, workspace) !== null) return candidate;
  }
  return null;
}

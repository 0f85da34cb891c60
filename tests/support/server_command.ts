/**
 * Which program the tests drive: `deno run main.ts`, or an executable named by `VISE_TEST_EXECUTABLE`,
 * so that the same tests run against both.
 */

import { fileURLToPath } from "node:url";

/** Absolute, with a slash at the end. */
export const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

/** Program and leading arguments. */
export function serverCommand(): readonly [string, ...string[]] {
  const executable = Deno.env.get("VISE_TEST_EXECUTABLE");
  if (executable !== undefined && executable !== "") return [executable];
  return [Deno.execPath(), "run", "--quiet", "-A", ...coverageFlags(), `${REPOSITORY}main.ts`];
}

/** Under `deno task coverage` the servers write profiles too. Their environment is made anew, so it goes by a flag. */
export function coverageFlags(): readonly string[] {
  const directory = Deno.env.get("DENO_COVERAGE_DIR") ?? "";
  return directory === "" ? [] : [`--coverage=${directory}`];
}

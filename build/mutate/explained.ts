/** Mutants that survive for a known reason. A survivor that is not here makes `deno task mutate` fail. */

import { readFileSync } from "node:fs";

/** Survivors of one file with one reason. */
export interface Explanation {
  readonly file: string;
  /** Why no test can or should notice. */
  readonly why: string;
  /** The line without indentation, and the change as it is printed; `*` stands for every change of the line. */
  readonly mutants: readonly (readonly [code: string, change: string])[];
}

/** Functions and constants that are not changed at all, because any value of what they give would do. */
export const UNCHANGED: readonly { readonly file: string; readonly name: string; readonly why: string }[] = [
  {
    file: "src/engine/patch/line_index.ts",
    name: "traitOf",
    why: "A hash: equal lines have equal ones whatever it mixes; how well it tells lines apart is a matter of speed.",
  },
  { file: "src/engine/patch/line_index.ts", name: "TRAITS", why: "Size of a table of hashes: a matter of speed." },
  {
    file: "src/engine/policy/name_presence.ts",
    name: "UNSETTLED_MS",
    why: "A margin of time over the 10 ms by which time stamps of files step.",
  },
  ...["line_index", "find_scope", "find_substrings", "text_lines"].map((name) => ({
    file: `src/engine/patch/${name}.ts`,
    name: "PACED_LINES",
    why: "Lines between two looks at the clock: other calls wait a little longer or shorter.",
  })),
];

/** Every survivor that is known, by file in the order of the rooms. */
export const EXPLAINED: readonly Explanation[] = JSON.parse(
  readFileSync(new URL("./explained.json", import.meta.url), "utf8"),
);

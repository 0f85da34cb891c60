/** Puts one fault into a package that its own tests notice. */

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { operatorSwaps, type SwappedOperator } from "./operator_swaps.ts";
import type { RealPackage } from "./packages.ts";
import { commitAll } from "./unpack_package.ts";

/** The fault as it was put in. */
export interface Fault {
  readonly file: string;
  /** From 1; only for the table, the client has to find it. */
  readonly line: number;
  /** The line before. */
  readonly original: string;
  /** The line after. */
  readonly broken: string;
  /** Faults that no test noticed before this one. */
  readonly unnoticed: number;
}

/** A fault that makes a loop endless would cost the client its whole wait; such are passed over. */
const TEST_LIMIT_MS = 60_000;
const MOST_TRIES = 20;

/** Commits the first fault, in a seeded order, that makes the tests fail. @throws Error when the tests fail without a fault, or with none of those tried */
export function seedFault({ name, sources, test }: RealPackage, { root, seed }: { root: string; seed: number }): Fault {
  if (runTests(root, test) !== "pass") throw new Error(`${name}: its tests fail as published`);
  const mutants = sources.flatMap((file) => operatorSwaps(file, readFileSync(join(root, file), "utf8")));
  // Spread out, or neighbouring seeds would begin with the same fault.
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  for (let unnoticed = 0; unnoticed < MOST_TRIES && mutants.length > 0;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const mutant = mutants.splice(Math.floor(state / 2 ** 32 * mutants.length), 1)[0] as SwappedOperator;
    const published = readFileSync(join(root, mutant.file), "utf8");
    const [original, broken] = [published, mutant.text].map((text) => text.split("\n")[mutant.line - 1] ?? "") as [
      string,
      string,
    ];
    if (!broken.includes(wordToSearch(original))) continue;
    writeFileSync(join(root, mutant.file), mutant.text);
    if (runTests(root, test) === "fail") {
      commitAll(root, "Tidy up");
      return { file: mutant.file, line: mutant.line, original, broken, unnoticed };
    }
    writeFileSync(join(root, mutant.file), published);
    unnoticed++;
  }
  throw new Error(`${name}: no fault was noticed by its tests`);
}

/** The longest name in a line of code: what somebody who remembers the line would look for. */
export function wordToSearch(line: string): string {
  const words = line.match(/[A-Za-z_$][\w$]*/g) ?? [];
  return words.reduce((longest, word) => word.length > longest.length ? word : longest, "") || line.trim();
}

function runTests(root: string, test: string): "pass" | "fail" | "endless" {
  const { status, error } = spawnSync("sh", ["-c", test], { cwd: root, stdio: "ignore", timeout: TEST_LIMIT_MS });
  if (error !== undefined) return "endless";
  return status === 0 ? "pass" : "fail";
}

/**
 * Runs tests against mutants, in a process of its own: `run_mutants.ts JOB.json REPORTS` in the instrumented copy.
 *
 * Without mutants it finds out which test reaches which. Reports are lines of JSON added to the second file.
 */

import fc from "fast-check";
import { type CollectedTest, collectTests } from "./collected_tests.ts";
import { countedTurns, limitTurns, noteReached, reachedMutants, setActive } from "./mutant_switch.ts";

/** What a test needs when nothing is changed. */
export interface Baseline {
  readonly name: string;
  readonly ms: number;
  readonly turns: number;
  /** Mutants in the code that it runs. */
  readonly reached: readonly number[];
}

/** What one process is to do. */
export interface Job {
  /** Test modules, absolute. */
  readonly modules: readonly string[];
  /** Pattern of the names of tests that are left out; null for none. */
  readonly skipped: string | null;
  /** Null: find it out. */
  readonly baseline: readonly Baseline[] | null;
  /** Each with the tests to run, in this order. */
  readonly mutants: readonly { readonly id: number; readonly tests: readonly number[] }[];
}

/** A line of what the process found out. */
export type Report =
  | {
    readonly kind: "baseline";
    readonly tests: readonly Baseline[];
    readonly constants: readonly number[];
    readonly fixed: readonly number[];
  }
  | { readonly kind: "started"; readonly id: number }
  | { readonly kind: "killed"; readonly id: number; readonly by: string }
  | { readonly kind: "survived"; readonly id: number }
  /** The process cannot go on: a test failed without any mutant, or is still busy. */
  | { readonly kind: "spoiled"; readonly id: number; readonly by: string; readonly isHung: boolean };

/** How much longer than usual a test may take before it counts as hung; generous, because the machine may be busy. */
const HANG_FACTOR = 20;
const HANG_MS = 20_000;
/** Turns of loops beyond this many times the usual number mean that a loop does not end. */
const TURN_FACTOR = 10;
const SPARE_TURNS = 300_000;

const HUNG = Symbol("hung");

// The first failure is enough: shrinking it would only take time.
fc.configureGlobal({ seed: 1, endOnFailure: true });
let strayFault: unknown = null;
globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  strayFault ??= event.reason;
});

let tests: CollectedTest[] = [];
try {
  const job: Job = JSON.parse(await Deno.readTextFile(Deno.args[0] as string));
  const skipped = job.skipped === null ? null : new RegExp(job.skipped);
  tests = (await collectTests(job.modules)).filter(({ name }) => skipped?.test(name) !== true);
  const atLoad = reachedMutants();
  noteReached(true);
  setActive(-1);
  const constants = reachedMutants();
  noteReached(false);
  if (job.baseline === null) await findBaseline(atLoad, constants);
  else await runMutants(job, job.baseline);
  Deno.exit(0);
} catch (fault) {
  console.error(fault);
  Deno.exit(1);
}

async function findBaseline(atLoad: readonly number[], constants: readonly number[]): Promise<void> {
  const found: Baseline[] = [];
  for (const test of tests) {
    noteReached(true);
    limitTurns(Infinity);
    const start = performance.now();
    const fault = await faultOf(test, Infinity);
    if (fault !== null) throw new Error(`the test "${test.name}" fails without any mutant`, { cause: fault });
    found.push({ name: test.name, ms: performance.now() - start, turns: countedTurns(), reached: reachedMutants() });
  }
  const inConstants = new Set(constants);
  report({ kind: "baseline", tests: found, constants, fixed: atLoad.filter((id) => !inConstants.has(id)) });
}

async function runMutants(job: Job, baseline: readonly Baseline[]): Promise<void> {
  for (const mutant of job.mutants) {
    report({ kind: "started", id: mutant.id });
    const verdict = await verdictOf(mutant, baseline);
    report(verdict);
    if (verdict.kind === "spoiled") return;
  }
}

async function verdictOf(
  { id, tests: indexes }: Job["mutants"][number],
  baseline: readonly Baseline[],
): Promise<Report> {
  for (const index of indexes) {
    const test = tests[index] as CollectedTest;
    const usual = baseline[index] as Baseline;
    const attempt = async (active: number): Promise<unknown> => {
      limitTurns(usual.turns * TURN_FACTOR + SPARE_TURNS);
      try {
        setActive(active);
      } catch (fault) {
        return fault;
      }
      return await faultOf(test, usual.ms * HANG_FACTOR + HANG_MS);
    };
    const fault = await attempt(id);
    if (fault === null) continue;
    if (fault === HUNG) return { kind: "spoiled", id, by: test.name, isHung: true };
    // It counts only when the same test passes right after without the mutant.
    if (await attempt(-1) !== null) return { kind: "spoiled", id, by: test.name, isHung: false };
    return { kind: "killed", id, by: test.name };
  }
  return { kind: "survived", id };
}

async function faultOf(test: CollectedTest, limitMs: number): Promise<unknown> {
  strayFault = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<symbol>((resolve) => {
    if (limitMs < Infinity) timer = setTimeout(() => resolve(HUNG), limitMs);
  });
  try {
    const outcome = await Promise.race([test.run(), limit]);
    return outcome === HUNG ? HUNG : strayFault;
  } catch (fault) {
    return fault ?? new Error("thrown nothing");
  } finally {
    clearTimeout(timer);
  }
}

function report(line: Report): void {
  Deno.writeTextFileSync(Deno.args[1] as string, `${JSON.stringify(line)}\n`, { append: true });
}

/** What was measured, kept in a JSON file; an outcome knows the run that it comes from. */

import type { Machine } from "./machine.ts";
import type { Measured } from "./measure.ts";

/** One start of the benchmark. */
export interface Run {
  readonly machine: Machine;
  readonly servers: readonly { readonly name: string; readonly version: string }[];
  /** Rounds of a workload of normal weight. */
  readonly rounds: number;
  readonly skipped: readonly { readonly what: string; readonly reason: string }[];
}

/** One workload. */
export interface Outcome extends Measured {
  readonly name: string;
  readonly about: string;
  readonly unit: string;
  readonly floor: string | null;
  /** Load average of one minute when it began. */
  readonly load: number;
}

/** All outcomes that are kept, with the runs that they come from. */
export interface Report {
  readonly runs: readonly Run[];
  /** `run` is an index into `runs`. */
  readonly outcomes: readonly (Outcome & { readonly run: number })[];
}

/**
 * The report with the outcomes of one more run. What it measured again is replaced; a run of which nothing is left goes,
 * and runs of the same day with the same machine, servers and rounds are one.
 */
export function addRun(earlier: Report, { run, outcomes }: { run: Run; outcomes: readonly Outcome[] }): Report {
  const names = new Set(outcomes.map(({ name }) => name));
  const runs = new Map<string, Run>();
  const numberOf = (one: Run) => {
    const key = JSON.stringify(one);
    runs.set(key, one);
    return [...runs.keys()].indexOf(key);
  };
  const kept = earlier.outcomes.filter(({ name }) => !names.has(name))
    .map((outcome) => ({ ...outcome, run: numberOf(earlier.runs[outcome.run] ?? run) }));
  const fresh = outcomes.map((outcome) => ({ ...outcome, run: numberOf(run) }));
  return { runs: [...runs.values()], outcomes: [...kept, ...fresh] };
}

/** The report that an earlier run wrote; null when there is none, or one of another form. */
export function readReport(path: string): Report | null {
  try {
    const { runs, outcomes } = JSON.parse(Deno.readTextFileSync(path));
    const isWhole = Array.isArray(runs) && Array.isArray(outcomes) && outcomes.every(({ run }) => run in runs);
    return isWhole ? { runs, outcomes } : null;
  } catch {
    return null;
  }
}

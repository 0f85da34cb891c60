/**
 * `bench/limits.json`: what no change may make worse without a review.
 *
 * A limit names a workload and a contestant. `ratio` bounds its median by that of `against`; with `or_more_ms` the larger
 * of both bounds counts. `most` bounds the median itself, in the unit of the workload. `issue` is the number of the issue
 * that set the bar; a limit of our own says in `why` how it was chosen.
 */

import type { Outcome } from "./report.ts";

/** One row of `limits.json`: a bound relative to another contestant, or an absolute one. */
export interface Limit {
  readonly workload: string;
  readonly contestant: string;
  readonly against?: string;
  /** Most times the time of `against`. */
  readonly ratio?: number;
  /** Milliseconds above `against` that are allowed whatever the ratio. */
  readonly or_more_ms?: number;
  /** Bound in the unit of the workload. */
  readonly most?: number;
  readonly issue?: number;
  readonly why?: string;
}

/** Whether one limit was kept. */
export interface Verdict {
  readonly limit: Limit;
  /** `failed`: the contestant took part and did not do the work. `unknown`: there is nothing to compare. `absent`: nobody measured. */
  readonly state: "kept" | "above" | "failed" | "unknown" | "absent";
  /** What was measured, or why nothing was. */
  readonly seen: string;
}

/** The rows of `bench/limits.json`, all of them. @throws Error when the file is not there or a limit is not whole */
export async function readLimits(): Promise<Limit[]> {
  const { limits } = JSON.parse(await Deno.readTextFile(new URL("../limits.json", import.meta.url)));
  for (const limit of limits as Limit[]) checkShape(limit);
  return limits;
}

/** Compares each limit with what was measured. */
export function checkLimits(outcomes: readonly Outcome[], limits: readonly Limit[]): Verdict[] {
  return limits.map((limit) => ({ limit, ...judge(limit, outcomes.find(({ name }) => name === limit.workload)) }));
}

/** 1 when a limit is passed or its contestant failed, 2 when nothing at all could be compared, else 0. */
export function exitCodeOf(verdicts: readonly Verdict[]): 0 | 1 | 2 {
  if (verdicts.some(({ state }) => state === "above" || state === "failed")) return 1;
  return verdicts.some(({ state }) => state === "kept") ? 0 : 2;
}

/** What the limit allows, such as "at most 1.5 × ripgrep". */
export function wantedOf({ against, ratio, or_more_ms: moreMs, most }: Limit): string {
  if (most !== undefined) return `at most ${most.toLocaleString("en-US")}`;
  return `at most ${ratio} × ${against}${moreMs === undefined ? "" : `, or ${moreMs} ms more`}`;
}

/** Refuses a row that says too little or two things. @throws Error naming what is missing or contradicts itself */
export function checkShape(limit: Limit): void {
  const { workload, contestant, against, ratio, most, issue, why } = limit;
  const isRelative = typeof against === "string" && typeof ratio === "number" && ratio > 0;
  const isAbsolute = typeof most === "number" && most > 0;
  if (typeof workload !== "string" || typeof contestant !== "string" || isRelative === isAbsolute) {
    throw new Error(
      `A limit needs a workload, a contestant, and either against and ratio or most: ${JSON.stringify(limit)}`,
    );
  }
  if ((issue === undefined) === (why === undefined || why === "")) {
    throw new Error(`A limit names either the issue that set it or why it is what it is: ${JSON.stringify(limit)}`);
  }
}

function judge(limit: Limit, outcome: Outcome | undefined): Pick<Verdict, "state" | "seen"> {
  if (outcome === undefined) return { state: "absent", seen: "not measured" };
  const { contestant, against, ratio = 1, or_more_ms: moreMs = 0, most } = limit;
  const failure = outcome.failures.find((one) => one.contestant === contestant);
  if (failure !== undefined) return { state: "failed", seen: failure.reason };
  const value = outcome.rows.find((row) => row.contestant === contestant)?.p50;
  if (value === undefined) return { state: "unknown", seen: `${contestant} did not take part` };
  if (most !== undefined) return { state: value <= most ? "kept" : "above", seen: figureOf(value) };
  const base = outcome.rows.find((row) => row.contestant === against)?.p50;
  if (base === undefined) {
    const reason = outcome.failures.find((one) => one.contestant === against)?.reason;
    return { state: "unknown", seen: `${against}: ${reason ?? "did not take part"}` };
  }
  const bound = Math.max(base * ratio, moreMs === 0 ? 0 : base + moreMs);
  const more = moreMs === 0 ? "" : `, ${Math.abs(value - base).toFixed(1)} ms ${value < base ? "less" : "more"}`;
  return { state: value <= bound ? "kept" : "above", seen: `${(value / base).toFixed(2)} ×${more}` };
}

function figureOf(value: number): string {
  return value >= 1_000 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));
}

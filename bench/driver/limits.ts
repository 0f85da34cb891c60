/**
 * `bench/limits.json`: what no change may make worse without a review.
 *
 * A limit names a workload and a contestant. `ratio` bounds its median by that of `against`; with `or_more_ms` the larger
 * of both bounds counts. `most` bounds the median itself, in the unit of the workload.
 */

import type { Report } from "./report.ts";

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
}

/** Whether one limit was kept. */
export interface Verdict {
  readonly limit: Limit;
  /** `unknown`: one of the two was not measured in this run. */
  readonly state: "kept" | "above" | "unknown";
  readonly line: string;
}

/** The rows of `bench/limits.json`, all of them. @throws Error when the file is not there or a limit is not whole */
export async function readLimits(): Promise<Limit[]> {
  const { limits } = JSON.parse(await Deno.readTextFile(new URL("../limits.json", import.meta.url)));
  for (const limit of limits as Limit[]) checkShape(limit);
  return limits;
}

/** Compares each limit with what was measured. */
export function checkLimits({ outcomes }: Pick<Report, "outcomes">, limits: readonly Limit[]): Verdict[] {
  return limits.map((limit): Verdict => {
    const { workload, contestant, against, ratio, or_more_ms: moreMs, most } = limit;
    const rows = outcomes.find(({ name }) => name === workload)?.rows ?? [];
    const value = rows.find((row) => row.contestant === contestant)?.p50;
    const base = against === undefined ? undefined : rows.find((row) => row.contestant === against)?.p50;
    const bound = most ?? (base === undefined ? undefined : Math.max(base * (ratio ?? 1), base + (moreMs ?? 0)));
    const wanted = most === undefined
      ? `${ratio} × ${against}${moreMs ? ` or ${moreMs} ms more` : ""}`
      : `at most ${most}`;
    if (value === undefined || bound === undefined) {
      return { limit, state: "unknown", line: `${workload}, ${contestant}: not measured` };
    }
    const seen = base === undefined ? String(Number(value.toPrecision(4))) : `${(value / base).toFixed(2)} ×`;
    return {
      limit,
      state: value <= bound ? "kept" : "above",
      line: `${workload}, ${contestant}: ${seen} (limit ${wanted})`,
    };
  });
}

/** Refuses a row that says too little or two things. @throws Error naming what is missing or contradicts itself */
export function checkShape(limit: Limit): void {
  const { workload, contestant, against, ratio, most } = limit;
  const isRelative = typeof against === "string" && typeof ratio === "number" && ratio > 0;
  const isAbsolute = typeof most === "number" && most > 0;
  if (typeof workload !== "string" || typeof contestant !== "string" || isRelative === isAbsolute) {
    throw new Error(
      `A limit needs a workload, a contestant, and either against and ratio or most: ${JSON.stringify(limit)}`,
    );
  }
}

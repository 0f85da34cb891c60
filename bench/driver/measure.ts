/** Times of one workload, taken in turn: every round runs each contestant once, so that the load of the machine meets all of them. */

/** One program, or one bare call, that does the work. */
export interface Contestant {
  readonly name: string;
  /** Does the work once. A returned number is the measured time in milliseconds; otherwise the whole call is timed. */
  readonly run: () => Promise<number | void>;
  /** Makes ready for the next run; not timed. */
  readonly prepare?: () => Promise<void> | void;
}

/** One contestant's part of a result. Times are milliseconds unless the workload names another unit. */
export interface Row {
  readonly contestant: string;
  readonly p50: number;
  readonly p95: number;
  readonly samples: number;
}

/** A contestant that could not do the workload. */
export interface Failure {
  readonly contestant: string;
  readonly reason: string;
}

/** How often; warm-ups are not counted. */
export interface MeasureOptions {
  readonly rounds: number;
  readonly warmUps: number;
}

/** Runs all contestants in turn; one that fails is left out from there on and its reason is kept. */
export async function measure(
  contestants: readonly Contestant[],
  { rounds, warmUps }: MeasureOptions,
): Promise<{ rows: Row[]; failures: Failure[] }> {
  const times = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  const failures: Failure[] = [];
  for (let round = -warmUps; round < rounds; round++) {
    for (const contestant of contestants) {
      if (failures.some((failure) => failure.contestant === contestant.name)) continue;
      try {
        const elapsedMs = await timeOnce(contestant);
        if (round >= 0) times.get(contestant.name)?.push(elapsedMs);
      } catch (fault) {
        const reason = fault instanceof Error ? fault.message : String(fault);
        failures.push({ contestant: contestant.name, reason: reason.split("\n")[0]?.slice(0, 200) ?? "" });
      }
    }
  }
  const measured = contestants.filter(({ name }) => failures.every((failure) => failure.contestant !== name));
  return { rows: measured.map(({ name }) => summarize(name, times.get(name) ?? [])), failures };
}

/** Median and 95th percentile of some samples. */
export function summarize(contestant: string, samples: readonly number[]): Row {
  return { contestant, p50: quantile(samples, 0.5), p95: quantile(samples, 0.95), samples: samples.length };
}

/** Nearest-rank quantile; NaN without samples. */
export function quantile(samples: readonly number[], at: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(at * sorted.length) - 1))] ?? NaN;
}

async function timeOnce({ run, prepare }: Contestant): Promise<number> {
  await prepare?.();
  const startedAt = performance.now();
  const told = await run();
  return told ?? performance.now() - startedAt;
}

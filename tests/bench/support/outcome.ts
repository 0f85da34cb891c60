/** One measured workload with these medians. */

import type { Outcome } from "../../../bench/driver/report.ts";

/** Name of the contestant to milliseconds; the floor is `bare`. */
export function outcome(name: string, medians: Readonly<Record<string, number>>): Outcome {
  const rows = Object.entries(medians).map(([contestant, p50]) => ({ contestant, p50, p95: p50, samples: 3 }));
  return { name, about: "some work", unit: "ms", floor: "bare", load: 0, rows, failures: [] };
}

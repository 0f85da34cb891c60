/** Tables for people, on the terminal and in `docs/benchmarks.md`. */

import type { Verdict } from "./limits.ts";
import type { Machine } from "./machine.ts";
import type { Failure, Row } from "./measure.ts";

/** One workload, measured. */
export interface Outcome {
  readonly name: string;
  readonly about: string;
  readonly unit: string;
  readonly floor: string | null;
  /** Load average of one minute when it began. */
  readonly load: number;
  readonly rows: readonly Row[];
  readonly failures: readonly Failure[];
}

/** One run of the benchmark. */
export interface Report {
  readonly machine: Machine;
  readonly peers: readonly { readonly name: string; readonly version: string }[];
  readonly rounds: number;
  readonly outcomes: readonly Outcome[];
  readonly skipped: readonly { readonly what: string; readonly reason: string }[];
}

/** Prints one workload as soon as it is measured. */
export function printOutcome(outcome: Outcome): void {
  console.log(`\n${outcome.name}`);
  for (const cells of tableOf(outcome)) {
    const [name = "", ...figures] = cells;
    console.log(`  ${name.padEnd(30)}${figures.map((text) => text.padStart(12)).join("")}`);
  }
  for (const { contestant, reason } of outcome.failures) console.log(`  ${contestant.padEnd(30)}  failed: ${reason}`);
}

/** Writes the whole report; the file says how it was made. */
export function writeMarkdown(path: string, report: Report, verdicts: readonly Verdict[]): void {
  const { machine, peers, skipped } = report;
  const programs = Object.entries(machine.programs).map(([name, version]) => `${name} ${version}`).join("; ");
  const lines = [
    "# Benchmarks",
    "",
    "Written by `deno task bench --write`; do not edit. Each workload runs all its contestants in turn, one warm-up and",
    `then ${report.rounds} rounds (three times as many for quick workloads, a third for slow ones), so that the load of the machine`,
    "meets all of them. Figures are medians and 95th percentiles; the ratio divides by the median of the floor.",
    "`bench/limits.json` holds the ratios that only a reviewed change may raise; `deno task bench --check` compares.",
    "",
    `- Date ${machine.date}, ${machine.system}, ${machine.cores} × ${machine.processor}, ${
      (machine.memoryBytes / 2 ** 30).toFixed(0)
    } GiB`,
    `- ${programs}`,
    `- Servers: ${peers.map(({ name, version }) => `${name} ${version}`).join("; ")}`,
    ...skipped.map(({ what, reason }) => `- Skipped: ${what}: ${escape(reason)}`),
    "",
    "## Limits",
    "",
    "| Limit | Measured |",
    "| --- | --- |",
    ...verdicts.map(({ line, state }) => {
      const [, name = line, rest = ""] = /^(.*): (.*)$/.exec(line) ?? [];
      const told = state === "above" ? `**${rest}, exceeded**` : rest;
      return `| ${escape(name)} | ${escape(told)} |`;
    }),
    ...report.outcomes.flatMap(section),
    "",
  ];
  Deno.writeTextFileSync(path, lines.join("\n"));
}

function section(outcome: Outcome): string[] {
  const [head = [], ...rows] = tableOf(outcome);
  return [
    "",
    `## ${outcome.name}`,
    "",
    `${outcome.about[0]?.toUpperCase()}${outcome.about.slice(1)}. Load average ${outcome.load.toFixed(0)}.`,
    "",
    `| ${head.join(" | ")} |`,
    `| --- |${" ---: |".repeat(head.length - 1)}`,
    ...rows.map((cells) => `| ${cells.map(escape).join(" | ")} |`),
    ...outcome.failures.map(({ contestant, reason }) =>
      `| ${escape(contestant)} | ${
        ["failed", escape(reason.slice(0, 100)), ...head.slice(3).map(() => "")].join(" | ")
      } |`
    ),
  ];
}

function tableOf({ rows, floor, unit }: Outcome): string[][] {
  const isSampled = rows.some((row) => row.samples > 1);
  const base = rows.find((row) => row.contestant === floor)?.p50;
  const ratio = (value: number) => base === undefined ? [] : [(value / base).toFixed(2)];
  const head = isSampled
    ? ["", `p50 ${unit}`, `p95 ${unit}`, ...(base === undefined ? [] : ["ratio"])]
    : ["", unit, ...(base === undefined ? [] : ["ratio"])];
  return [
    head,
    ...rows.map(({ contestant, p50, p95 }) =>
      isSampled ? [contestant, figure(p50), figure(p95), ...ratio(p50)] : [contestant, figure(p50), ...ratio(p50)]
    ),
  ];
}

function figure(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(value < 10 ? 2 : 1);
}

function escape(text: string): string {
  return text.replaceAll("|", "\\|");
}

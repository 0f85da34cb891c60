/** Tables for people, on the terminal and in `docs/benchmarks.md`. */

import { type Verdict, wantedOf } from "./limits.ts";
import type { Row } from "./measure.ts";
import type { Outcome, Report, Run } from "./report.ts";

/** One workload for the terminal. */
export function tableText(outcome: Outcome): string {
  const lines = tableOf(outcome).map(([name = "", ...figures]) =>
    `  ${name.padEnd(30)}${figures.map((text) => text.padStart(14)).join("")}`
  );
  const failures = outcome.failures.map(({ contestant, reason }) => `  ${contestant.padEnd(30)}  ${reason}`);
  return ["", outcome.name, ...lines, ...failures].join("\n");
}

/** All limits for the terminal, those that are not kept last. */
export function verdictText(verdicts: readonly Verdict[]): string {
  const order = ["kept", "unknown", "failed", "above"];
  const absent = [...new Set(verdicts.filter(({ state }) => state === "absent").map(({ limit }) => limit.workload))];
  const sorted = verdicts.filter(({ state }) => state !== "absent").toSorted((a, b) =>
    order.indexOf(a.state) - order.indexOf(b.state)
  );
  const lines = sorted.map(({ limit, state, seen }) =>
    `  ${WORDS[state].padEnd(13)}${`${limit.workload}, ${limit.contestant}`.padEnd(62)} ${seen} (${wantedOf(limit)})`
  );
  const count = (...states: Verdict["state"][]) => verdicts.filter(({ state }) => states.includes(state)).length;
  return [
    "",
    "Limits",
    ...lines,
    ...(absent.length === 0 ? [] : [`  not measured: ${absent.join("; ")}`]),
    `${count("kept")} limits kept, ${count("above")} exceeded, ${count("failed")} failed, ${
      count("unknown", "absent")
    } not compared`,
  ].join("\n");
}

/** The whole report as `docs/benchmarks.md`; the file says how it was made. */
export function markdownOf({ runs, outcomes }: Report, verdicts: readonly Verdict[]): string {
  return [
    ...HEAD,
    ...runs.flatMap((run, index) => [`## ${nameOfRun(index, runs)}`, "", ...aboutRun(run), ""]),
    "## Limits",
    "",
    "| Workload | Who | Limit | Measured | |",
    "| --- | --- | --- | --- | --- |",
    ...verdicts.map(({ limit, state, seen }) =>
      `| ${
        [limit.workload, limit.contestant, wantedOf(limit), seen, state === "kept" ? "kept" : `**${WORDS[state]}**`]
          .map(escape).join(" | ")
      } |`
    ),
    ...outcomes.flatMap((outcome) => section(outcome, nameOfRun(outcome.run, runs))),
    "",
  ].join("\n");
}

const WORDS: Readonly<Record<Verdict["state"], string>> = {
  kept: "kept",
  above: "exceeded",
  failed: "failed",
  unknown: "not compared",
  absent: "not measured",
};

const HEAD = `# Benchmarks

Written by \`deno task bench --write\`; do not edit. Each workload runs all its contestants in turn, one warm-up and then the
rounds named below (three times as many for quick workloads, a third for slow ones), so that the load of the machine meets
all of them. Times are medians and 95th percentiles as a client sees them, the reading of the answer included; the ratio
divides by the median of the floor, which stands first. Answers are counted in bytes on the wire and in o200k tokens of
their text. \`bench/limits.json\` holds the ratios that only a reviewed change may raise; \`deno task bench --check\` compares.
Every answer is looked at: who did not do the work has no figure. Whoever needs over a minute for one turn has only that
one.

Public servers are those of the npm registry with the most downloads for each kind of work, at exact versions
(\`bench/peers/public_peers.ts\`). They run as they come, but without the scripts of their packages and with telemetry off.
Left out: \`@openai/codex-shell-tool-mcp\` answers only a client that brings codex's own sandbox;
\`@mako10k/mcp-shell-server\`, which has terminals, compiles a native module while it is installed; \`@j0hanz/filesystem-mcp\`
needs a package that the registry does not have. None was found that scales pictures of a workspace. Any other server joins
with \`--server 'NAME=COMMAND {workspace}'\`.
`.split("\n");

function nameOfRun(index: number, runs: readonly Run[]): string {
  return runs.length === 1 ? "Run" : `Run ${index + 1}`;
}

function aboutRun({ machine, servers, rounds, skipped }: Run): string[] {
  const programs = Object.entries(machine.programs).map(([name, version]) => `${name} ${version}`).join("; ");
  const memory = (machine.memoryBytes / 2 ** 30).toFixed(0);
  return [
    `- Date ${machine.date}, ${machine.system}, ${machine.cores} × ${machine.processor}, ${memory} GiB; ${rounds} rounds`,
    `- Programs: ${programs}`,
    `- Servers: ${servers.map(({ name, version }) => `${name} ${version}`).join("; ")}`,
    ...skipped.map(({ what, reason }) => `- Skipped: ${what}: ${escape(reason)}`),
  ];
}

function section(outcome: Outcome, run: string): string[] {
  const [head = [], ...rows] = tableOf(outcome);
  const { about, load, failures } = outcome;
  const end = run === "Run" ? "" : ` ${run}.`;
  return [
    "",
    `## ${outcome.name}`,
    "",
    `${about[0]?.toUpperCase()}${about.slice(1)}. Load average ${load.toFixed(0)}.${end}`,
    "",
    `| ${head.join(" | ")} |`,
    `| --- |${" ---: |".repeat(head.length - 1)}`,
    ...rows.map((cells) => `| ${cells.map(escape).join(" | ")} |`),
    ...(failures.length === 0 ? [] : ["", "Not in the table:", ""]),
    ...failures.map(({ contestant, reason }) => `- ${contestant}: ${escape(reason)}`),
  ];
}

function tableOf({ rows, floor, unit }: Outcome): string[][] {
  const base = rows.find((row) => row.contestant === floor)?.p50;
  const isSampled = rows.some((row) => row.samples > 1);
  const hasAnswers = rows.some((row) => row.answer !== undefined);
  const columns: [string, (row: Row) => string][] = [
    ["", (row) => row.contestant],
    [isSampled ? `p50 ${unit}` : unit, (row) => figure(row.p50)],
    ...(isSampled ? [[`p95 ${unit}`, (row) => figure(row.p95)] satisfies [string, (row: Row) => string]] : []),
    ...(base === undefined
      ? []
      : [["ratio", (row) => (row.p50 / base).toFixed(2)] satisfies [string, (row: Row) => string]]),
    ...(hasAnswers ? ANSWER_COLUMNS : []),
  ];
  return [columns.map(([head]) => head), ...rows.map((row) => columns.map(([, cell]) => cell(row)))];
}

const ANSWER_COLUMNS: [string, (row: Row) => string][] = [
  ["answer bytes", ({ answer }) => answer === undefined ? "" : figure(answer.bytes)],
  ["tokens", ({ answer }) => answer === undefined ? "" : answer.tokens === null ? "many" : figure(answer.tokens)],
];

function figure(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString("en-US");
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(value < 10 ? 2 : 1);
}

function escape(text: string): string {
  return text.replaceAll("|", "\\|");
}

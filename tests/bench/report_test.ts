/** What is kept of several runs, and how it is shown. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkLimits } from "../../bench/driver/limits.ts";
import { addRun, readReport, type Report, type Run } from "../../bench/driver/report.ts";
import { markdownOf, tableText } from "../../bench/driver/tables.ts";
import { outcome } from "./support/outcome.ts";

const EMPTY: Report = { runs: [], outcomes: [] };

function run(date: string, server: string): Run {
  const machine = { date, system: "linux", processor: "P", cores: 2, memoryBytes: 2 ** 30, programs: { git: "2.39" } };
  return { machine, servers: [{ name: server, version: "1.0" }], rounds: 9, skipped: [] };
}

Deno.test("each outcome keeps the run that it comes from, and a run of which nothing is left goes", () => {
  const first = addRun(EMPTY, { run: run("one", "a"), outcomes: [outcome("x", { v: 1 }), outcome("y", { v: 1 })] });
  const second = addRun(first, { run: run("two", "b"), outcomes: [outcome("y", { v: 2 })] });
  const facts = ({ runs, outcomes }: Report) =>
    outcomes.map(({ name, rows, run }) => [name, rows[0]?.p50, runs[run]?.machine.date]);
  deepStrictEqual(facts(second), [["x", 1, "one"], ["y", 2, "two"]]);
  const third = addRun(second, { run: run("three", "c"), outcomes: [outcome("x", { v: 3 })] });
  deepStrictEqual(facts(third), [["y", 2, "two"], ["x", 3, "three"]]);
  deepStrictEqual(third.runs.map(({ machine }) => machine.date), ["two", "three"]);
});

Deno.test("runs of the same machine, servers and rounds are one", () => {
  const first = addRun(EMPTY, { run: run("one", "a"), outcomes: [outcome("x", { v: 1 })] });
  const second = addRun(first, { run: run("one", "a"), outcomes: [outcome("y", { v: 2 })] });
  deepStrictEqual([second.runs.length, second.outcomes.map((outcome) => outcome.run)], [1, [0, 0]]);
});

Deno.test("the document names machine and servers of each run, and each table its run", () => {
  const first = addRun(EMPTY, { run: run("2026-01-01", "a"), outcomes: [outcome("x", { v: 1 })] });
  ok(!markdownOf(first, []).includes("Run 1"));
  const second = addRun(first, { run: run("2026-02-02", "b"), outcomes: [outcome("y", { v: 2 })] });
  const text = markdownOf(second, []);
  match(text, /## Run 1\n\n- Date 2026-01-01.*\n.*\n- Servers: a 1\.0/);
  match(text, /## Run 2\n\n- Date 2026-02-02.*\n.*\n- Servers: b 1\.0/);
  match(text, /## x\n\nSome work\. Load average 0\. Run 1\./);
  match(text, /## y\n\nSome work\. Load average 0\. Run 2\./);
});

Deno.test("the document says in words who is not in a table, and marks limits that are not kept", () => {
  const failures = [{ contestant: "peer", reason: "has no | such tool" }];
  const measured = { ...outcome("x", { ours: 3, bare: 1 }), failures };
  const report = addRun(EMPTY, { run: run("d", "a"), outcomes: [measured] });
  const limits = [{ workload: "x", contestant: "ours", against: "bare", ratio: 2, issue: 1 }];
  const text = markdownOf(report, checkLimits(report.outcomes, limits));
  ok(text.includes("| x | ours | at most 2 × bare | 3.00 × | **exceeded** |"));
  ok(text.includes("Not in the table:\n\n- peer: has no \\| such tool"));
  ok(text.includes("| ours | 3 | 3 | 3.00 |"));
});

Deno.test("a table has columns for answers only where there are any, and no ratio without its floor", () => {
  const plain = outcome("x", { ours: 3 });
  deepStrictEqual(tableText(plain).split("\n").at(2)?.trim().split(/ {2,}/), ["p50 ms", "p95 ms"]);
  const [row] = plain.rows;
  ok(row !== undefined);
  const sized = { ...plain, rows: [{ ...row, answer: { bytes: 2_000_000, tokens: null } }] };
  match(tableText(sized), /answer bytes +tokens\n +ours +3 +3 +2,000,000 +many$/);
});

Deno.test("a report of another form, or none, is nothing to add to", () => {
  const directory = mkdtempSync(join(tmpdir(), "vise-report-test-"));
  try {
    const path = join(directory, "bench.json");
    strictEqual(readReport(path), null);
    writeFileSync(path, JSON.stringify({ machine: {}, peers: [], outcomes: [{ name: "x", rows: [] }] }));
    strictEqual(readReport(path), null);
    const report = addRun(EMPTY, { run: run("d", "a"), outcomes: [outcome("x", { v: 1 })] });
    writeFileSync(path, JSON.stringify(report));
    deepStrictEqual(readReport(path), report);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

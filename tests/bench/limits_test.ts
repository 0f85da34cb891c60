/** The limits of the benchmark are whole, and the tasks that the documents name exist. Nothing here measures time. */

import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { checkLimits, checkShape, readLimits } from "../../bench/driver/limits.ts";
import { quantile } from "../../bench/driver/measure.ts";
import { REPOSITORY } from "../support/server_command.ts";

Deno.test("bench/limits.json is well formed and names each pair once", async () => {
  const limits = await readLimits();
  ok(limits.length > 30);
  const keys = limits.map(({ workload, contestant, against = "" }) => `${workload}|${contestant}|${against}`);
  strictEqual(new Set(keys).size, keys.length);
});

Deno.test("a limit with neither or both kinds of bound is refused", () => {
  throws(() => checkShape({ workload: "a", contestant: "b" }), /either/);
  throws(() => checkShape({ workload: "a", contestant: "b", against: "c", ratio: 1, most: 2 }), /either/);
});

Deno.test("checkLimits compares medians, and takes the larger of ratio and extra", () => {
  const row = (contestant: string, p50: number) => ({ contestant, p50, p95: p50, samples: 3 });
  const outcomes = [
    {
      name: "work",
      about: "",
      unit: "ms",
      floor: "bare",
      load: 0,
      failures: [],
      rows: [row("ours", 12), row("bare", 5)],
    },
  ];
  const limit = { workload: "work", contestant: "ours", against: "bare" };
  const states = checkLimits({ outcomes }, [
    { ...limit, ratio: 2 },
    { ...limit, ratio: 2, or_more_ms: 8 },
    { ...limit, ratio: 2.5 },
    { workload: "work", contestant: "ours", most: 11 },
    { workload: "other", contestant: "ours", most: 11 },
  ]).map(({ state }) => state);
  deepStrictEqual(states, ["above", "kept", "kept", "above", "unknown"]);
});

Deno.test("quantile takes the nearest rank", () => {
  const samples = [5, 1, 4, 2, 3];
  deepStrictEqual([0, 0.5, 0.95, 1].map((at) => quantile(samples, at)), [1, 3, 5, 5]);
});

Deno.test("every task that README and CONTRIBUTING name exists", () => {
  const { tasks } = JSON.parse(readFileSync(`${REPOSITORY}deno.json`, "utf8"));
  for (const name of ["README.md", "CONTRIBUTING.md"]) {
    const text = readFileSync(`${REPOSITORY}${name}`, "utf8");
    const named = [...text.matchAll(/(?:deno|deno@[\d.]+) task (?:-\w+ )?([a-z]+)/g)].map((match) => match[1] ?? "");
    ok(named.length > 0);
    for (const task of named) ok(task in tasks, `${name} names the task ${task}`);
  }
});

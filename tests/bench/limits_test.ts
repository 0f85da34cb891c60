/** The limits of the benchmark are whole and rightly compared. Nothing here measures time. */

import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { checkLimits, checkShape, exitCodeOf, type Limit, readLimits, wantedOf } from "../../bench/driver/limits.ts";
import type { Outcome } from "../../bench/driver/report.ts";
import { verdictText } from "../../bench/driver/tables.ts";
import { REPOSITORY } from "../support/server_command.ts";
import { outcome } from "./support/outcome.ts";

const BASE: Limit = { workload: "work", contestant: "ours", against: "bare", ratio: 2, issue: 1 };

Deno.test("bench/limits.json is well formed and names each pair and bound once", async () => {
  const limits = await readLimits();
  ok(limits.length > 50);
  const keys = limits.map((limit) => `${limit.workload}|${limit.contestant}|${wantedOf(limit)}`);
  strictEqual(new Set(keys).size, keys.length);
});

Deno.test("the bars that issues set are in bench/limits.json as they were set", async () => {
  const limits = await readLimits();
  const bars = (workload: string) =>
    limits.filter((limit) => limit.workload === workload && limit.issue !== undefined).map(wantedOf);
  deepStrictEqual(bars("start"), ["at most 1.5 × empty Deno program"]);
  deepStrictEqual(bars("start from sources"), ["at most 2.5 × empty Deno program"]);
  deepStrictEqual(bars("memory at rest"), ["at most 80,000,000", "at most 80,000,000"]);
  deepStrictEqual(bars("read small file"), ["at most 1"]);
  deepStrictEqual(bars("read near the end of 20 MB"), [
    "at most 1.2 × sha256sum",
    "at most 86",
    "at most 1 × desktop-commander",
  ]);
  deepStrictEqual(bars("list 10,000 files"), ["at most 1.5 × ripgrep", "at most 0.1 × server-filesystem"]);
  for (const [kind, ratio] of [["rare literal", 1.5], ["regex with literal", 1.5], ["regex without literal", 5]]) {
    deepStrictEqual(bars(`search: ${kind}`), [`at most ${ratio} × ripgrep`, "at most 1 × desktop-commander"]);
  }
  deepStrictEqual(bars("memory growth by searching"), ["at most 104,000,000"]);
  deepStrictEqual(bars("patch one small file"), ["at most 0.5 × desktop-commander"]);
  deepStrictEqual(bars("exec true"), ["at most 2 × posix_spawn"]);
  deepStrictEqual(bars("flood of 1 GiB"), ["at most 2 × cat"]);
  deepStrictEqual(bars("memory growth by a flood"), ["at most 32,000,000"]);
  deepStrictEqual(bars("terminal round trip"), ["at most 2"]);
  strictEqual(new Set(bars("sandbox")).size, 1);
  strictEqual(bars("sandbox").length, 4);
  for (const tool of ["diff", "diff, staged", "log", "log of a file", "show", "blame"]) {
    deepStrictEqual(bars(`git ${tool}`), ["at most 1.3 × git, or 8 ms more"]);
  }
  deepStrictEqual(bars("image JPG"), ["at most 2.5 × Pillow"]);
  deepStrictEqual(bars("image PNG"), ["at most 1.2 × Pillow"]);
  deepStrictEqual(bars("memory of the image decoder"), ["at most 216,000,000"]);
});

Deno.test("every workload that a limit names exists in the rooms", async () => {
  const rooms = [...Deno.readDirSync(`${REPOSITORY}bench/workloads`)].map(({ name }) =>
    readFileSync(`${REPOSITORY}bench/workloads/${name}`, "utf8")
  ).join("\n");
  for (const { workload } of await readLimits()) {
    const word = workload.replace(/^(git|search:|image) /, "");
    ok(rooms.includes(`"${word}"`) || /^image (JPG|PNG)$/.test(workload), workload);
  }
});

Deno.test("a limit with neither or both kinds of bound, or without its origin, is refused", () => {
  throws(() => checkShape({ workload: "a", contestant: "b", issue: 1 }), /either/);
  throws(() => checkShape({ ...BASE, most: 2 }), /either/);
  throws(() => checkShape({ workload: "a", contestant: "b", most: 2 }), /issue/);
  throws(() => checkShape({ ...BASE, why: "both" }), /issue/);
  checkShape({ workload: "a", contestant: "b", most: 2, why: "measured" });
});

Deno.test("checkLimits compares medians, and takes the larger of ratio and extra", () => {
  const states = checkLimits([outcome("work", { ours: 12, bare: 5 })], [
    BASE,
    { ...BASE, or_more_ms: 8 },
    { ...BASE, ratio: 1, or_more_ms: 6 },
    { ...BASE, ratio: 2.5 },
    { workload: "work", contestant: "ours", most: 11, issue: 1 },
    { workload: "other", contestant: "ours", most: 11, issue: 1 },
    { ...BASE, against: "nobody" },
  ]).map(({ state }) => state);
  deepStrictEqual(states, ["above", "kept", "above", "kept", "above", "absent", "unknown"]);
});

Deno.test("a contestant that failed has not kept its limit, and whoever it is compared with may fail", () => {
  const failures = [{ contestant: "ours", reason: "failed: exit code 1" }];
  const [own] = checkLimits([{ ...outcome("work", { bare: 5 }), failures }], [BASE]);
  deepStrictEqual([own?.state, own?.seen], ["failed", "failed: exit code 1"]);
  const other = [{ contestant: "bare", reason: "failed: not installed" }];
  const [compared] = checkLimits([{ ...outcome("work", { ours: 5 }), failures: other }], [BASE]);
  deepStrictEqual([compared?.state, compared?.seen], ["unknown", "bare: failed: not installed"]);
});

Deno.test("the exit code is 1 for an exceeded limit or a failure, 2 when nothing was compared, else 0", () => {
  const code = (outcomes: readonly Outcome[]) => exitCodeOf(checkLimits(outcomes, [BASE]));
  strictEqual(code([outcome("work", { ours: 9, bare: 5 })]), 0);
  strictEqual(code([outcome("work", { ours: 11, bare: 5 })]), 1);
  strictEqual(code([{ ...outcome("work", { bare: 5 }), failures: [{ contestant: "ours", reason: "failed" }] }]), 1);
  strictEqual(code([outcome("work", { ours: 9 })]), 2);
  strictEqual(code([]), 2);
});

Deno.test("two limits of one workload are told apart by what they compare with", () => {
  const verdicts = checkLimits([outcome("work", { ours: 11, bare: 5 })], [
    BASE,
    { ...BASE, against: "peer" },
    { ...BASE, workload: "other" },
  ]);
  const lines = verdictText(verdicts).split("\n");
  match(lines.find((line) => line.includes("exceeded ")) ?? "", /work, ours +2\.20 × \(at most 2 × bare\)/);
  match(lines.find((line) => line.includes("not compared ")) ?? "", /peer: did not take part \(at most 2 × peer\)/);
  strictEqual(lines.at(-2), "  not measured: other");
  strictEqual(lines.at(-1), "0 limits kept, 1 exceeded, 0 failed, 2 not compared");
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

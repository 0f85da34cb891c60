/** Who runs when, what counts, and who is left out. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { answered, measure, quantile, readProbes, type Runner } from "../../bench/driver/measure.ts";
import { runRooms, runWorkload } from "../../bench/driver/run_rooms.ts";
import { openRoom, type Scene } from "../../bench/driver/workload.ts";

Deno.test("contestants run in turn, warm-up first, and each sample is made ready and settled", async () => {
  const log: string[] = [];
  const runner = (name: string): Runner => ({
    name,
    prepare: () => void log.push(`prepare ${name}`),
    run: () => {
      log.push(name);
      return Promise.resolve({ settle: () => void log.push(`settle ${name}`) });
    },
  });
  const { rows } = await measure([runner("a"), runner("b")], { rounds: 2, warmUps: 1 });
  const turn = ["prepare a", "a", "settle a", "prepare b", "b", "settle b"];
  deepStrictEqual(log, [...turn, ...turn, ...turn]);
  deepStrictEqual(rows.map(({ contestant, samples }) => [contestant, samples]), [["a", 2], ["b", 2]]);
});

Deno.test("a sample is the mean of its calls, or the time that the run names", async () => {
  let calls = 0;
  const { rows } = await measure([
    { name: "mean", calls: 5, run: () => Promise.resolve(void calls++) },
    { name: "named", run: () => Promise.resolve({ ms: 7 }) },
  ], { rounds: 2, warmUps: 0 });
  strictEqual(calls, 10);
  deepStrictEqual(rows[1], { contestant: "named", p50: 7, p95: 7, samples: 2 });
});

Deno.test("whoever takes very long has one sample, the warm-up", async () => {
  const asked: string[] = [];
  const runner = (name: string, ms: number): Runner => ({
    name,
    run: () => Promise.resolve({ ms, settle: () => void asked.push(name) }),
  });
  const contestants = [runner("slow", 11), runner("quick", 10)];
  const { rows } = await measure(contestants, { rounds: 2, warmUps: 1, longSampleMs: 10 });
  deepStrictEqual(rows.map(({ contestant, p50, samples }) => [contestant, p50, samples]), [["slow", 11, 1], [
    "quick",
    10,
    2,
  ]]);
  deepStrictEqual(asked, ["slow", "quick", "quick", "quick"]);
});

Deno.test("who fails once, or settles badly, is left out with the reason; who cannot take part says why", async () => {
  let runs = 0;
  const { rows, failures } = await measure([
    { name: "well", run: () => Promise.resolve({ ms: 1 }) },
    {
      name: "late",
      run: () => ++runs < 2 ? Promise.resolve() : Promise.reject(new Error("broke\0\0\x1b \nsecond line")),
    },
    { name: "lazy", run: () => Promise.resolve(answered({ bytes: 2, result: { content: [] } }, "the line")) },
    { name: "unable", reason: "has no such tool" },
  ], { rounds: 3, warmUps: 0 });
  deepStrictEqual(rows.map(({ contestant }) => contestant), ["well"]);
  strictEqual(runs, 2);
  deepStrictEqual(failures, [
    { contestant: "unable", reason: "has no such tool" },
    { contestant: "lazy", reason: "failed: the answer does not hold the line" },
    { contestant: "late", reason: "failed: broke" },
  ]);
});

Deno.test("the size of an answer is its bytes on the wire and the tokens of its text, which very long ones have not", async () => {
  const reply = (text: string) => ({ bytes: 100, result: { content: [{ text }], structuredContent: { a: 1 } } });
  const { rows } = await measure([
    { name: "short", run: () => Promise.resolve({ reply: reply("one two three") }) },
    { name: "long", run: () => Promise.resolve({ reply: reply("x ".repeat(200_000)) }) },
    { name: "none", run: () => Promise.resolve() },
  ], { rounds: 1, warmUps: 0 });
  deepStrictEqual(rows.map(({ answer }) => answer), [
    { bytes: 100, tokens: 3 },
    { bytes: 100, tokens: null },
    undefined,
  ]);
});

Deno.test("a probe that fails does not take the others with it", async () => {
  const measured = await readProbes([
    { name: "a", read: () => 1 },
    { name: "b", read: () => Promise.reject(new Error("no /proc")) },
    { name: "c", read: () => Promise.resolve(3) },
  ]);
  deepStrictEqual(measured.rows.map(({ contestant, p50 }) => [contestant, p50]), [["a", 1], ["c", 3]]);
  deepStrictEqual(measured.failures, [{ contestant: "b", reason: "failed: no /proc" }]);
});

Deno.test("quick workloads have three times the rounds and slow ones a third", async () => {
  const samples = async (weight: "quick" | "normal" | "slow") => {
    const contestants = [{ name: "a", run: () => Promise.resolve() }];
    const { rows } = await runWorkload({ name: "w", about: "", weight, contestants }, { rounds: 9 });
    return rows[0]?.samples;
  };
  deepStrictEqual([await samples("quick"), await samples("normal"), await samples("slow")], [27, 9, 3]);
});

Deno.test("only what was asked for runs; a room that cannot be opened is skipped with its reason; the others are closed", async () => {
  const skipped: string[] = [];
  const scene = { skip: (what: string, reason: string) => void skipped.push(`${what}: ${reason}`) } as unknown as Scene;
  let closed = 0;
  const closer = { [Symbol.dispose]: () => void closed++ };
  const workload = (name: string) => ({ name, about: "", values: [{ name: "a", read: () => 1 }] });
  const rooms = [
    { name: "broken", open: () => Promise.reject(new Error("no such program")) },
    { name: "well", open: () => Promise.resolve(openRoom([workload("one"), workload("two")], closer)) },
    { name: "other", open: () => Promise.resolve(openRoom([workload("three")], closer)) },
  ];
  const seen: string[] = [];
  const only = [{ room: "broken", text: "" }, { room: "well", text: "tw" }];
  await runRooms(rooms, { scene, flags: { only, rounds: 1 }, onOutcome: ({ name }) => void seen.push(name) });
  deepStrictEqual(seen, ["two"]);
  deepStrictEqual(skipped, ["the room broken: no such program"]);
  strictEqual(closed, 1);
});

Deno.test("quantile takes the nearest rank", () => {
  const samples = [5, 1, 4, 2, 3];
  deepStrictEqual([0, 0.5, 0.95, 1].map((at) => quantile(samples, at)), [1, 3, 5, 5]);
});

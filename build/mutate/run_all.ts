/** Shares the mutants of a room among processes and collects what became of each. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Mutant } from "./mutant.ts";
import type { Baseline, Job, Report } from "./run_mutants.ts";

/** What became of one mutant. */
export interface Outcome {
  readonly room: string;
  readonly mutant: Mutant;
  /** `unreached`: no test runs this code. */
  readonly verdict: "killed" | "survived" | "unreached" | "hung";
  /** The test that noticed. */
  readonly by: string | null;
}

/** One room, instrumented. */
export interface RoomRun {
  readonly room: string;
  /** Instrumented copy of the repository. */
  readonly copy: string;
  readonly mutants: readonly Mutant[];
  readonly tests: readonly string[];
  /** Names of tests that are left out. */
  readonly guards: RegExp | null;
  readonly jobs: number;
}

/** A process that says nothing for so long hangs in one call, such as a regular expression. */
const SILENCE_MS = 60_000;
const POLL_MS = 1_000;

/** Tries every mutant of the room. @throws Error when a test fails without any mutant */
export async function runAll(run: RoomRun): Promise<Outcome[]> {
  const modules = await testModules(run);
  const skipped = run.guards?.source ?? null;
  const [first] = await reportsOf(run, { modules, skipped, baseline: null, mutants: [] });
  if (first?.kind !== "baseline") throw new Error(`the tests of ${run.room} fail without any mutant`);
  const { tests: baseline, constants, fixed } = first;
  for (const id of fixed) throw new Error(`cannot switch what runs once at load: ${run.mutants[id]?.code}`);
  const outcomes: Outcome[] = [];
  const settle: Settle = (id, verdict, by) => {
    outcomes.push({ room: run.room, mutant: run.mutants[id] as Mutant, verdict, by });
  };
  const inConstants = new Set(constants);
  const all = [...baseline.keys()].sort((a, b) => (baseline[a] as Baseline).ms - (baseline[b] as Baseline).ms);
  const reachedBy = testsByMutant(baseline, all);
  const reachedIn = testsByFile(run.mutants, reachedBy);
  const queue: Job["mutants"][number][] = [];
  for (const { id, file, code } of run.mutants) {
    // Who uses a constant is not known: functions of its file, or anybody when it is exported.
    const inFile = code.startsWith("export ") ? all : all.filter((index) => reachedIn.get(file)?.has(index));
    const tests = inConstants.has(id) ? inFile : reachedBy.get(id);
    if (tests === undefined) settle(id, "unreached", null);
    else queue.push({ id, tests });
  }
  const work = async (): Promise<void> => {
    while (queue.length > 0) {
      await settleBatch(run, { modules, skipped, baseline, mutants: queue.splice(0, BATCH) }, settle);
      console.error(`${run.room}: ${outcomes.length} of ${run.mutants.length}`);
    }
  };
  await Promise.all(Array.from({ length: run.jobs }, work));
  return outcomes.sort((a, b) => a.mutant.id - b.mutant.id);
}

/** Mutants that share a process before it is replaced. */
const BATCH = 60;

type Settle = (id: number, verdict: Outcome["verdict"], by: string | null) => void;

async function settleBatch(run: RoomRun, job: Job, settle: Settle): Promise<void> {
  let left = job.mutants;
  let retried = -1;
  while (left.length > 0) {
    const reports = await reportsOf(run, { ...job, mutants: left });
    const done = new Set<number>();
    const settled = (id: number, verdict: Outcome["verdict"], by: string | null): void => {
      done.add(id);
      settle(id, verdict, by);
    };
    for (const report of reports) {
      if (report.kind === "killed") settled(report.id, "killed", report.by);
      if (report.kind === "survived") settled(report.id, "survived", null);
      if (report.kind === "spoiled") console.error(`${run.mutants[report.id]?.change}: ${report.by} ${report.isHung}`);
      if (report.kind === "spoiled" && report.isHung) settled(report.id, "hung", report.by);
    }
    const stopped = left.find(({ id }) => !done.has(id));
    if (stopped !== undefined && done.size === 0) {
      // The same once more in a fresh process; then it is the mutant that ends or blocks it.
      if (retried === stopped.id) settled(stopped.id, "hung", null);
      retried = stopped.id;
    }
    left = left.filter(({ id }) => !done.has(id));
  }
}

async function reportsOf(run: RoomRun, job: Job): Promise<Report[]> {
  const file = await Deno.makeTempFile({ dir: run.copy, suffix: ".json" });
  const reportFile = `${file}.reports`;
  await Deno.writeTextFile(file, JSON.stringify(job));
  await Deno.writeTextFile(reportFile, "");
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--quiet", "build/mutate/run_mutants.ts", file, reportFile],
    cwd: run.copy,
    stdin: "null",
    stdout: "null",
    stderr: job.baseline === null ? "inherit" : "null",
  }).spawn();
  let isOver = false;
  const ended = child.status.finally(() => isOver = true);
  let [size, since] = [0, Date.now()];
  while (!isOver) {
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, POLL_MS))]);
    const now = (await Deno.stat(reportFile)).size;
    if (now !== size) [size, since] = [now, Date.now()];
    if (!isOver && Date.now() - since > SILENCE_MS) child.kill("SIGKILL");
  }
  const lines = (await Deno.readTextFile(reportFile)).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

function testsByMutant(baseline: readonly Baseline[], indexes: readonly number[]): Map<number, number[]> {
  const result = new Map<number, number[]>();
  for (const index of indexes) {
    for (const id of (baseline[index] as Baseline).reached) {
      const tests = result.get(id) ?? [];
      tests.push(index);
      result.set(id, tests);
    }
  }
  return result;
}

function testsByFile(mutants: readonly Mutant[], reachedBy: ReadonlyMap<number, number[]>): Map<string, Set<number>> {
  const result = new Map<string, Set<number>>();
  for (const { id, file } of mutants) {
    const tests = result.get(file) ?? new Set();
    for (const index of reachedBy.get(id) ?? []) tests.add(index);
    result.set(file, tests);
  }
  return result;
}

async function testModules(run: RoomRun): Promise<string[]> {
  const modules: string[] = [];
  for (const path of run.tests) {
    const full = join(run.copy, path);
    if ((await Deno.stat(full)).isFile) modules.push(pathToFileURL(full).href);
    else {
      for await (const { name } of Deno.readDir(full)) {
        if (name.endsWith("_test.ts")) modules.push(pathToFileURL(join(full, name)).href);
      }
    }
  }
  return modules.sort();
}

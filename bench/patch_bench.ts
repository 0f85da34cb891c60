/**
 * `deno run -A bench/patch_bench.ts`: changes through the real server against the floor of the same forced writes.
 *
 * The floor writes the same bytes with the same calls and nothing else: new file, fsync, rename, fsync of the directory.
 * Runs of both alternate; medians. `bench/patch_bench.ts DIRECTORY` makes the files there, to choose the disk.
 */

import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { TempWorkspace } from "../tests/support/temp_workspace.ts";
import { ViseProcess } from "../tests/support/vise_process.ts";

const SMALL_RUNS = 60;
const LARGE_RUNS = 3;
const FILES = 1_000;
const LARGE_LINES = 1_000_000;

using place = new TempWorkspace("work", Deno.args[0]);
await using vise = new ViseProcess(place.root);
await vise.request("ping");

await benchSmall();
await benchManyFiles();
await benchLargeFile();

async function benchSmall(): Promise<void> {
  const content = (n: number) => `head\nvalue ${n}\ntail\n`;
  place.write("small.txt", content(0));
  const ours: number[] = [];
  const floor: number[] = [];
  for (let n = 0; n < SMALL_RUNS; n++) {
    const patch = envelope(`*** Update File: small.txt`, " head", `-value ${n}`, `+value ${n + 1}`, " tail");
    ours.push(await timed(() => applied(patch)));
    floor.push(await timed(() => forcedWrite(place.path("floor.txt"), content(n))));
  }
  print("one small file", ours, floor);
}

async function benchManyFiles(): Promise<void> {
  const ours: number[] = [];
  const floor: number[] = [];
  for (let run = 0; run < LARGE_RUNS; run++) {
    const adds = Array.from(
      { length: FILES },
      (_, i) => `*** Add File: many${run}/d${i % 20}/f${i}.txt\n+line of file ${i}`,
    );
    ours.push(await timed(() => applied(envelope(...adds))));
    floor.push(
      await timed(() => {
        for (let i = 0; i < FILES; i++) {
          forcedWrite(place.path(`floor${run}/d${i % 20}/f${i}.txt`), `line of file ${i}\n`);
        }
      }),
    );
  }
  print(`${FILES} new files (floor: one after the other)`, ours, floor);
}

async function benchLargeFile(): Promise<void> {
  const lines = Array.from(
    { length: LARGE_LINES },
    (_, i) => `${String(i).padStart(8, "0")} ${"abcdefghij".repeat(9)}`,
  );
  const content = lines.join("\n") + "\n";
  place.write("large.txt", content);
  const ours: number[] = [];
  const floor: number[] = [];
  for (let run = 0; run < LARGE_RUNS; run++) {
    const line = lines[LARGE_LINES / 2 + run] as string;
    ours.push(await timed(() => applied(envelope("*** Update File: large.txt", `-${line}`, `+changed ${run}`))));
    floor.push(await timed(() => forcedWrite(place.path("floor.txt"), content)));
  }
  print(`one line of a file of ${Math.round(content.length / 1e6)} MB`, ours, floor);
}

function envelope(...lines: string[]): string {
  return ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
}

async function applied(patch: string): Promise<void> {
  const answer = await vise.call("apply_patch", { patch });
  if (answer.isError) throw new Error(answer.content[0]?.text);
}

function forcedWrite(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const temp = join(dirname(path), ".floor");
  writeFileSync(temp, "");
  const fd = openSync(temp, "w");
  writeSync(fd, content);
  fsyncSync(fd);
  closeSync(fd);
  renameSync(temp, path);
  const directory = openSync(dirname(path), "r");
  fsyncSync(directory);
  closeSync(directory);
}

async function timed(run: () => void | Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

function print(what: string, ours: number[], floor: number[]): void {
  const [a, b] = [median(ours), median(floor)];
  console.log(`${what}: vise ${a.toFixed(2)} ms, floor ${b.toFixed(2)} ms, ratio ${(a / b).toFixed(2)}`);
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

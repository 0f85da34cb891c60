/**
 * `deno task coverage [--floor PERCENT] [--worst COUNT] [--unreached PATH] [--write] [PATH...]`: runs the tests (all, or those
 * under PATH) and shows the lines reached per room, and the files with the most unreached lines; `coverage/report.txt`
 * keeps what was shown. `--write` writes the figures of the rooms to `docs/coverage.md`.
 *
 * Counts the test process and every server that the tests start, except one that was killed by SIGKILL (it writes no
 * profile). Exit 1 when a test failed, or when a room of the engine, the catalog or the protocol is below the floor.
 */

import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { REPOSITORY } from "../../tests/support/server_command.ts";
import { coveragePage } from "./coverage_page.ts";
import { type FileLines, lineRanges, readLcov } from "./lcov.ts";
import { ProfileThinner } from "./thin_profiles.ts";

/** Rooms that the floor holds for, each by itself. */
const HELD_ROOMS = /^src\/(?:engine|catalog|protocol)(?:\/|$)/;
const DIRECTORY = `${REPOSITORY}coverage`;
const PROFILES = `${DIRECTORY}/profiles`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    floor: { type: "string", default: "0" },
    worst: { type: "string", default: "30" },
    unreached: { type: "string", multiple: true, default: [] },
    write: { type: "boolean", default: false },
  },
});

const shown: string[] = [];
const testsPassed = await runTests(positionals.length > 0 ? positionals : ["src", "tests"]);
const files = await readReport(PROFILES, "reached.info");
files.push(...await neverLoaded(new Set(files.map(({ path }) => path))));
const rooms = Map.groupBy(files, ({ path }) => roomOf(path));
const isBelow = showRooms(rooms, Number(values.floor));
showFiles(Number(values.worst));
for (const prefix of values.unreached) showUnreached(prefix);
if (values.write) {
  const sums = [...rooms].map(([room, inRoom]) => sumOf(room, inRoom)).sort((a, b) => a.path < b.path ? -1 : 1);
  await Deno.writeTextFile(`${REPOSITORY}docs/coverage.md`, coveragePage(sums, new Date()));
  await deno(["fmt", "--quiet", "docs/coverage.md"]);
}
await Deno.writeTextFile(`${DIRECTORY}/report.txt`, shown.join("\n") + "\n");
Deno.exit(isBelow || !testsPassed ? 1 : 0);

async function runTests(paths: readonly string[]): Promise<boolean> {
  await Deno.remove(DIRECTORY, { recursive: true }).catch(() => {});
  await Deno.mkdir(PROFILES, { recursive: true });
  const thinner = new ProfileThinner(PROFILES, `file://${REPOSITORY}src/`);
  // The runtime tells the test process by DENO_COVERAGE_DIR where profiles go; tests/support passes it on to servers.
  const tested = deno([
    "test",
    "-A",
    "--parallel",
    "--quiet",
    `--coverage=${PROFILES}`,
    "--coverage-raw-data-only",
    ...paths,
  ]);
  await thinner.during(tested);
  console.log(`${thinner.seen} profiles`);
  return await tested;
}

async function readReport(profiles: string, name: string): Promise<FileLines[]> {
  const report = `${DIRECTORY}/${name}`;
  // The patterns of the command would leave out tests/…, and with it a repository that lies under such a name.
  if (!await deno(["coverage", "--quiet", "--lcov", `--output=${report}`, "--exclude=_test\\.ts$", profiles])) {
    Deno.exit(1);
  }
  return readLcov(await Deno.readTextFile(report), REPOSITORY);
}

/** Files that no test loaded, with all their lines unreached; those that hold only types have no lines. */
async function neverLoaded(loaded: ReadonlySet<string>): Promise<FileLines[]> {
  const missing = [...sourcesIn("src")].filter((path) => !loaded.has(path));
  if (missing.length === 0) return [];
  const profiles = `${DIRECTORY}/never_loaded`;
  const script = missing.map((path) => `import ${JSON.stringify(`file://${REPOSITORY}${path}`)};`).join("\n");
  await Deno.writeTextFile(`${DIRECTORY}/load.ts`, script);
  if (!await deno(["run", "--quiet", "-A", `--coverage=${profiles}`, `${DIRECTORY}/load.ts`])) Deno.exit(1);
  if (!existsSync(profiles)) return [];
  const read = await readReport(profiles, "never_loaded.info");
  return read.filter(({ path }) => missing.includes(path)).map(({ path, found, unreached }) => ({
    path,
    found,
    hit: 0,
    unreached,
  }));
}

function* sourcesIn(directory: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(`${REPOSITORY}${directory}`)) {
    const path = `${directory}/${name}`;
    if (isDirectory) yield* sourcesIn(path);
    else if (name.endsWith(".ts") && !name.endsWith("_test.ts")) yield path;
  }
}

/** `src/engine/patch`, `src/protocol`, `src/protocol/rev_2025_11_25`: at most three parts. */
function roomOf(path: string): string {
  return path.split("/").slice(0, -1).slice(0, 3).join("/");
}

function showRooms(rooms: ReadonlyMap<string, readonly FileLines[]>, floor: number): boolean {
  let isBelow = false;
  const total: FileLines[] = [];
  for (const [room, inRoom] of [...rooms].sort(([a], [b]) => a < b ? -1 : 1)) {
    const lines = sumOf(room, inRoom);
    total.push(lines);
    const fails = HELD_ROOMS.test(room) && percentOf(lines) < floor;
    isBelow ||= fails;
    show(row(lines) + (fails ? `  below ${floor} %` : ""));
  }
  show(row(sumOf("src", total)));
  return isBelow;
}

function showFiles(count: number): void {
  show(`\nThe ${count} files with the most unreached lines:`);
  const worst = [...files].sort((a, b) => b.unreached.length - a.unreached.length).slice(0, count);
  for (const file of worst) show(row(file));
}

function showUnreached(prefix: string): void {
  show(`\nUnreached lines in ${prefix}:`);
  for (const { path, unreached } of files) {
    if (path.startsWith(prefix) && unreached.length > 0) show(`${path}: ${lineRanges(unreached)}`);
  }
}

function sumOf(path: string, files: readonly FileLines[]): FileLines {
  const found = files.reduce((sum, file) => sum + file.found, 0);
  const hit = files.reduce((sum, file) => sum + file.hit, 0);
  return { path, found, hit, unreached: [] };
}

function percentOf({ found, hit }: FileLines): number {
  return found === 0 ? 100 : 100 * hit / found;
}

function row(lines: FileLines): string {
  const { path, found, hit } = lines;
  return `${path.padEnd(46)} ${String(hit).padStart(6)} of ${String(found).padStart(6)} lines ${
    percentOf(lines).toFixed(1).padStart(6)
  } %`;
}

function show(line: string): void {
  shown.push(line);
  console.log(line);
}

async function deno(args: string[]): Promise<boolean> {
  const { code } = await new Deno.Command(Deno.execPath(), { args, cwd: REPOSITORY, stdin: "null" }).spawn().status;
  return code === 0;
}

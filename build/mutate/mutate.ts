/**
 * `deno task mutate [--room NAME] [--minutes N]`: changes one operator at a time and sees whether a test notices.
 *
 * Works on a copy of the repository. Each mutant gets the tests of its room; one that survives is printed with file,
 * line and change. Mutants are taken in a seeded order, so that a short run sees a fair sample and can be repeated.
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { REPOSITORY } from "../../tests/support/server_command.ts";
import { type Mutant, mutantsOf } from "./mutants_of.ts";

interface MutatedRoom {
  readonly files: readonly string[];
  readonly tests: readonly string[];
}

const ROOMS: Readonly<Record<string, MutatedRoom>> = {
  patch: {
    files: ["locate_hunks", "find_scope", "reindent", "whitespace", "build_splices"].map((name) =>
      `src/engine/patch/${name}.ts`
    ),
    tests: ["src/engine/patch", "tests/scenarios", "tests/patch"],
  },
  policy: {
    files: ["classify_command", "danger_gates", "path_gate", "wrappers"].map((name) => `src/engine/policy/${name}.ts`),
    tests: ["src/engine/policy", "tests/policy"],
  },
  output: {
    files: ["head_tail_buffer", "stream_window", "read_page", "incomplete_suffix"].map((name) =>
      `src/engine/output/${name}.ts`
    ),
    tests: ["src/engine/output"],
  },
};

/** A mutant that makes a loop endless counts as noticed. */
const TEST_LIMIT_MS = 60_000;

const { values } = parseArgs({
  options: {
    room: { type: "string", multiple: true, default: Object.keys(ROOMS) },
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
  },
});

const copy = await Deno.makeTempDir({ prefix: "vise-mutate-" });
try {
  for (const name of ["src", "tests", "bench", "build", "demo", "docs", "main.ts", "deno.json", "deno.lock"]) {
    await run("cp", ["-r", join(REPOSITORY, name), copy]);
  }
  for (const name of values.room) await mutateRoom(name);
} finally {
  await Deno.remove(copy, { recursive: true });
}

async function mutateRoom(name: string): Promise<void> {
  const room = ROOMS[name];
  if (room === undefined) throw new Error(`no room ${name}; there are ${Object.keys(ROOMS).join(", ")}`);
  if (!await passes(room)) throw new Error(`the tests of ${name} fail without any mutant`);
  const mutants: Mutant[] = [];
  for (const file of room.files) mutants.push(...mutantsOf(file, await Deno.readTextFile(join(REPOSITORY, file))));
  const deadline = Date.now() + Number(values.minutes) * 60_000;
  let tried = 0;
  const survivors: Mutant[] = [];
  for (const mutant of shuffled(mutants, Number(values.seed))) {
    if (Date.now() > deadline) break;
    tried++;
    const path = join(copy, mutant.file);
    const original = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, mutant.text);
    if (await passes(room)) {
      survivors.push(mutant);
      console.log(`survived: ${mutant.file}:${mutant.line}: ${mutant.change}`);
    }
    await Deno.writeTextFile(path, original);
  }
  console.log(`${name}: ${tried} of ${mutants.length} mutants tried, ${survivors.length} survived`);
}

async function passes(room: MutatedRoom): Promise<boolean> {
  const tests: string[] = [];
  for (const path of room.tests) if (await Deno.stat(join(copy, path)).then(() => true, () => false)) tests.push(path);
  const args = ["test", "-A", "--quiet", "--no-check", "--fail-fast", ...tests];
  return await run(Deno.execPath(), args, copy);
}

async function run(program: string, args: string[], cwd?: string): Promise<boolean> {
  const signal = AbortSignal.timeout(TEST_LIMIT_MS);
  const command = new Deno.Command(program, {
    args,
    ...(cwd === undefined ? {} : { cwd }),
    stdin: "null",
    stdout: "null",
    stderr: "null",
    signal,
  });
  return (await command.output()).success;
}

/** Fisher–Yates with a linear congruential generator: the same seed gives the same order. */
function shuffled<T>(list: readonly T[], seed: number): T[] {
  const result = [...list];
  let state = seed >>> 0;
  for (let at = result.length - 1; at > 0; at--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = state % (at + 1);
    [result[at], result[other]] = [result[other] as T, result[at] as T];
  }
  return result;
}

/**
 * `deno task mutate [--room NAME] [--file PART] [--jobs N] [--thorough] [--save FILE] [--from FILE] [--write]`: changes
 * the code in one place at a time and sees whether a test notices. See docs/mutation.md.
 *
 * Ends with 1 when a mutant survives that is not explained, or an explanation is no longer needed.
 */

import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { REPOSITORY } from "../../tests/support/server_command.ts";
import { instrument } from "./instrument.ts";
import type { Mutant } from "./mutant.ts";
import { mutantsOf } from "./mutants_of.ts";
import { type Outcome, runAll } from "./run_all.ts";
import { ROOMS } from "./rooms.ts";
import { summarize } from "./summary.ts";

const { values } = parseArgs({
  options: {
    room: { type: "string", multiple: true, default: Object.keys(ROOMS) },
    /** Only files whose path holds this. */
    file: { type: "string", default: "" },
    jobs: { type: "string", default: "2" },
    /** Runs the guards against hanging as well. */
    thorough: { type: "boolean", default: false },
    /** Keeps what became of the mutants in this file. */
    save: { type: "string" },
    /** Takes it from there instead of trying them: after an explanation was added. */
    from: { type: "string" },
    /** Writes the figures of these rooms into docs/mutation.md. */
    write: { type: "boolean", default: false },
  },
});

const COPIED = ["src", "tests", "bench", "build", "demo", "docs", "main.ts", "deno.json", "deno.lock"];

const outcomes: Outcome[] = values.from === undefined ? [] : JSON.parse(await Deno.readTextFile(values.from));
if (values.from === undefined) { for (const name of values.room) outcomes.push(...await mutateRoom(name)); }
if (values.save !== undefined) await Deno.writeTextFile(values.save, JSON.stringify(outcomes));
Deno.exitCode = summarize(outcomes, { write: values.write && values.file === "" }) ? 0 : 1;

async function mutateRoom(name: string): Promise<Outcome[]> {
  const room = ROOMS[name];
  if (room === undefined) throw new Error(`no room ${name}; there are ${Object.keys(ROOMS).join(", ")}`);
  const copy = await Deno.makeTempDir({ prefix: "vise-mutate-" });
  try {
    for (const entry of COPIED) await copyTree(join(REPOSITORY, entry), copy);
    const mutants: Mutant[] = [];
    for (const file of room.files.filter((path) => path.includes(values.file))) {
      const source = await Deno.readTextFile(join(REPOSITORY, file));
      const found = mutantsOf(file, source, mutants.length);
      mutants.push(...found);
      const switchPath = relative(dirname(file), "build/mutate/mutant_switch.ts");
      await Deno.writeTextFile(join(copy, file), instrument(source, found, switchPath));
    }
    console.error(`${name}: ${mutants.length} mutants`);
    return await runAll({
      room: name,
      copy,
      mutants,
      tests: room.tests,
      guards: values.thorough ? null : room.guards,
      jobs: Number(values.jobs),
    });
  } finally {
    await Deno.remove(copy, { recursive: true });
  }
}

async function copyTree(from: string, to: string): Promise<void> {
  const { success } = await new Deno.Command("cp", { args: ["-r", from, to], stdin: "null" }).output();
  if (!success) throw new Error(`cannot copy ${from}`);
}

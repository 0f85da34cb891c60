/**
 * `deno task coverage [--floor PERCENT]`: runs all tests with coverage and shows the lines reached per room.
 *
 * Only what runs inside the test process counts: servers that tests start as children do not. Exit 1 when the engine,
 * catalog or protocol room is below the floor.
 */

import { parseArgs } from "node:util";

/** Rooms that issue and review hold to the floor. */
const HELD_ROOMS = ["src/engine", "src/catalog", "src/protocol"];
const DIRECTORY = "coverage";

interface Lines {
  found: number;
  hit: number;
}

const { values } = parseArgs({ options: { floor: { type: "string", default: "0" } } });
await Deno.remove(DIRECTORY, { recursive: true }).catch(() => {});
await run(["test", "-A", "--parallel", "--quiet", `--coverage=${DIRECTORY}`, "src", "tests"]);
await run(["coverage", "--lcov", `--output=${DIRECTORY}/lcov.info`, DIRECTORY]);
const rooms = roomsOf(await Deno.readTextFile(`${DIRECTORY}/lcov.info`));
let isBelow = false;
for (const [room, { found, hit }] of [...rooms].sort(([a], [b]) => a < b ? -1 : 1)) {
  const percent = 100 * hit / found;
  const isHeld = HELD_ROOMS.some((held) => room.startsWith(held));
  if (isHeld && percent < Number(values.floor)) isBelow = true;
  console.log(
    `${room.padEnd(30)} ${String(hit).padStart(6)} of ${String(found).padStart(6)} lines ${
      percent.toFixed(1).padStart(6)
    } %`,
  );
}
Deno.exit(isBelow ? 1 : 0);

/** Sums of the records of lcov(1) by the first two or three parts of the path. */
function roomsOf(text: string): Map<string, Lines> {
  const rooms = new Map<string, Lines>();
  for (const record of text.split("end_of_record")) {
    const path = /^SF:.*?\/(src\/.*)$/m.exec(record)?.[1];
    if (path === undefined || path.endsWith("_test.ts")) continue;
    const parts = path.split("/").slice(0, -1);
    const room = parts.slice(0, parts[1] === "engine" ? 3 : 2).join("/");
    const lines = rooms.get(room) ?? { found: 0, hit: 0 };
    lines.found += Number(/^LF:(\d+)$/m.exec(record)?.[1] ?? 0);
    lines.hit += Number(/^LH:(\d+)$/m.exec(record)?.[1] ?? 0);
    rooms.set(room, lines);
  }
  return rooms;
}

async function run(args: string[]): Promise<void> {
  const { code } = await new Deno.Command(Deno.execPath(), { args, stdin: "null" }).spawn().status;
  if (code !== 0) console.log(`deno ${args[0]} ended with ${code}; the figures cover what ran`);
}

/** Reading: a small file, and the last lines of a large one. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../driver/command.ts";
import { answered, type Contestant } from "../driver/measure.ts";
import { watchGrowth } from "../driver/memory.ts";
import { ownPlace, Servers } from "../driver/servers.ts";
import { FLOOR, openRoom, type Room } from "../driver/workload.ts";

const LARGE_LINES = 500_000;
/** The page starts this many lines before the end. */
const FROM_END = 100;
const CALLS = 20;

/** The floor of a large file is `sha256sum`, because its revision needs every byte. */
export const filesRoom: Room = {
  name: "files",
  open: async (scene) => {
    const place = ownPlace(scene, "files");
    const floorDir = place({ name: "floor" });
    const servers = await Servers.start(scene, { place, needs: ["readSmall", "readLate"] });
    const large = Array.from({ length: LARGE_LINES }, (_, i) => `line ${i + 1} ${"x".repeat(28)}\n`).join("");
    for (const directory of [floorDir, ...servers.all.map(({ workspace }) => workspace)]) {
      writeFileSync(join(directory, "large.txt"), large);
      writeFileSync(join(directory, "small.txt"), "one line of text\n".repeat(6));
    }
    const growth = watchGrowth(servers.all);
    return openRoom([
      {
        name: "read small file",
        about: `100 bytes over stdio, mean of ${CALLS} calls`,
        floor: FLOOR.native,
        weight: "quick",
        contestants: [
          { name: FLOOR.native, run: async () => void await Deno.readTextFile(join(floorDir, "small.txt")) },
          ...servers.contestants(
            "readSmall",
            async (read, { session }) => answered(await read(session, { path: "small.txt" }), "one line of text"),
          ),
        ].map((contestant): Contestant => ({ ...contestant, calls: CALLS })),
      },
      {
        name: "read near the end of 20 MB",
        about:
          `50 lines that start ${FROM_END} lines before the end, or the last ${FROM_END}; Vise also gives the SHA-256 of ` +
          "the whole file. server-filesystem knows no page in the middle; desktop-commander estimates where a line that is " +
          "asked by its number stands in files over 10 MB, and gave line 461,083 for 499,901",
        floor: FLOOR.sha256sum,
        contestants: [
          { name: FLOOR.sha256sum, run: () => runProgram(["sha256sum", "large.txt"], { cwd: floorDir }) },
          ...servers.contestants("readLate", async (read, { session }) => {
            const startLine = LARGE_LINES - FROM_END + 1;
            const reply = await read(session, { path: "large.txt", startLine, fromEnd: FROM_END });
            return answered(reply, `line ${startLine + 40} `);
          }),
        ],
      },
      {
        name: "memory growth by reading",
        about: "highest resident bytes of the server and its children over the reads above, less what they had before",
        unit: "bytes",
        values: growth,
      },
    ], servers);
  },
};

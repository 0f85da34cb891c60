/** Reading: a small file, and the last lines of a large one. */

import { join } from "node:path";
import { runProgram } from "../driver/command.ts";
import { ownPlace, Servers } from "../driver/servers.ts";
import { FLOOR, type Room } from "../driver/workload.ts";

const LARGE_LINES = 500_000;
/** The page starts this many lines before the end. */
const FROM_END = 100;
const CALLS_PER_ROUND = 20;

/** The floor of a large file is `sha256sum`, because its revision needs every byte. */
export const filesRoom: Room = {
  name: "files",
  open: async (scene) => {
    const at = ownPlace(scene, "files");
    const servers = await Servers.start(scene, { place: at, needs: ["readSmall", "readLate"] });
    const large = Array.from({ length: LARGE_LINES }, (_, i) => `line ${i + 1} ${"x".repeat(28)}\n`).join("");
    for (const { workspace } of servers.all) {
      Deno.writeTextFileSync(join(workspace, "large.txt"), large);
      Deno.writeTextFileSync(join(workspace, "small.txt"), "one line of text\n".repeat(6));
    }
    const somewhere = servers.all[0]?.workspace ?? scene.tempDir;
    const startLine = LARGE_LINES - FROM_END + 1;
    return {
      workloads: [
        {
          name: "read small file",
          about: `100 bytes over stdio, mean of ${CALLS_PER_ROUND} calls`,
          floor: FLOOR.native,
          weight: "quick",
          contestants: [
            {
              name: FLOOR.native,
              run: async () => {
                const startedAt = performance.now();
                for (let i = 0; i < CALLS_PER_ROUND; i++) await Deno.readTextFile(join(somewhere, "small.txt"));
                return (performance.now() - startedAt) / CALLS_PER_ROUND;
              },
            },
            ...servers.all.filter(({ peer }) => peer.dialect.readSmall !== undefined).map(
              ({ peer, session }) => ({
                name: peer.name,
                run: async () => {
                  const startedAt = performance.now();
                  for (let i = 0; i < CALLS_PER_ROUND; i++) {
                    await peer.dialect.readSmall?.(session, "small.txt");
                  }
                  return (performance.now() - startedAt) / CALLS_PER_ROUND;
                },
              }),
            ),
          ],
        },
        {
          name: "read near the end of 20 MB",
          about: "50 lines that start 100 lines before the end; Vise also gives the SHA-256 of the whole file",
          floor: FLOOR.sha256sum,
          contestants: [
            {
              name: FLOOR.sha256sum,
              run: () => runProgram(["sha256sum", join(somewhere, "large.txt")], { cwd: somewhere }),
            },
            ...servers.contestants(
              "readLate",
              (read, { session }) => read(session, { path: "large.txt", startLine, fromEnd: FROM_END }),
            ),
          ],
        },
      ],
      [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
    };
  },
};

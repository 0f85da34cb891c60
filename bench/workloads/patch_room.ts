/** Changes to files, against the floor of the same forced writes: new file, fsync, rename, fsync of the directory. */

import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Runner } from "../driver/measure.ts";
import { watchGrowth } from "../driver/memory.ts";
import { ownPlace, Servers } from "../driver/servers.ts";
import { FLOOR, openRoom, type Room, type Workload } from "../driver/workload.ts";

const MANY = 1_000;
const LARGE_LINES = 1_000_000;

/** Every change is forced to the disk, on both sides. */
export const patchRoom: Room = {
  name: "patch",
  open: async (scene) => {
    const place = ownPlace(scene, "patch");
    const ground = {
      servers: await Servers.start(scene, { place, needs: ["replaceLine", "addFiles"] }),
      floorDir: place({ name: "floor" }),
    };
    const growth = watchGrowth(ground.servers.all);
    return openRoom([
      replacing(ground, {
        name: "patch one small file",
        about: "replaces one of three lines; public servers write without fsync",
        path: "small.txt",
        weight: "quick",
        lines: ["head", "a line of this file", "tail"],
        at: 1,
      }),
      adding(ground),
      replacing(ground, {
        name: "patch a file of 100 MB",
        about: "replaces one line in the middle",
        path: "large.txt",
        weight: "slow",
        lines: Array.from({ length: LARGE_LINES }, (_, i) => `${String(i).padStart(8, "0")} ${"abcdefghij".repeat(9)}`),
        at: LARGE_LINES / 2,
      }),
      {
        name: "memory growth by patching",
        about:
          "highest resident bytes of the server and its children over the changes above, less what they had before",
        unit: "bytes",
        values: growth,
      },
    ], ground.servers);
  },
};

interface Ground {
  readonly servers: Servers;
  readonly floorDir: string;
}

interface Replacing extends Pick<Workload, "name" | "about"> {
  readonly path: string;
  readonly weight: "quick" | "slow";
  readonly lines: readonly string[];
  /** Index of the line that is replaced, again and again. */
  readonly at: number;
}

function replacing({ servers, floorDir }: Ground, { name, about, path, weight, lines, at }: Replacing): Workload {
  const content = lines.join("\n") + "\n";
  const nextTurn = countTurns();
  for (const { workspace } of servers.all) writeFileSync(join(workspace, path), content);
  const lineOf = (turn: number) => turn === 0 ? lines[at] as string : `${lines[at]}, change ${turn}`;
  return {
    name,
    about,
    floor: FLOOR.writes,
    weight,
    contestants: [
      sameWrites(() => forcedWrite(join(floorDir, path), content)),
      ...servers.contestants("replaceLine", async (replace, { peer, session, workspace }) => {
        const turn = nextTurn(peer.name);
        const after = lineOf(turn + 1);
        const reply = await replace(session, { path, before: lineOf(turn), after });
        return { reply, settle: () => expectFile(join(workspace, path), `\n${after}\n`) };
      }),
    ],
  };
}

function adding({ servers, floorDir }: Ground): Workload {
  const nextTurn = countTurns();
  return {
    name: "patch 1,000 files",
    about:
      "adds 1,000 files in 20 directories in one call where the server can, else one by one; the floor forces one " +
      "after the other",
    floor: FLOOR.writes,
    weight: "slow",
    contestants: [
      sameWrites(() => {
        for (const [path, text] of newFiles(nextTurn(FLOOR.writes))) forcedWrite(join(floorDir, path), text);
      }),
      ...servers.contestants("addFiles", async (add, { peer, session, workspace }) => {
        const files = newFiles(nextTurn(peer.name));
        const reply = await add(session, { files });
        return {
          reply,
          settle: () => files.forEach((text, path) => expectFile(join(workspace, path), text.trimEnd())),
        };
      }),
    ],
  };
}

function sameWrites(write: () => void): Runner {
  return { name: FLOOR.writes, run: () => Promise.resolve(write()) };
}

/** How often each contestant was there before. */
function countTurns(): (name: string) => number {
  const turns = new Map<string, number>();
  return (name) => {
    const turn = turns.get(name) ?? 0;
    turns.set(name, turn + 1);
    return turn;
  };
}

function expectFile(path: string, wanted: string): void {
  if (!readFileSync(path, "utf8").includes(wanted)) throw new Error(`${path} does not hold the change`);
}

function newFiles(turn: number): Map<string, string> {
  return new Map(
    Array.from({ length: MANY }, (_, i) => [`many${turn}/d${i % 20}/f${i}.txt`, `line of file ${i}\n`] as const),
  );
}

function forcedWrite(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const temp = join(dirname(path), ".floor");
  const fd = openSync(temp, "w");
  writeSync(fd, content);
  fsyncSync(fd);
  closeSync(fd);
  renameSync(temp, path);
  const directory = openSync(dirname(path), "r");
  fsyncSync(directory);
  closeSync(directory);
}

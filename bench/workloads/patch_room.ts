/** Changes to files, against the floor of the same forced writes: new file, fsync, rename, fsync of the directory. */

import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Contestant } from "../driver/measure.ts";
import { ownPlace, Servers } from "../driver/servers.ts";
import { FLOOR, type Room, type Workload } from "../driver/workload.ts";

const MANY = 1_000;
const LARGE_LINES = 1_000_000;

/** Every change is forced to the disk, on both sides. */
export const patchRoom: Room = {
  name: "patch",
  open: async (scene) => {
    const servers = await Servers.start(scene, { place: ownPlace(scene, "patch"), needs: ["replaceLine", "addFiles"] });
    const floorDir = join(scene.tempDir, "patch", "floor");
    return {
      workloads: [small(servers, floorDir), many(servers, floorDir), large(servers, floorDir)],
      [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
    };
  },
};

function small(servers: Servers, floorDir: string): Workload {
  const turns = new Map<string, number>();
  const content = (turn: number) => `head\nvalue ${turn} here\ntail\n`;
  return {
    name: "patch one small file",
    about: "replaces one of three lines; public peers write without fsync",
    floor: FLOOR.writes,
    weight: "quick",
    contestants: [
      { name: FLOOR.writes, run: () => Promise.resolve(forcedWrite(join(floorDir, "small.txt"), content(1))) },
      ...servers.contestants("replaceLine", (replace, { peer, session }) => {
        const turn = turns.get(peer.name) ?? 0;
        turns.set(peer.name, turn + 1);
        const path = "small.txt";
        return replace(session, { path, before: `value ${turn} here`, after: `value ${turn + 1} here` });
      }),
    ].map((contestant) => withFile(contestant, servers, { name: "small.txt", content: content(0) })),
  };
}

function many(servers: Servers, floorDir: string): Workload {
  const turns = new Map<string, number>();
  const turnOf = (name: string) => {
    const turn = turns.get(name) ?? 0;
    turns.set(name, turn + 1);
    return turn;
  };
  return {
    name: "patch 1,000 files",
    about:
      "adds 1,000 files in 20 directories in one call where the server can, else one by one; the floor forces one after the other",
    floor: FLOOR.writes,
    weight: "slow",
    contestants: [
      {
        name: FLOOR.writes,
        run: () => {
          const turn = turnOf(FLOOR.writes);
          for (const [path, text] of newFiles(turn)) forcedWrite(join(floorDir, path), text);
          return Promise.resolve();
        },
      },
      ...servers.contestants("addFiles", (add, { peer, session }) =>
        add(
          session,
          newFiles(turnOf(peer.name)),
        )),
    ],
  };
}

function large(servers: Servers, floorDir: string): Workload {
  const lines = Array.from(
    { length: LARGE_LINES },
    (_, i) => `${String(i).padStart(8, "0")} ${"abcdefghij".repeat(9)}`,
  );
  const content = lines.join("\n") + "\n";
  const turns = new Map<string, number>();
  return {
    name: "patch a file of 100 MB",
    about: "replaces one line in the middle",
    floor: FLOOR.writes,
    weight: "slow",
    contestants: [
      { name: FLOOR.writes, run: () => Promise.resolve(forcedWrite(join(floorDir, "large.txt"), content)) },
      ...servers.contestants("replaceLine", (replace, { peer, session }) => {
        const turn = turns.get(peer.name) ?? 0;
        turns.set(peer.name, turn + 1);
        const before = lines[LARGE_LINES / 2 + turn] as string;
        const path = "large.txt";
        return replace(session, { path, before, after: `changed ${turn}` });
      }),
    ].map((contestant) => withFile(contestant, servers, { name: "large.txt", content })),
  };
}

interface FileWanted {
  readonly name: string;
  readonly content: string;
}

/** Writes the file of this contestant before its first run. */
function withFile(contestant: Contestant, servers: Servers, { name, content }: FileWanted): Contestant {
  let isThere = false;
  const workspace = servers.all.find(({ peer }) => peer.name === contestant.name)?.workspace;
  return {
    ...contestant,
    prepare: () => {
      if (!isThere && workspace !== undefined) writeFileSync(join(workspace, name), content);
      isThere = true;
    },
  };
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

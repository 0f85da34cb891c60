/** What has to be downloaded. */

import { join } from "node:path";
import { isThere } from "../driver/command.ts";
import type { Probe } from "../driver/measure.ts";
import { FLOOR, openRoom, type Room, type Workload } from "../driver/workload.ts";
import { EXECUTABLE } from "../peers/vise_peers.ts";

/** Needs the executable; the empty one of the same runtime is the floor. */
export const sizeRoom: Room = {
  name: "size",
  open: async ({ peers, tempDir, skip }) => {
    const peer = peers.find(({ name }) => name === EXECUTABLE);
    if (peer === undefined) {
      skip("size", "there is no executable");
      return openRoom([]);
    }
    const files = Object.entries({ [FLOOR.empty]: peer.emptyCommand?.[0], [EXECUTABLE]: peer.command[0] });
    const table = (name: string, about: string, read: (path: string) => Promise<number>): Workload => ({
      name,
      about,
      unit: "bytes",
      floor: FLOOR.empty,
      values: files.flatMap(([name, path]): Probe[] => path === undefined ? [] : [{ name, read: () => read(path) }]),
    });
    const raw = table("size", "bytes of the executable, beside an empty program packed in the same way", sizeOf);
    if (!await isThere("xz")) {
      skip("compressed size", "xz is not installed");
      return openRoom([raw]);
    }
    return openRoom([raw, table("size, compressed", "the same through `xz -6`", (path) => compressed(path, tempDir))]);
  },
};

async function compressed(path: string, tempDir: string): Promise<number> {
  const target = join(tempDir, "compressed.xz");
  const file = await Deno.open(target, { write: true, create: true, truncate: true });
  const child = new Deno.Command("xz", { args: ["-6", "-T0", "-c", path], stdout: "piped" }).spawn();
  await child.stdout.pipeTo(file.writable);
  if (!(await child.status).success) throw new Error("xz failed");
  return await sizeOf(target);
}

async function sizeOf(path: string): Promise<number> {
  return (await Deno.stat(path)).size;
}

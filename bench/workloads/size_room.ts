/** What has to be downloaded. */

import { join } from "node:path";
import { isThere } from "../driver/command.ts";
import type { Row } from "../driver/measure.ts";
import type { Room, Workload } from "../driver/workload.ts";

/** Needs the executable; the empty one of the same runtime is the floor. */
export const sizeRoom: Room = {
  name: "size",
  open: async (scene) => {
    const peer = scene.peers.find(({ name }) => name === "vise (executable)");
    const nothing = { workloads: [], [Symbol.asyncDispose]: () => Promise.resolve() };
    if (peer === undefined) return nothing;
    const executable = peer.command[0] as string;
    const empty = peer.emptyCommand?.[0] as string;
    const size = async (path: string) => (await Deno.stat(path)).size;
    const row = (contestant: string, value: number): Row => ({ contestant, p50: value, p95: value, samples: 1 });
    const raw: Workload = {
      name: "size",
      about: "bytes of the executable, beside an empty program packed in the same way",
      unit: "bytes",
      floor: "empty Deno program",
      values: async () => [row("empty Deno program", await size(empty)), row(peer.name, await size(executable))],
    };
    if (!await isThere("xz")) {
      scene.skip("compressed size", "xz is not installed");
      return { ...nothing, workloads: [raw] };
    }
    const compressed: Workload = {
      name: "size, compressed",
      about: "the same through `xz -6`",
      unit: "bytes",
      values: async () => {
        const path = join(scene.tempDir, "compressed.xz");
        const file = await Deno.open(path, { write: true, create: true, truncate: true });
        const child = new Deno.Command("xz", { args: ["-6", "-T0", "-c", executable], stdout: "piped" }).spawn();
        await child.stdout.pipeTo(file.writable);
        return [row(peer.name, await size(path))];
      },
    };
    return { ...nothing, workloads: [raw, compressed] };
  },
};

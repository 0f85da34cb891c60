/** A picture of 4000×3000 brought within 2000×2000, against Pillow, process start included on both sides. */

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { keptCorpus } from "../corpus/kept.ts";
import { findPillow, makePictures } from "../corpus/make_pictures.ts";
import { runProgram } from "../driver/command.ts";
import type { Row } from "../driver/measure.ts";
import { forgetPeak, memoryOf } from "../driver/memory.ts";
import { ownPlace, Servers } from "../driver/servers.ts";
import { FLOOR, type OpenRoom, type Room, type Workload } from "../driver/workload.ts";

/** Decoding at full size, Lanczos, default compression. */
const SCALE = `
import sys
from PIL import Image
Image.open(sys.argv[1]).resize((2000, 1500), Image.LANCZOS).save('out' + sys.argv[1][-4:], quality=85)
`;

const PICTURES = ["photo.jpg", "photo.png"] as const;

/** Needs Pillow, which also makes the pictures. */
export const imageRoom: Room = {
  name: "image",
  open: async (scene): Promise<OpenRoom> => {
    const python = await findPillow();
    if (python === null) {
      scene.skip("Pillow", "python3 with Pillow (python3-pil) is needed to make the pictures");
      return { workloads: [], [Symbol.asyncDispose]: () => Promise.resolve() };
    }
    const corpus = await keptCorpus(scene.corpusDir, "pictures", (path) => makePictures(path, python));
    const servers = await Servers.start(scene, { place: ownPlace(scene, "image"), needs: ["showImage"] });
    for (const { workspace } of servers.all) {
      for (const name of PICTURES) copyFileSync(join(corpus, name), join(workspace, name));
    }
    const workloads = PICTURES.map((name): Workload => ({
      name: `image ${name.slice(-3).toUpperCase()}`,
      about:
        "4000×3000 to 2000×1500; `vise call` and Pillow start a process each; a running server has its decoder warm",
      floor: FLOOR.pillow,
      contestants: [
        { name: FLOOR.pillow, run: () => runProgram([python, "-c", SCALE, name], { cwd: corpus }) },
        ...servers.ours.map(({ peer, workspace }) => ({
          name: `${peer.name}, vise call`,
          run: () => runProgram(callCommand(peer.command, { workspace, name }), { cwd: workspace }),
        })),
        ...servers.contestants("showImage", (show, { session }) => show(session, name)),
      ],
    }));
    const peaks: Workload = {
      name: "memory of the image decoder",
      about: "highest resident bytes of the decoder while it shows the pictures (36 MB decoded each)",
      unit: "bytes",
      values: () => decoderPeaks(servers),
    };
    return { workloads: [...workloads, peaks], [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose]() };
  },
};

function callCommand(serve: readonly string[], { workspace, name }: { workspace: string; name: string }): string[] {
  const program = serve.slice(0, serve.indexOf("serve"));
  const args = JSON.stringify({ path: name, max_bytes: 10_000_000 });
  return [...program, "call", "view_image", "--workspace", workspace, args];
}

async function decoderPeaks(servers: Servers): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { peer, session } of servers.ours) {
    const pid = session.child.pid ?? 0;
    forgetPeak(pid);
    for (const name of PICTURES) await peer.dialect.showImage?.(session, name);
    const server = memoryOf(pid, { isAlone: true });
    const peak = memoryOf(pid).peak - server.peak;
    rows.push({ contestant: peer.name, p50: peak, p95: peak, samples: 1 });
  }
  return rows;
}

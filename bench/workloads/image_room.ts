/** A picture of 4000×3000 brought within 2000×2000, against Pillow, process start included on both sides. */

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { keptCorpus } from "../corpus/kept.ts";
import { findPillow, makePictures } from "../corpus/make_pictures.ts";
import { runProgram } from "../driver/command.ts";
import { answered, type Probe } from "../driver/measure.ts";
import { forgetPeak, memoryOf } from "../driver/memory.ts";
import { ownPlace, type RunningServer, Servers } from "../driver/servers.ts";
import { FLOOR, openRoom, type Room, type Workload } from "../driver/workload.ts";

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
  open: async (scene) => {
    const python = await findPillow();
    if (python === null) {
      scene.skip("pictures", "python3 with Pillow (python3-pil) is needed to make them");
      return openRoom([]);
    }
    const corpus = await keptCorpus(scene.corpusDir, "pictures", (path) => makePictures(path, python));
    const servers = await Servers.start(scene, { place: ownPlace(scene, "image"), needs: ["showImage"] });
    for (const { workspace } of servers.all) {
      for (const name of PICTURES) copyFileSync(join(corpus, name), join(workspace, name));
    }
    return openRoom([
      ...PICTURES.map((name) => scaling(name, servers, { corpus, python })),
      {
        name: "memory of the image decoder",
        about: "highest resident bytes of the decoder while it shows the pictures (36 MB decoded each)",
        unit: "bytes",
        values: servers.ours.map(decoderPeak),
      },
    ], servers);
  },
};

function scaling(name: string, servers: Servers, { corpus, python }: { corpus: string; python: string }): Workload {
  return {
    name: `image ${name.slice(-3).toUpperCase()}`,
    about:
      "4000×3000 to 2000×1500; `vise call` and Pillow start a process each; a running server has its decoder warm; " +
      "public servers give the file as it is, not scaled",
    floor: FLOOR.pillow,
    contestants: [
      { name: FLOOR.pillow, run: () => runProgram([python, "-c", SCALE, name], { cwd: corpus }) },
      ...servers.ours.map(({ peer, workspace }) => ({
        name: `${peer.name}, vise call`,
        run: () => runProgram(callCommand(peer.command, { workspace, name }), { cwd: workspace }),
      })),
      ...servers.contestants(
        "showImage",
        async (show, { session }) => answered(await show(session, { path: name }), '"type":"image"'),
      ),
    ],
  };
}

function callCommand(serve: readonly string[], { workspace, name }: { workspace: string; name: string }): string[] {
  const program = serve.slice(0, serve.indexOf("serve"));
  const args = JSON.stringify({ path: name, max_bytes: 10_000_000 });
  return [...program, "call", "view_image", "--workspace", workspace, args];
}

function decoderPeak({ peer, session }: RunningServer): Probe {
  return {
    name: peer.name,
    read: async () => {
      forgetPeak(session.pid);
      for (const path of PICTURES) await session.call("view_image", { path, max_bytes: 10_000_000 });
      return memoryOf(session.pid).peak - memoryOf(session.pid, { isAlone: true }).peak;
    },
  };
}

/**
 * `deno run -A bench/image_bench.ts [RUNS]`: a picture of 4000×3000 brought within 2000×2000, against Pillow (python3-pil).
 *
 * `vise call` is timed whole: the start of the program, the start of its decoder, and the answer. Pillow is timed with
 * the start of Python, decoding at full size, its Lanczos filter and its default compression. Runs alternate; medians.
 * Then one server shows both pictures while it is pinged, and the peak memory of its decoder is read.
 */

import { readdirSync, readFileSync } from "node:fs";
import { serverCommand } from "../tests/support/server_command.ts";
import { TempWorkspace } from "../tests/support/temp_workspace.ts";
import { ViseProcess } from "../tests/support/vise_process.ts";

const RUNS = Number(Deno.args[0] ?? 7);
/** 4000×3000 in RGB. */
const DECODED_BYTES = 36_000_000;
const PYTHON = "/usr/bin/python3";

/** Noise of five sizes over each other: about the detail of a photograph. */
const MAKE = `
import os
from PIL import Image
def noise(n): return Image.frombytes('RGB', (n, n * 3 // 4), os.urandom(n * (n * 3 // 4) * 3)).resize((4000, 3000), Image.BICUBIC)
im = noise(16)
for n, share in ((64, .4), (256, .3), (1024, .25), (2000, .12)): im = Image.blend(im, noise(n), share)
im.save('photo.jpg', quality=90)
im.save('photo.png')
`;

const SCALE = `
import sys
from PIL import Image
Image.open(sys.argv[1]).resize((2000, 1500), Image.LANCZOS).save('out' + sys.argv[1][-4:], quality=85)
`;

using place = new TempWorkspace();
const made = await run([PYTHON, "-c", MAKE]);
if (made !== 0) {
  console.log(`no comparison: ${PYTHON} with Pillow (python3-pil) is needed to make the pictures`);
  Deno.exit(1);
}
for (const [path, bar] of [["photo.jpg", 2.5], ["photo.png", 1.2]] as const) {
  const args = JSON.stringify({ path, max_bytes: 10_000_000 });
  const ours: number[] = [];
  const pillow: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    ours.push(await timed([...serverCommand(), "call", "view_image", "--workspace", place.root, args]));
    pillow.push(await timed([PYTHON, "-c", SCALE, path]));
  }
  const ratio = median(ours) / median(pillow);
  console.log(
    `${path}  vise ${median(ours).toFixed(0)} ms  Pillow ${median(pillow).toFixed(0)} ms  ratio ${
      ratio.toFixed(2)
    } (bar ${bar})`,
  );
}

await using vise = new ViseProcess(place.root);
// The answers are small, so that what is measured is the server and not this reader of them.
// Loads what the first call of any tool loads, which is not about pictures.
await vise.value("view_image", { path: "photo.jpg", max_width: 100 });
for (const path of ["photo.jpg", "photo.png"]) {
  let running = true;
  const shown = vise.call("view_image", { path, max_width: 300 }).finally(() => running = false);
  const pings: number[] = [];
  while (running) {
    const from = performance.now();
    await vise.request("ping");
    pings.push(performance.now() - from);
    await new Promise((go) => setTimeout(go, 1));
  }
  await shown;
  const peak = peakOfChildren(vise.child.pid ?? 0);
  console.log(
    `${path}  slowest of ${pings.length} pings ${Math.max(...pings).toFixed(1)} ms (bar 20)  decoder's peak ` +
      `${(peak / 1e6).toFixed(0)} MB, ${(peak / DECODED_BYTES).toFixed(1)} times the decoded picture (bar 6)`,
  );
}

async function run(command: readonly string[]): Promise<number> {
  const [program = "", ...args] = command;
  const child = new Deno.Command(program, { args, cwd: place.root, stdout: "null", stderr: "null" });
  return (await child.output()).code;
}

async function timed(command: readonly string[]): Promise<number> {
  const from = performance.now();
  if (await run(command) !== 0) throw new Error(`failed: ${command.join(" ")}`);
  return performance.now() - from;
}

function peakOfChildren(pid: number): number {
  const peaks = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map((name) => {
    try {
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      return status.includes(`PPid:\t${pid}\n`) ? Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024 : 0;
    } catch {
      return 0;
    }
  });
  return Math.max(0, ...peaks);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}

/** What confinement adds to one start, layer by layer. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Contestant } from "../driver/measure.ts";
import { openRoom, type Room } from "../driver/workload.ts";
import type { Config } from "../../src/config/config.ts";
import { runChild } from "../../src/engine/run/run_child.ts";
import { makePlan } from "../../src/engine/sandbox/plan.ts";
import { createChildHost } from "../../src/platform/create_child_host.ts";
import { createConfinement } from "../../src/platform/create_confinement.ts";

const CALLS = 5;
const BARE = "unconfined";
const KINDS = {
  [BARE]: null,
  "landlock + seccomp": { network: "none", sealAttributes: false },
  "+ read-only mounts": { network: "none", sealAttributes: true },
  "+ private loopback": { network: "loopback", sealAttributes: true },
  "open network": { network: "open", sealAttributes: true },
} as const;

/** Linux only; starts without any layer are the floor. */
export const sandboxRoom: Room = {
  name: "sandbox",
  open: (scene) => {
    if (Deno.build.os !== "linux") {
      scene.skip("sandbox", "only on Linux");
      return Promise.resolve(openRoom([]));
    }
    const workspace = join(scene.tempDir, "sandbox", "work");
    const runtime = join(scene.tempDir, "sandbox", "runtime");
    for (const path of [workspace, runtime]) mkdirSync(path, { recursive: true });
    const launchPrefix = `${runtime}.launch`;
    const config = {
      workspace,
      workspaceMutation: "unrestricted",
      execAllowRoots: [],
      permissionMode: "safe",
      network: "none",
    } as unknown as Config;
    const { rules } = makePlan({ purpose: "command" }, {
      config,
      surroundings: { writableRoots: [runtime], toolchainRoots: [], readableFiles: [], launchPrefix },
      listNames: (directory) => [...Deno.readDirSync(directory)].map((entry) => entry.name),
      writePaths: [],
    });
    const host = createChildHost();
    const confinement = createConfinement();
    const startOnce = async (choice: typeof KINDS[keyof typeof KINDS]): Promise<void> => {
      const prepared = choice === null
        ? null
        : confinement.prepare(["/bin/true"], { rules, pipesOnly: false, launchPrefix, ...choice });
      const { exit } = await runChild(host, {
        argv: ["/bin/true"],
        ...(prepared === null ? {} : { launch: prepared.launch }),
        env: { PATH: "/usr/bin:/bin" },
        cwd: workspace,
        maxBytes: 1_000,
        deadlineMs: 10_000,
      });
      if (exit.exitCode !== 0) throw new Error(JSON.stringify(exit));
    };
    const contestants = Object.entries(KINDS).map(([name, choice]): Contestant => ({
      name,
      calls: CALLS,
      run: () => startOnce(choice),
    }));
    const about = `\`/bin/true\` under each kind of confinement, mean of ${CALLS}`;
    return Promise.resolve(openRoom(
      [{ name: "sandbox", about, floor: BARE, weight: "quick", contestants }],
      { [Symbol.dispose]: () => confinement.close() },
    ));
  },
};

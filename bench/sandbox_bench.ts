/**
 * What confinement adds to one start. `deno run -A bench/sandbox_bench.ts [rounds]`
 *
 * The kinds are interleaved, so that the load of the machine falls on all of them; medians are compared.
 */

import { runChild } from "../src/engine/run/run_child.ts";
import { makePlan } from "../src/engine/sandbox/plan.ts";
import type { Config } from "../src/config/config.ts";
import { createChildHost } from "../src/platform/create_child_host.ts";
import { createConfinement } from "../src/platform/create_confinement.ts";

const ROUNDS = Number(Deno.args[0] ?? 150);
const KINDS = {
  bare: null,
  "landlock + seccomp": { network: "none", sealAttributes: false },
  "+ read-only mounts": { network: "none", sealAttributes: true },
  "+ private loopback": { network: "loopback", sealAttributes: true },
  "open network": { network: "open", sealAttributes: true },
} as const;

const workspace = Deno.makeTempDirSync();
const runtime = Deno.makeTempDirSync();
const config = {
  workspace,
  workspaceMutation: "unrestricted",
  execAllowRoots: [],
  permissionMode: "safe",
  network: "none",
} as unknown as Config;
const launchPrefix = `${runtime}.launch`;
const { rules } = makePlan({ purpose: "command" }, {
  config,
  surroundings: { writableRoots: [runtime], toolchainRoots: [], readableFiles: [], launchPrefix },
  listNames: (directory) => [...Deno.readDirSync(directory)].map((entry) => entry.name),
  writePaths: [],
});
const host = createChildHost();
const confinement = createConfinement();

async function startOnce(kind: keyof typeof KINDS): Promise<number> {
  const began = performance.now();
  const choice = KINDS[kind];
  const prepared = choice === null
    ? null
    : confinement.prepare(["/bin/true"], { rules, pipesOnly: false, launchPrefix, ...choice });
  const result = await runChild(host, {
    argv: ["/bin/true"],
    ...(prepared === null ? {} : { launch: prepared.launch }),
    env: { PATH: "/usr/bin:/bin" },
    cwd: workspace,
    maxBytes: 1_000,
    deadlineMs: 10_000,
  });
  if (result.exit.exitCode !== 0) throw new Error(`${kind}: ${JSON.stringify(result.exit)}`);
  return performance.now() - began;
}

const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];
const times = new Map(kinds.map((kind) => [kind, [] as number[]]));
for (const kind of kinds) console.log(`first ${kind.padEnd(20)} ${(await startOnce(kind)).toFixed(2)} ms`);
for (let round = 0; round < ROUNDS; round++) {
  for (const kind of kinds) times.get(kind)?.push(await startOnce(kind));
}
for (const [kind, list] of times) {
  list.sort((a, b) => a - b);
  const at = (share: number): string => (list[Math.floor(list.length * share)] ?? 0).toFixed(2);
  console.log(`${kind.padEnd(20)} median ${at(0.5)} ms, 95 % ${at(0.95)} ms, least ${at(0)} ms`);
}
confinement.close();
for (const directory of [workspace, runtime]) Deno.removeSync(directory, { recursive: true });
Deno.exit(0);

/**
 * `deno task bench`: Vise beside what would be used instead, and beside the floor.
 *
 * Every workload runs all its contestants in turn: warm-up, then rounds in which each does the work once, so that the
 * load of the machine meets all of them. The table shows medians, 95th percentiles and the ratio to the floor.
 *
 *   --only ROOM      one room, or ROOM/TEXT for its workloads whose name contains TEXT; several times for several
 *   --rounds N       rounds of a workload of normal weight (default 9)
 *   --corpus DIR     where generated trees and repositories are kept (default: below the temporary directory)
 *   --server 'CMD'   a further server; {workspace} stands for its directory; NAME=CMD names it
 *   --executable P   an executable made earlier, instead of a new one
 *   --no-peers       without the public servers from the npm registry
 *   --check          compare with bench/limits.json; exit 1 when a limit is passed
 *   --json FILE      where to write the figures (default dist/bench.json)
 *   --add            keep the figures of workloads that an earlier run left in the JSON file
 *   --write          write docs/benchmarks.md as well
 */

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { REPOSITORY } from "../tests/support/server_command.ts";
import { checkLimits, readLimits, type Verdict } from "./driver/limits.ts";
import { describeMachine } from "./driver/machine.ts";
import { measure } from "./driver/measure.ts";
import { type Outcome, printOutcome, type Report, writeMarkdown } from "./driver/report.ts";
import type { Room, Scene, Weight, Workload } from "./driver/workload.ts";
import { meetPeer, type Peer } from "./peers/peer.ts";
import { makePublicPeers } from "./peers/public_peers.ts";
import { makeVisePeers } from "./peers/vise_peers.ts";
import { commandsRoom } from "./workloads/commands_room.ts";
import { filesRoom } from "./workloads/files_room.ts";
import { gitRoom } from "./workloads/git_room.ts";
import { imageRoom } from "./workloads/image_room.ts";
import { patchRoom } from "./workloads/patch_room.ts";
import { sandboxRoom } from "./workloads/sandbox_room.ts";
import { sessionRoom } from "./workloads/session_room.ts";
import { sizeRoom } from "./workloads/size_room.ts";
import { startRoom } from "./workloads/start_room.ts";
import { treeRoom } from "./workloads/tree_room.ts";

const ROOMS: readonly Room[] = [
  startRoom,
  sizeRoom,
  sessionRoom,
  filesRoom,
  treeRoom,
  patchRoom,
  commandsRoom,
  sandboxRoom,
  gitRoom,
  imageRoom,
];

const ROUNDS_BY_WEIGHT: Readonly<Record<Weight, (rounds: number) => number>> = {
  quick: (rounds) => rounds * 3,
  normal: (rounds) => rounds,
  slow: (rounds) => Math.max(2, Math.ceil(rounds / 3)),
};

const { values: flags } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    rounds: { type: "string", default: "9" },
    corpus: { type: "string", default: join(tmpdir(), "vise-bench-corpus") },
    server: { type: "string", multiple: true, default: [] },
    executable: { type: "string" },
    "no-peers": { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    json: { type: "string", default: join(REPOSITORY, "dist", "bench.json") },
    add: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});

const tempDir = realpathSync(mkdtempSync(join(tmpdir(), "vise-bench-")));
let exitCode = 0;
try {
  exitCode = await runBench();
} finally {
  rmSync(tempDir, { recursive: true, force: true });
}
Deno.exit(exitCode);

async function runBench(): Promise<number> {
  mkdirSync(flags.corpus, { recursive: true });
  const skipped: Report["skipped"][number][] = [];
  const skip = (what: string, reason: string) => {
    if (skipped.some((known) => known.what === what && known.reason === reason)) return;
    skipped.push({ what, reason });
    console.log(`skipped: ${what}: ${reason}`);
  };
  const peers = await gatherPeers(skip);
  const scene: Scene = { peers, corpusDir: realpathSync(flags.corpus), tempDir, skip, log: console.log };
  const machine = await describeMachine();
  let outcomes = flags.add ? earlierOutcomes() : [];
  const limits = await readLimits();
  let verdicts: Verdict[] = [];
  for (const room of ROOMS) {
    const fresh = await runRoom(room, scene);
    outcomes = [...outcomes.filter(({ name }) => fresh.every((outcome) => outcome.name !== name)), ...fresh];
    const report: Report = {
      machine,
      peers: peers.map(({ name, version }) => ({ name, version })),
      rounds: Number(flags.rounds),
      outcomes,
      skipped,
    };
    // After each room, so that a run that is cut short leaves what it has.
    mkdirSync(dirname(flags.json), { recursive: true });
    Deno.writeTextFileSync(flags.json, JSON.stringify(report, null, 2) + "\n");
    verdicts = checkLimits(report, limits);
    if (flags.write) writeMarkdown(join(REPOSITORY, "docs", "benchmarks.md"), report, verdicts);
  }
  const broken = verdicts.filter(({ state }) => state === "above");
  for (const { line } of broken) console.log(`ABOVE THE LIMIT: ${line}`);
  console.log(`${verdicts.filter(({ state }) => state === "kept").length} limits kept, ${broken.length} exceeded`);
  return flags.check && broken.length > 0 ? 1 : 0;
}

function earlierOutcomes(): readonly Outcome[] {
  try {
    return JSON.parse(Deno.readTextFileSync(flags.json)).outcomes;
  } catch {
    // The first run has nothing to add to.
    return [];
  }
}

async function gatherPeers(skip: Scene["skip"]): Promise<Peer[]> {
  const workspace = join(tempDir, "meeting");
  mkdirSync(workspace, { recursive: true });
  const place = { workspace, tempDir };
  const vise = await makeVisePeers(place, flags.executable);
  if ("reason" in vise.executable) skip("vise (executable)", vise.executable.reason);
  const peers = [...vise.peers];
  const installDir = join(flags.corpus, "peers");
  if (!flags["no-peers"]) peers.push(...await makePublicPeers(place, { installDir, skip }));
  for (const given of flags.server) {
    const [, name = given.split(" ")[0] ?? given, text = given] = /^([\w.-]+)=(.*)$/.exec(given) ?? [];
    const command = text.split(" ").filter((word) => word !== "");
    try {
      peers.push(await meetPeer({ name, isVise: false, command }, place));
    } catch (fault) {
      skip(name, String(fault));
    }
  }
  return peers;
}

async function runRoom(room: Room, scene: Scene): Promise<Outcome[]> {
  const asked = flags.only.map((text) => text.split("/")).filter(([name]) => name === room.name);
  if (flags.only.length > 0 && asked.length === 0) return [];
  const outcomes: Outcome[] = [];
  await using open = await room.open(scene);
  for (const workload of open.workloads) {
    if (asked.length > 0 && !asked.some(([, part = ""]) => workload.name.includes(part))) continue;
    const outcome = await runWorkload(workload);
    printOutcome(outcome);
    outcomes.push(outcome);
  }
  return outcomes;
}

async function runWorkload({ name, about, floor, unit = "ms", ...work }: Workload): Promise<Outcome> {
  const described = { name, about, unit, floor: floor ?? null, load: Deno.loadavg()[0] ?? 0 };
  if (work.values !== undefined) return { ...described, rows: await work.values(), failures: [] };
  const rounds = ROUNDS_BY_WEIGHT[work.weight ?? "normal"](Number(flags.rounds));
  return { ...described, ...await measure(work.contestants ?? [], { rounds, warmUps: 1 }) };
}

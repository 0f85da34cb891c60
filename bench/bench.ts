/**
 * `deno task bench`: Vise beside what would be used instead, and beside the floor.
 *
 * Every workload runs all its contestants in turn: warm-up, then rounds in which each does the work once, so that the
 * load of the machine meets all of them. `--help` names the flags.
 */

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { REPOSITORY } from "../tests/support/server_command.ts";
import { type Flags, readFlags, USAGE } from "./driver/flags.ts";
import { checkLimits, exitCodeOf, readLimits, type Verdict } from "./driver/limits.ts";
import { describeMachine } from "./driver/machine.ts";
import { messageOf } from "./driver/message_of.ts";
import { addRun, type Outcome, readReport, type Report, type Run } from "./driver/report.ts";
import { runRooms } from "./driver/run_rooms.ts";
import { markdownOf, tableText, verdictText } from "./driver/tables.ts";
import type { Room, Scene } from "./driver/workload.ts";
import { makeGivenPeers } from "./peers/given_peers.ts";
import type { Peer } from "./peers/peer.ts";
import { makePublicPeers } from "./peers/public_peers.ts";
import { makeVisePeers } from "./peers/vise_peers.ts";
import { commandsRoom } from "./workloads/commands_room.ts";
import { filesRoom } from "./workloads/files_room.ts";
import { gitRoom } from "./workloads/git_room.ts";
import { imageRoom } from "./workloads/image_room.ts";
import { loadRoom } from "./workloads/load_room.ts";
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
  loadRoom,
];

const DOCUMENT = join(REPOSITORY, "docs", "benchmarks.md");

Deno.exit(await main());

async function main(): Promise<number> {
  let flags: Flags;
  try {
    flags = readFlags(Deno.args, ROOMS.map(({ name }) => name));
  } catch (fault) {
    console.error(`bench: ${messageOf(fault)}; --help names the flags`);
    return 2;
  }
  if (flags.help) {
    console.log(USAGE);
    return 0;
  }
  const tempDir = realpathSync(mkdtempSync(join(tmpdir(), "vise-bench-")));
  try {
    return await runBench(flags, tempDir);
  } finally {
    rmSync(tempDir, { recursive: true, force: true });
  }
}

async function runBench(flags: Flags, tempDir: string): Promise<number> {
  const limits = await readLimits();
  mkdirSync(flags.corpusDir, { recursive: true });
  const skipped: Run["skipped"][number][] = [];
  const skip: Scene["skip"] = (what, reason) => {
    skipped.push({ what, reason });
    console.log(`skipped: ${what}: ${reason}`);
  };
  const peers = await gatherPeers(flags, { tempDir, skip });
  const servers = peers.map(({ name, version }) => ({ name, version }));
  const run: Run = { machine: await describeMachine(), servers, rounds: flags.rounds, skipped };
  const earlier = flags.add ? readReport(flags.jsonPath) : null;
  if (flags.add && earlier === null) console.log(`${flags.jsonPath} has nothing to add to`);
  const outcomes: Outcome[] = [];
  let verdicts: Verdict[] = [];
  await runRooms(ROOMS, {
    scene: { peers, corpusDir: realpathSync(flags.corpusDir), tempDir, skip },
    flags,
    onOutcome: (outcome) => {
      console.log(tableText(outcome));
      outcomes.push(outcome);
      // After each, so that a run that is cut short leaves what it has.
      const report = addRun(earlier ?? { runs: [], outcomes: [] }, { run, outcomes });
      verdicts = checkLimits(report.outcomes, limits);
      save(report, { flags, verdicts });
    },
  });
  if (flags.write) await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", DOCUMENT] }).output();
  console.log(verdictText(verdicts));
  return flags.check ? exitCodeOf(verdicts) : 0;
}

function save(report: Report, { flags, verdicts }: { flags: Flags; verdicts: readonly Verdict[] }): void {
  mkdirSync(dirname(flags.jsonPath), { recursive: true });
  Deno.writeTextFileSync(flags.jsonPath, JSON.stringify(report, null, 2) + "\n");
  if (flags.write) Deno.writeTextFileSync(DOCUMENT, markdownOf(report, verdicts));
}

async function gatherPeers(
  { executable, hasPeers, corpusDir, servers }: Flags,
  { tempDir, skip }: { tempDir: string; skip: Scene["skip"] },
): Promise<Peer[]> {
  const place = { workspace: join(tempDir, "meeting"), tempDir };
  mkdirSync(place.workspace, { recursive: true });
  const peers = await makeVisePeers(place, { executable, skip });
  if (hasPeers) peers.push(...await makePublicPeers(place, { installDir: join(corpusDir, "servers"), skip }));
  return [...peers, ...await makeGivenPeers(servers, { place, taken: peers.map(({ name }) => name), skip })];
}

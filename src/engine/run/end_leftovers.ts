/** Ends what a server that was killed left running (O-37). */

import { rmSync } from "node:fs";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { ProcessFacts, ProcessTable } from "../../platform/process_table.ts";
import { readProcessRecord, type RecordedProcesses } from "./process_record.ts";
import { COMMAND_MARKER } from "./process_tree.ts";

/** Nothing survives SIGKILL for longer, except in an uninterruptible wait. */
const KILL_WAIT_MS = 2_000;
/** Between two looks at whether they are gone. */
const PAUSE_MS = 10;
/** Requests are let through after this long, milliseconds. */
const SLICE_MS = 5;

/** Ends the processes that the records at `paths` tell of, and removes the records. Returns how many were ended. */
export async function endLeftovers(table: ProcessTable, paths: readonly string[]): Promise<number> {
  let ended = 0;
  for (const path of paths) {
    const record = readProcessRecord(path);
    if (record !== null) ended += await endRecorded(table, record);
    rmSync(path, { force: true });
  }
  return ended;
}

async function endRecorded(table: ProcessTable, record: RecordedProcesses): Promise<number> {
  const ended = new Set<number>();
  for (const deadline = performance.now() + KILL_WAIT_MS; performance.now() < deadline;) {
    const left = await findRecorded(table, record);
    if (left.length === 0) break;
    for (const facts of left) {
      ended.add(facts.pid);
      table.signal(facts, "SIGKILL");
    }
    await sleep(PAUSE_MS);
  }
  return ended.size;
}

/** Recorded processes, marked ones, and whatever descends from either or shares a session with one. */
async function findRecorded(table: ProcessTable, record: RecordedProcesses): Promise<ProcessFacts[]> {
  const recorded = new Map(record.processes.map(({ pid, startTicks }) => [pid, startTicks]));
  const others: ProcessFacts[] = [];
  const found: ProcessFacts[] = [];
  let sliceEndsAt = performance.now() + SLICE_MS;
  for (const pid of table.all()) {
    if (performance.now() > sliceEndsAt) {
      await setImmediate();
      sliceEndsAt = performance.now() + SLICE_MS;
    }
    const facts = table.read(pid);
    if (facts === null || facts.isZombie || pid === table.self.pid) continue;
    const isOurs = recorded.get(pid) === facts.startTicks ||
      table.hasEnvironment(pid, `${COMMAND_MARKER}=${record.idPrefix}`);
    (isOurs ? found : others).push(facts);
  }
  return withRelatives(found, others, table.self.session);
}

function withRelatives(found: ProcessFacts[], others: ProcessFacts[], ownSession: number): ProcessFacts[] {
  const members = [...found];
  for (let grew = members.length > 0; grew;) {
    const pids = new Set(members.map(({ pid }) => pid));
    const sessions = new Set(members.map(({ session }) => session));
    // Security: a session of ours, or of a terminal that a person works in, is only reached through its own leader.
    sessions.delete(ownSession);
    const more = others.filter(({ pid, parent, session }) =>
      !pids.has(pid) && (pids.has(parent) || (sessions.has(session) && pids.has(session)))
    );
    members.push(...more);
    grew = more.length > 0;
  }
  return members;
}

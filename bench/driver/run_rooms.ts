/** Opens one room after the other and measures what was asked for. */

import type { Flags } from "./flags.ts";
import { isWanted } from "./flags.ts";
import { measure, readProbes } from "./measure.ts";
import { messageOf } from "./message_of.ts";
import type { Outcome } from "./report.ts";
import type { Room, Scene, Weight, Workload } from "./workload.ts";

const ROUNDS_BY_WEIGHT: Readonly<Record<Weight, (rounds: number) => number>> = {
  quick: (rounds) => rounds * 3,
  normal: (rounds) => rounds,
  slow: (rounds) => Math.max(2, Math.ceil(rounds / 3)),
};

/** What is run, and who is told. */
export interface RunRooms {
  readonly scene: Scene;
  readonly flags: Pick<Flags, "only" | "rounds">;
  /** Called after each workload. */
  readonly onOutcome: (outcome: Outcome) => void;
}

/** A room that cannot be opened is skipped with its reason; the others go on. */
export async function runRooms(rooms: readonly Room[], { scene, flags, onOutcome }: RunRooms): Promise<void> {
  for (const room of rooms.filter(({ name }) => isWanted(flags, { room: name }))) {
    try {
      await using open = await room.open(scene);
      for (const workload of open.workloads) {
        if (!isWanted(flags, { room: room.name, workload: workload.name })) continue;
        onOutcome(await runWorkload(workload, flags));
      }
    } catch (fault) {
      scene.skip(`the room ${room.name}`, messageOf(fault));
    }
  }
}

/** Times a workload in turn, or reads its values. */
export async function runWorkload(workload: Workload, { rounds }: Pick<Flags, "rounds">): Promise<Outcome> {
  const { name, about, floor = null, unit = "ms" } = workload;
  const described = { name, about, unit, floor, load: Deno.loadavg()[0] ?? 0 };
  if ("values" in workload) return { ...described, ...await readProbes(workload.values) };
  const own = ROUNDS_BY_WEIGHT[workload.weight ?? "normal"](rounds);
  return { ...described, ...await measure(workload.contestants, { rounds: own, warmUps: 1 }) };
}

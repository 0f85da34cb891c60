/** The cheap question of every start: has any server of this user left something beside its commands? */

import { readdirSync } from "node:fs";
import { temporaryDirectory } from "../../platform/temporary_directory.ts";
import { join } from "node:path";
import { PROCESS_RECORD_SUFFIX } from "./process_record.ts";
import { ownUser } from "../../platform/own_user.ts";

/** True when there is a record of processes below the usual runtime parent, of a living server or of a dead one. */
export function mayHaveLeftovers(runtimeRoot: string | null): boolean {
  const user = ownUser();
  const parent = runtimeRoot ?? join(temporaryDirectory(), user === null ? "vise" : `vise-${user.uid}`);
  return namesIn(parent).some((group) =>
    namesIn(join(parent, group)).some((name) => name.endsWith(`.${PROCESS_RECORD_SUFFIX}`))
  );
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Nothing there, or not ours to read: then nothing of ours is left there either.
    return [];
  }
}

/** Where the write lock and the journal of a workspace may lie (O-24). */

import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { temporaryDirectory } from "../../platform/temporary_directory.ts";
import { isAbsolute, join } from "node:path";
import { ownUser } from "../../platform/own_user.ts";

/** What the places are derived from. */
export interface StatePlaceOptions {
  /** Canonical absolute root of the workspace. */
  readonly root: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Parent of the runtime tree as configured; null: `<temp>/vise-<uid>`. */
  readonly runtimeRoot: string | null;
}

/** One candidate; the first that can be written is used. */
export interface StatePlace {
  /** Shared by all workspaces. */
  readonly base: string;
  /** This workspace's own directory below it. */
  readonly path: string;
  /** False where a reboot may clear it. */
  readonly survivesReboot: boolean;
}

/** The places in the order in which they are tried. */
export function statePlaces(options: StatePlaceOptions): StatePlace[] {
  const name = createHash("sha256").update(options.root).digest("hex").slice(0, 32);
  const { XDG_STATE_HOME: state, HOME: home } = options.environment;
  const bases: [string, boolean][] = [];
  // A relative value is to be ignored (XDG Base Directory Specification).
  if (state !== undefined && isAbsolute(state)) bases.push([join(state, "vise"), true]);
  else if (home !== undefined && isAbsolute(home)) bases.push([join(home, ".local", "state", "vise"), true]);
  const runtime = options.runtimeRoot ?? join(temporaryDirectory(), `vise-${ownUser()?.uid ?? 0}`);
  bases.push([join(runtime, "state"), false]);
  return bases.map(([base, survivesReboot]) => ({ base, path: join(base, name), survivesReboot }));
}

/** True if a commit seems to be under way or was interrupted; cheap enough for every start. */
export function hasJournal(options: StatePlaceOptions): boolean {
  return statePlaces(options).some((place) => isFilled(join(place.path, "journal")));
}

/** True if there is something in the file; a settled journal is empty. */
export function isFilled(path: string): boolean {
  try {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  } catch {
    // A place that may not even be looked at is none where this program wrote a journal.
    return false;
  }
}

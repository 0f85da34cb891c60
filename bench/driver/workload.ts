/** What a workload is, and what it is given. */

import type { Peer } from "../peers/peer.ts";
import type { Contestant, Probe } from "./measure.ts";

/** How often a workload runs: `--rounds` times its weight. */
export type Weight = "quick" | "normal" | "slow";

interface Described {
  /** Row name, and what `--only` and `limits.json` match. */
  readonly name: string;
  /** What is really run, in one line for the report. */
  readonly about: string;
  /** Contestant that the ratios divide by; without it, or where it could not run, no ratios are given. */
  readonly floor?: string;
  /** Milliseconds unless given. */
  readonly unit?: string;
}

/** Timed in turn, or values that are measured once. */
export type Workload =
  & Described
  & ({ readonly contestants: readonly Contestant[]; readonly weight?: Weight } | { readonly values: readonly Probe[] });

/** A room of workloads that share a prepared place; `open` prepares and yields them, and the place is closed after them. */
export interface Room {
  readonly name: string;
  readonly open: (scene: Scene) => Promise<OpenRoom>;
}

/** A room whose servers and files are ready; disposing ends and removes them. */
export interface OpenRoom extends AsyncDisposable {
  readonly workloads: readonly Workload[];
}

/** What every room of a run shares. */
export interface Scene {
  /** Every server that takes part, Vise first. */
  readonly peers: readonly Peer[];
  /** Kept between runs; generated once. */
  readonly corpusDir: string;
  /** For this run only. */
  readonly tempDir: string;
  /** Says in the report why something did not take part. */
  readonly skip: (what: string, reason: string) => void;
}

/** Contestants that are not servers have these names, so that limits can refer to them. */
export const FLOOR = {
  empty: "empty Deno program",
  ripgrep: "ripgrep",
  git: "git",
  spawn: "posix_spawn",
  cat: "cat",
  sha256sum: "sha256sum",
  writes: "same writes",
  native: "file calls",
  pillow: "Pillow",
  engine: "vise engine, no server",
} as const;

/** A room that closes nothing, or what is named. */
export function openRoom(workloads: readonly Workload[], ...closes: (AsyncDisposable | Disposable | null)[]): OpenRoom {
  return {
    workloads,
    [Symbol.asyncDispose]: async () => {
      for (const one of closes) {
        if (one === null) continue;
        await (Symbol.asyncDispose in one ? one[Symbol.asyncDispose]() : one[Symbol.dispose]());
      }
    },
  };
}

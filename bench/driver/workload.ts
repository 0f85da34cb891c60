/** What a workload is, and what it is given. */

import type { Contestant, Row } from "./measure.ts";
import type { Peer } from "../peers/peer.ts";

/** How often a workload runs: `--rounds` times its weight. */
export type Weight = "quick" | "normal" | "slow";

/** One row of the tables. */
export interface Workload {
  /** Row name, and what `--only` and `limits.json` match. */
  readonly name: string;
  /** What is really run, in one line for the report. */
  readonly about: string;
  /** Contestant that the ratios divide by; without it, or where it could not run, no ratios are given. */
  readonly floor?: string;
  readonly unit?: string;
  readonly weight?: Weight;
  /** Timed in turn. */
  readonly contestants?: readonly Contestant[];
  /** Instead of timing: values that are measured once. */
  readonly values?: () => Promise<readonly Row[]>;
}

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
  readonly log: (line: string) => void;
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
} as const;

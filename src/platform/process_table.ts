/** What the engines may ask about processes, whatever system answers. */

/** One process at one look. */
export interface ProcessFacts {
  readonly pid: number;
  /** Number of the parent process. */
  readonly parent: number;
  /** Number of its process group. */
  readonly group: number;
  /** Number of its session. */
  readonly session: number;
  /** Ended, but not yet taken by its parent. */
  readonly isZombie: boolean;
  readonly threads: number;
  /** Clock ticks since boot: with `pid` it names a process for ever. */
  readonly startTicks: number;
  /** Resident set; shared pages included. */
  readonly residentBytes: number;
}

/** A process that cannot be mistaken for a later one with the same number. */
export type ProcessIdentity = Pick<ProcessFacts, "pid" | "startTicks">;

/** A view that may be out of date as soon as it is given; only signals are safe against reused numbers. */
export interface ProcessTable {
  /** False: orphans go to another process, and are only found by their session or their environment. */
  readonly adoptsOrphans: boolean;
  /** This process, whose session no command shares: each gets its own. */
  readonly self: ProcessFacts;
  /** Null when there is no such process. */
  read(pid: number): ProcessFacts | null;
  /** Children of every thread of `pid`, whose number saves the search for them. */
  childrenOf(pid: number, threads?: number): number[];
  /** Children of this process that its child host did not start: orphans of commands, and children of the runtime itself. */
  adopted(): number[];
  /** Numbers of all processes that can be seen. */
  all(): number[];
  /** True when the environment that `pid` was started with holds `entry` (`NAME=value`) or begins one with it. */
  hasEnvironment(pid: number, entry: string): boolean;
  /** Sends a signal unless the process is gone or its number was taken over. */
  signal(process: ProcessIdentity, name: string): boolean;
  /** The same for everything in the process group that `process` is in: all at once, so that no fork escapes. */
  signalGroup(process: ProcessFacts, name: string): boolean;
  /** Takes the exit of a child that nobody else waits for. */
  reap(pid: number): boolean;
}

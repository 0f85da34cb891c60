/** What callers ask of the run engine, and what it says of an end by hand. */

import type { CommandReport } from "./command_report.ts";
import type { TakeProgress } from "./report_progress.ts";
import type { CommandRequest } from "./start_command.ts";

/** A command and how long its caller waits for it. */
export interface StartRequest extends CommandRequest {
  /** Milliseconds after the start at which the command is ended. */
  readonly deadlineMs: number;
  /** Most milliseconds until the call returns. */
  readonly yieldMs: number;
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
  /** Called while the call waits. */
  readonly progress?: TakeProgress;
  /** Given what kills the command, for a request whose answer is never sent (O-13). */
  readonly onStarted?: (kill: () => void) => void;
}

/** A look at a command, with or without input. */
export interface PollRequest {
  readonly id: string;
  /** Input; empty for a mere look. */
  readonly chars: string;
  readonly closeStdin: boolean;
  /** Most milliseconds until the call returns; it returns earlier when something new was written. */
  readonly yieldMs: number;
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
  readonly progress?: TakeProgress;
}

/** An end by hand. */
export interface KillRequest {
  readonly id: string;
  readonly signal: "TERM" | "KILL" | "INT";
  /** For the tree to end by itself. */
  readonly waitMs: number;
  /** For the tree to be gone after SIGKILL. */
  readonly killWaitMs: number;
  readonly maxOutputBytes: number;
}

/** The last report of a command, and how it went. */
export interface KillReport extends CommandReport {
  /** `exited`: it had ended before; `terminating`: something is still there. */
  readonly killStatus: "terminated" | "killed" | "exited" | "terminating";
  /** Null when the command had already ended. */
  readonly signalSent: string | null;
  /** Processes besides the first. */
  readonly descendantsEnded: number;
}

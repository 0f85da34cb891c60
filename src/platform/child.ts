/** What a child process looks like to the engines, whatever system starts it. */

import type { Launch } from "./launch.ts";
import type { ProcessTable } from "./process_table.ts";

/** An output of a child; a terminal has `stdout` only. */
export type StreamName = "stdout" | "stderr";

/** How a child ended. Exactly one of `exitCode` and `signal` is not null (O-10). */
export interface ExitFacts {
  readonly exitCode: number | null;
  /** Such as `SIGTERM`. */
  readonly signal: string | null;
  /** User plus system time of the child and the descendants it waited for, milliseconds; null where unknown. */
  readonly cpuMs: number | null;
  /** Largest resident set of the child or of one descendant it waited for, bytes; null where unknown, as for one below the server's own. */
  readonly peakMemoryBytes: number | null;
}

/** What happens to a child, in order: any output, `streamEnded` once per stream, `exited` once, before or after them. */
export interface ChildEvents {
  /** `bytes` belong to the reader and change after the call: copy what is kept. */
  output(stream: StreamName, bytes: Uint8Array): void;
  streamEnded(stream: StreamName): void;
  exited(exit: ExitFacts): void;
}

/** Cells of a terminal window, each 2–1000 (O-40). */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** One start of a program; nothing of the server but what is named here reaches it. */
export interface SpawnRequest {
  readonly launch: Launch;
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute, existing directory. */
  readonly cwd: string;
  /** A terminal of this size becomes descriptors 0–2 and the controlling terminal; null: pipes. */
  readonly terminal: TerminalSize | null;
  /** `empty`: the null device, so that programs which look at the kind of their input do not read it. */
  readonly stdin: "pipe" | "empty";
  readonly events: ChildEvents;
}

/** A process that was started, until its exit and the end of its output were both reported. */
export interface Child {
  readonly pid: number;
  /** Settles when the program itself runs. @throws LaunchFailure when a step before it failed; the child is then gone */
  readonly started: Promise<void>;
  /** Bytes that the child's side of its input accepted. */
  readonly stdinWrittenBytes: number;
  /** Bytes that wait for the child to read. */
  readonly stdinQueuedBytes: number;
  /** False once closing was asked for or the reader went away. */
  readonly stdinOpen: boolean;
  /** Queues a copy of `bytes`; never blocks. False when the input is closed. */
  write(bytes: Uint8Array): boolean;
  /** Settles when everything queued was accepted or the reader went away. */
  drained(): Promise<void>;
  /** Closes the input after what is queued; on a terminal the end-of-file character is sent instead. */
  closeStdin(): void;
  /** Sends a signal to the child's process group; false when nothing of it is left. */
  signal(name: string): boolean;
  /** Line discipline of the terminal; null without one. */
  terminalMode(): { readonly canonical: boolean; readonly echo: boolean } | null;
  /** Closes every descriptor that is still open; later output is lost. */
  release(): void;
}

/** Starts children and reads them, all by one waiting call. */
export interface ChildHost {
  /** Null: terminals work; else why not. */
  readonly terminalRefusal: string | null;
  /** Follows and ends descendants, also orphaned ones; null where only the group of a child can be reached. */
  readonly processes: ProcessTable | null;
  /** @throws SystemError when the child could not be created */
  spawn(request: SpawnRequest): Child;
}

/** A start that failed between the creation of the process and its program: a step of the trampoline, or `execve`. */
export class LaunchFailure extends Error {
  override readonly name = "LaunchFailure";
  /** Number of the trampoline's step, as it reports it. */
  readonly step: number;
  readonly errno: number;

  constructor(step: number, errno: number) {
    super(`Cannot start: step ${step} failed with errno ${errno}`);
    this.step = step;
    this.errno = errno;
  }
}

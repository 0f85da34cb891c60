/** One child of the Linux host: its descriptors in the poll loop, its input queue, its end. */

import type { Child, ChildEvents, StreamName } from "../child.ts";
import { LaunchFailure } from "../child.ts";
import { openLibc } from "./libc.ts";
import type { OwnPeak } from "./own_peak.ts";
import { POLL_IN, POLL_OUT, type PollLoop, wouldBlock } from "./poll_loop.ts";
import { reapProcess, signalGroup } from "./process_handle.ts";
import { signalNumber } from "./signal_names.ts";
import { readTerminalMode } from "./terminal_pair.ts";

/** Descriptors of a started process; -1 where there is none. */
export interface ChildDescriptors {
  /** A pidfd (pidfd_open(2)), which is readable once the process has ended. */
  readonly process: number;
  readonly stdin: number;
  readonly stdout: number;
  readonly stderr: number;
  /** Master of the terminal: input and output at once. */
  readonly terminal: number;
  /** Our own hold on the other side of the terminal. */
  readonly terminalHold: number;
  /** Where the trampoline reports a failed step. */
  readonly status: number;
}

/** What a child shares with its host. */
export interface ChildWiring {
  readonly loop: PollLoop;
  readonly events: ChildEvents;
  /** Called when the exit was taken, before `events.exited`. */
  readonly onReaped: () => void;
  readonly ownPeak: OwnPeak;
}

/** Largest single read. The kernel gives at most what the pipe holds. */
const READ_BYTES = 256 * 1024;
/** Largest single write; a pipe takes 64 KiB at once (pipe(7)). */
const WRITE_BYTES = 64 * 1024;
const STATUS_BYTES = 8;
const END_OF_FILE_CHARACTER = 0x04;
const LINE_FEED = 0x0a;
/** One buffer for all reads: what it holds is handed on before the next read. */
const READ_BUFFER = new Uint8Array(READ_BYTES);

/** Owns the descriptors of one child and closes each of them once. */
export class LinuxChild implements Child {
  readonly pid: number;
  readonly started: Promise<void>;
  readonly #loop: PollLoop;
  readonly #events: ChildEvents;
  readonly #onReaped: () => void;
  readonly #ownPeak: OwnPeak;
  readonly #libc = symbols();
  #inputFd: number;
  readonly #terminal: number;
  #terminalHold: number;
  readonly #open = new Set<number>();
  readonly #queue: Uint8Array<ArrayBuffer>[] = [];
  readonly #waitingForDrain: (() => void)[] = [];
  #queuedBytes = 0;
  #writtenBytes = 0;
  #lastWritten = LINE_FEED;
  #closingStdin = false;
  #exited = false;

  constructor(pid: number, fds: ChildDescriptors, wiring: ChildWiring) {
    this.pid = pid;
    this.#loop = wiring.loop;
    this.#onReaped = wiring.onReaped;
    this.#ownPeak = wiring.ownPeak;
    this.#events = wiring.events;
    this.#terminal = fds.terminal;
    this.#terminalHold = fds.terminalHold;
    this.#inputFd = fds.terminal >= 0 ? fds.terminal : fds.stdin;
    this.started = fds.status < 0 ? Promise.resolve() : this.#watchStatus(fds.status);
    if (fds.terminal >= 0) {
      this.#add(fds.terminal, POLL_IN, (revents) => this.#serveTerminal(revents));
    } else {
      this.#add(fds.stdout, POLL_IN, () => this.#read(fds.stdout, "stdout"));
      this.#add(fds.stderr, POLL_IN, () => this.#read(fds.stderr, "stderr"));
      if (fds.stdin >= 0) this.#add(fds.stdin, 0, () => this.#serveInput());
    }
    this.#add(fds.process, POLL_IN, () => this.#serveExit(fds.process));
  }

  get stdinWrittenBytes(): number {
    return this.#writtenBytes;
  }

  get stdinQueuedBytes(): number {
    return this.#queuedBytes;
  }

  get stdinOpen(): boolean {
    return this.#inputFd >= 0 && !this.#closingStdin && !(this.#exited && this.#terminal >= 0);
  }

  write(bytes: Uint8Array): boolean {
    if (!this.stdinOpen) return false;
    if (bytes.length === 0) return true;
    this.#queue.push(bytes.slice());
    this.#queuedBytes += bytes.length;
    // The usual few bytes fit at once; only the rest has to wait for the poll.
    if (this.#queue.length === 1) this.#serveInput();
    this.#waitForInput();
    return true;
  }

  drained(): Promise<void> {
    if (this.#queuedBytes === 0 || this.#inputFd < 0) return Promise.resolve();
    return new Promise((resolve) => this.#waitingForDrain.push(resolve));
  }

  closeStdin(): void {
    if (this.#inputFd < 0 || this.#closingStdin) return;
    if (this.#terminal >= 0) {
      // In the middle of a line the first one only hands the line on (termios(3), VEOF).
      const last = this.#queue.at(-1)?.at(-1) ?? this.#lastWritten;
      this.write(new Uint8Array(last === LINE_FEED ? 1 : 2).fill(END_OF_FILE_CHARACTER));
      return;
    }
    this.#closingStdin = true;
    if (this.#queuedBytes === 0) this.#dropInput();
  }

  signal(name: string): boolean {
    // Security: after the leader was reaped its number may belong to a stranger's group.
    return !this.#exited && signalGroup(this.pid, signalNumber(name));
  }

  terminalMode(): { readonly canonical: boolean; readonly echo: boolean } | null {
    return this.#terminal >= 0 && this.#open.has(this.#terminal) ? readTerminalMode(this.#terminal) : null;
  }

  release(): void {
    for (const fd of [...this.#open]) this.#close(fd);
    this.#giveBackTerminal();
    this.#dropInput();
  }

  #add(fd: number, events: number, handler: (revents: number) => boolean): void {
    this.#open.add(fd);
    this.#loop.add(fd, events, handler);
  }

  #close(fd: number): void {
    if (this.#open.delete(fd)) this.#loop.close(fd);
  }

  #serveTerminal(revents: number): boolean {
    let more = false;
    if ((revents & POLL_OUT) !== 0) more = this.#serveInput();
    if ((revents & ~POLL_OUT) !== 0) more = this.#read(this.#terminal, "stdout") || more;
    return more;
  }

  #read(fd: number, stream: StreamName): boolean {
    if (!this.#open.has(fd)) return false;
    const count = Number(this.#libc.read(fd, READ_BUFFER, BigInt(READ_BYTES)));
    if (count > 0) {
      this.#events.output(stream, READ_BUFFER.subarray(0, count));
      return true;
    }
    if (count < 0 && wouldBlock()) return false;
    // End of file; on a terminal it arrives as EIO.
    if (fd === this.#terminal) this.#dropInput();
    this.#close(fd);
    this.#events.streamEnded(stream);
    if (fd === this.#terminal) this.#events.streamEnded("stderr");
    return false;
  }

  #serveInput(): boolean {
    const chunk = this.#queue[0];
    if (chunk === undefined) {
      // Nothing to write was asked for, so this is the news that the reader is gone.
      if (this.#terminal < 0) this.#dropInput();
      return false;
    }
    const part = chunk.subarray(0, WRITE_BYTES);
    const count = Number(this.#libc.write(this.#inputFd, part, BigInt(part.length)));
    if (count < 0) {
      if (!wouldBlock()) this.#dropInput();
      return false;
    }
    this.#writtenBytes += count;
    this.#queuedBytes -= count;
    if (count > 0) this.#lastWritten = chunk[count - 1] as number;
    if (count === chunk.length) this.#queue.shift();
    else this.#queue[0] = chunk.subarray(count);
    if (this.#queuedBytes > 0) return count > 0;
    if (this.#closingStdin) this.#dropInput();
    else this.#waitForInput();
    this.#settleDrain();
    return false;
  }

  #waitForInput(): void {
    if (this.#inputFd < 0) return;
    const writing = this.#queuedBytes > 0 ? POLL_OUT : 0;
    this.#loop.setEvents(this.#inputFd, this.#terminal >= 0 ? POLL_IN | writing : writing);
  }

  #dropInput(): void {
    const fd = this.#inputFd;
    this.#inputFd = -1;
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    if (fd >= 0 && fd !== this.#terminal) this.#close(fd);
    this.#settleDrain();
  }

  #settleDrain(): void {
    for (const resolve of this.#waitingForDrain.splice(0)) resolve();
  }

  #serveExit(handle: number): boolean {
    const exit = reapProcess(this.pid);
    if (exit === null) return false;
    this.#exited = true;
    this.#onReaped();
    this.#close(handle);
    this.#giveBackTerminal();
    if (this.#terminal < 0) this.#dropInput();
    else this.#queue.length = this.#queuedBytes = 0;
    this.#settleDrain();
    const isOurs = exit.peakMemoryBytes !== null && this.#ownPeak.covers(exit.peakMemoryBytes);
    this.#events.exited(isOurs ? { ...exit, peakMemoryBytes: null } : exit);
    return false;
  }

  #giveBackTerminal(): void {
    if (this.#terminalHold >= 0) this.#loop.close(this.#terminalHold);
    this.#terminalHold = -1;
  }

  #watchStatus(fd: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const bytes = new Uint8Array(STATUS_BYTES);
      this.#add(fd, POLL_IN, () => {
        const count = Number(this.#libc.read(fd, bytes, BigInt(STATUS_BYTES)));
        if (count < 0 && wouldBlock()) return false;
        this.#close(fd);
        const view = new DataView(bytes.buffer);
        if (count === STATUS_BYTES) reject(new LaunchFailure(view.getInt32(0, true), view.getInt32(4, true)));
        else resolve();
        return false;
      });
    });
  }
}

const SYMBOLS = {
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
} as const satisfies Deno.ForeignLibraryInterface;

let cached: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] | undefined;

function symbols(): Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] {
  return cached ??= openLibc(SYMBOLS);
}

/** Children of Linux: pipes or a terminal, started by `posix_spawn`, read by one poll loop. */

import type { Child, ChildHost, SpawnRequest } from "../child.ts";
import { SystemError } from "../errno.ts";
import type { ProcessTable } from "../process_table.ts";
import { lastErrno, openLibc } from "./libc.ts";
import { type ChildDescriptors, LinuxChild } from "./linux_child.ts";
import { LinuxProcessTable } from "./linux_process_table.ts";
import { OwnPeak } from "./own_peak.ts";
import { PollLoop } from "./poll_loop.ts";
import { becomeSubreaper, openProcess } from "./process_handle.ts";
import { type ProcessStart, spawnProcess } from "./spawn_process.ts";
import { openTerminalPair } from "./terminal_pair.ts";
import { O_CLOEXEC, O_NONBLOCK } from "./open_flags.ts";

const F_SETFL = 4;

/** Becomes subreaper, so that orphans of commands come to this process (PR_SET_CHILD_SUBREAPER, prctl(2)). */
export class LinuxChildHost implements ChildHost {
  readonly terminalRefusal = null;
  readonly processes: ProcessTable | null;
  readonly #libc = openLibc(SYMBOLS);
  readonly #loop = new PollLoop();
  readonly #ownPeak = new OwnPeak();
  /** Started and not yet waited for. */
  readonly #children = new Set<number>();

  /** @throws whatever `Deno.dlopen` throws where FFI is not permitted or a symbol is missing */
  constructor() {
    this.processes = becomeSubreaper() ? new LinuxProcessTable(this.#children) : null;
  }

  spawn(request: SpawnRequest): Child {
    const ours: number[] = [];
    const theirs: number[] = [];
    const { launch } = request;
    let pid: number;
    let fds: Omit<ChildDescriptors, "process">;
    try {
      const plan = request.terminal === null
        ? this.#pipes(request, { ours, theirs })
        : this.#terminal(request.terminal, ours);
      fds = { ...plan.fds, status: launch.statusRead ?? -1 };
      pid = spawnProcess({ launch, env: request.env, cwd: request.cwd, stdio: plan.stdio });
    } catch (fault) {
      for (const fd of ours) this.#libc.close(fd);
      if (launch.statusRead !== null) this.#libc.close(launch.statusRead);
      throw fault;
    } finally {
      for (const fd of theirs) this.#libc.close(fd);
      launch.release();
    }
    if (fds.status >= 0) this.#libc.fcntl(fds.status, F_SETFL, BigInt(O_NONBLOCK));
    this.#children.add(pid);
    return new LinuxChild(pid, { ...fds, process: this.#handle(pid, ours) }, {
      loop: this.#loop,
      events: request.events,
      onReaped: () => this.#children.delete(pid),
      ownPeak: this.#ownPeak,
    });
  }

  /** A handle that must not fail: a child that nobody can follow is ended at once. */
  #handle(pid: number, ours: readonly number[]): number {
    try {
      return openProcess(pid);
    } catch (fault) {
      this.#libc.kill(-pid, 9);
      for (const fd of ours) this.#libc.close(fd);
      this.#libc.waitpid(pid, null, 0);
      throw fault;
    }
  }

  #pipes(
    request: SpawnRequest,
    fds: { ours: number[]; theirs: number[] },
  ): { fds: Omit<ChildDescriptors, "process" | "status">; stdio: ProcessStart["stdio"] } {
    const stdin = request.stdin === "pipe" ? this.#pipe("write", fds) : null;
    const stdout = this.#pipe("read", fds);
    const stderr = this.#pipe("read", fds);
    return {
      fds: { stdin: stdin?.ours ?? -1, stdout: stdout.ours, stderr: stderr.ours, terminal: -1, terminalHold: -1 },
      stdio: { stdin: stdin?.theirs ?? null, stdout: stdout.theirs, stderr: stderr.theirs },
    };
  }

  #terminal(
    size: NonNullable<SpawnRequest["terminal"]>,
    ours: number[],
  ): { fds: Omit<ChildDescriptors, "process" | "status">; stdio: ProcessStart["stdio"] } {
    const pair = openTerminalPair(size);
    ours.push(pair.master, pair.slave);
    return {
      fds: { stdin: -1, stdout: -1, stderr: -1, terminal: pair.master, terminalHold: pair.slave },
      stdio: { terminalPath: pair.slavePath },
    };
  }

  #pipe(end: "read" | "write", fds: { ours: number[]; theirs: number[] }): { ours: number; theirs: number } {
    const pair = new Int32Array(2);
    if (this.#libc.pipe2(new Uint8Array(pair.buffer), O_CLOEXEC) !== 0) {
      throw new SystemError(lastErrno(), "pipe2", "pipe");
    }
    const [read = -1, write = -1] = pair;
    const result = end === "read" ? { ours: read, theirs: write } : { ours: write, theirs: read };
    fds.ours.push(result.ours);
    fds.theirs.push(result.theirs);
    // Only our end: the child's is an ordinary blocking descriptor.
    this.#libc.fcntl(result.ours, F_SETFL, BigInt(O_NONBLOCK));
    return result;
  }
}

const SYMBOLS = {
  pipe2: { parameters: ["buffer", "i32"], result: "i32" },
  fcntl: { parameters: ["i32", "i32", "i64"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  kill: { parameters: ["i32", "i32"], result: "i32" },
  waitpid: { parameters: ["i32", "pointer", "i32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

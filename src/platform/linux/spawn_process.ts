/**
 * Starts one process by `posix_spawn` (posix_spawn(3)): own session, exact environment, working directory, and no
 * descriptor of the server beyond those asked for. umask, niceness and limits are inherited; the soft descriptor
 * limit, which the runtime raises for itself, is put back for the child.
 */

import { SystemError } from "../errno.ts";
import type { Launch } from "../launch.ts";
import { addressOf, cString, lastErrno, openLibc } from "./libc.ts";
import { listSystemDirectory, readSystemFile } from "../system_file.ts";
import { O_RDONLY, O_RDWR } from "./open_flags.ts";
import { RLIMIT_NOFILE } from "./open_file_limits.ts";
import { F_DUPFD_CLOEXEC } from "./descriptors.ts";

/** One start, in descriptors. */
export interface ProcessStart {
  readonly launch: Launch;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute, existing directory. */
  readonly cwd: string;
  /** Opened by the child as 0, 1 and 2 (which makes it the controlling terminal), or three descriptors of ours. */
  readonly stdio: { readonly terminalPath: string } | {
    /** Null: the null device. */
    readonly stdin: number | null;
    readonly stdout: number;
    readonly stderr: number;
  };
}

const SPAWN_SETSID = 0x80;
const SPAWN_SETSIGMASK = 0x08;
const SPAWN_SETSIGDEF = 0x04;
/** Opaque structures of glibc are 80 and 336 bytes on x86-64; musl's are smaller. */
const FILE_ACTIONS_BYTES = 256;
const ATTRIBUTES_BYTES = 1024;
/** sigset_t (sigsetops(3)). */
const SIGSET_BYTES = 128;
/** Above what any launch asks for as a target, so that a moved source is never overwritten by a later duplicate. */
const MOVED_FROM = 64n;

/** Returns the pid. @throws SystemError when no process was created or its program could not be executed */
export function spawnProcess(start: ProcessStart): number {
  const libc = symbols();
  const actions = new Uint8Array(FILE_ACTIONS_BYTES);
  const attributes = new Uint8Array(ATTRIBUTES_BYTES);
  const pid = new Int32Array(1);
  const moved: number[] = [];
  libc.posix_spawn_file_actions_init(actions);
  libc.posix_spawnattr_init(attributes);
  try {
    libc.posix_spawn_file_actions_addchdir_np(actions, cString(start.cwd));
    addStdio(libc, actions, start.stdio);
    addInherited(libc, actions, start.launch, moved);
    // Security: the full set, because the runtime ignores SIGPIPE and a command must die from it like anywhere else.
    libc.posix_spawnattr_setsigdefault(attributes, new Uint8Array(SIGSET_BYTES).fill(0xff));
    libc.posix_spawnattr_setsigmask(attributes, new Uint8Array(SIGSET_BYTES));
    libc.posix_spawnattr_setflags(attributes, SPAWN_SETSID | SPAWN_SETSIGMASK | SPAWN_SETSIGDEF);
    const argv = new StringVector(start.launch.argv);
    const env = new StringVector(Object.entries(start.env).map(([name, value]) => `${name}=${value}`));
    const path = cString(start.launch.path);
    const failed = withStartLimit(libc, () =>
      libc.posix_spawn(
        new Uint8Array(pid.buffer),
        path,
        actions,
        attributes,
        argv.pointers,
        env.pointers,
      ));
    argv.touch();
    env.touch();
    if (failed !== 0) throw new SystemError(failed, "posix_spawn", start.launch.path);
    return pid[0] as number;
  } finally {
    for (const fd of moved) libc.close(fd);
    libc.posix_spawn_file_actions_destroy(actions);
    libc.posix_spawnattr_destroy(attributes);
  }
}

function addStdio(libc: Symbols, actions: Uint8Array<ArrayBuffer>, stdio: ProcessStart["stdio"]): void {
  if ("terminalPath" in stdio) {
    libc.posix_spawn_file_actions_addopen(actions, 0, cString(stdio.terminalPath), O_RDWR, 0);
    libc.posix_spawn_file_actions_adddup2(actions, 0, 1);
    libc.posix_spawn_file_actions_adddup2(actions, 0, 2);
    return;
  }
  if (stdio.stdin === null) libc.posix_spawn_file_actions_addopen(actions, 0, cString("/dev/null"), O_RDONLY, 0);
  else libc.posix_spawn_file_actions_adddup2(actions, stdio.stdin, 0);
  libc.posix_spawn_file_actions_adddup2(actions, stdio.stdout, 1);
  libc.posix_spawn_file_actions_adddup2(actions, stdio.stderr, 2);
}

/** The extra descriptors under their numbers, everything above them closed. */
function addInherited(libc: Symbols, actions: Uint8Array<ArrayBuffer>, launch: Launch, moved: number[]): void {
  let next = 3;
  const targets = new Set(launch.inherit.map(({ to }) => to));
  for (const { from, to } of launch.inherit) {
    let source = from;
    if (from !== to && targets.has(from)) {
      source = libc.fcntl(from, F_DUPFD_CLOEXEC, MOVED_FROM);
      if (source < 0) throw new SystemError(lastErrno(), "fcntl", `descriptor ${from}`);
      moved.push(source);
    }
    libc.posix_spawn_file_actions_adddup2(actions, source, to);
    next = Math.max(next, to + 1);
  }
  // Security: a descriptor of the server (protocol pipe, workspace handle) must never reach a command.
  if (libc.posix_spawn_file_actions_addclosefrom_np !== null) {
    libc.posix_spawn_file_actions_addclosefrom_np(actions, next);
  } else {
    for (const name of listSystemDirectory("/proc/self/fd")) {
      if (Number(name) >= next) libc.posix_spawn_file_actions_addclose(actions, Number(name));
    }
  }
}

/**
 * Runs `spawn` with the soft descriptor limit that this server was started with, because programs that loop over
 * all descriptors take seconds with the raised one. Other threads notice nothing unless they need a number above it
 * in this half millisecond.
 */
function withStartLimit(libc: Symbols, spawn: () => number): number {
  const raised = new BigUint64Array(2);
  const bytes = new Uint8Array(raised.buffer);
  const soft = BigInt(startSoftLimit());
  if (libc.getrlimit(RLIMIT_NOFILE, bytes) !== 0 || (raised[0] as bigint) <= soft) return spawn();
  const lowered = new BigUint64Array([soft, raised[1] as bigint]);
  libc.setrlimit(RLIMIT_NOFILE, new Uint8Array(lowered.buffer));
  try {
    return spawn();
  } finally {
    libc.setrlimit(RLIMIT_NOFILE, bytes);
  }
}

let softLimit: number | undefined;

/** Soft descriptor limit of whoever started the server: its parent's value, else 1,024 (getrlimit(2), the usual default). */
export function startSoftLimit(): number {
  if (softLimit !== undefined) return softLimit;
  softLimit = 1024;
  try {
    const line = /^Max open files\s+(\d+)/m.exec(readSystemFile(`/proc/${symbols().getppid()}/limits`));
    if (line !== null) softLimit = Number(line[1]);
  } catch {
    // The parent is gone or belongs to somebody else: the usual default stands.
  }
  return softLimit;
}

/** A NULL-terminated `char **` whose strings live in one arena. */
class StringVector {
  readonly pointers: Uint8Array<ArrayBuffer>;
  readonly #arena: Uint8Array<ArrayBuffer>;

  constructor(strings: readonly string[]) {
    const encoded = strings.map(cString);
    this.#arena = new Uint8Array(Math.max(1, encoded.reduce((sum, bytes) => sum + bytes.length, 0)));
    const table = new BigUint64Array(strings.length + 1);
    const base = addressOf(this.#arena);
    let at = 0;
    encoded.forEach((bytes, index) => {
      this.#arena.set(bytes, at);
      table[index] = base + BigInt(at);
      at += bytes.length;
    });
    this.pointers = new Uint8Array(table.buffer);
  }

  /** Keeps the arena referenced until here. */
  touch(): number {
    return this.#arena.length;
  }
}

const SYMBOLS = {
  posix_spawn_file_actions_init: { parameters: ["buffer"], result: "i32" },
  posix_spawn_file_actions_destroy: { parameters: ["buffer"], result: "i32" },
  posix_spawn_file_actions_addopen: { parameters: ["buffer", "i32", "buffer", "i32", "u32"], result: "i32" },
  posix_spawn_file_actions_adddup2: { parameters: ["buffer", "i32", "i32"], result: "i32" },
  posix_spawn_file_actions_addclose: { parameters: ["buffer", "i32"], result: "i32" },
  posix_spawn_file_actions_addchdir_np: { parameters: ["buffer", "buffer"], result: "i32" },
  posix_spawn_file_actions_addclosefrom_np: { parameters: ["buffer", "i32"], result: "i32", optional: true },
  posix_spawnattr_init: { parameters: ["buffer"], result: "i32" },
  posix_spawnattr_destroy: { parameters: ["buffer"], result: "i32" },
  posix_spawnattr_setflags: { parameters: ["buffer", "i16"], result: "i32" },
  posix_spawnattr_setsigdefault: { parameters: ["buffer", "buffer"], result: "i32" },
  posix_spawnattr_setsigmask: { parameters: ["buffer", "buffer"], result: "i32" },
  posix_spawn: { parameters: ["buffer", "buffer", "buffer", "buffer", "buffer", "buffer"], result: "i32" },
  getrlimit: { parameters: ["i32", "buffer"], result: "i32" },
  setrlimit: { parameters: ["i32", "buffer"], result: "i32" },
  getppid: { parameters: [], result: "i32" },
  fcntl: { parameters: ["i32", "i32", "i64"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

type Symbols = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];
let cached: Symbols | undefined;

function symbols(): Symbols {
  return cached ??= openLibc(SYMBOLS);
}

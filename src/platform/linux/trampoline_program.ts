/**
 * The program of the trampoline (O-31): what a process does to itself before it becomes the command.
 *
 * Order, and why it is that order:
 * 1. no_new_privs      Landlock and seccomp ask for it; set-user-id programs gain nothing from here on.
 * 2. namespaces        joined while capabilities are still there; descriptors of the namespaces are closed at 5.
 * 3. capabilities      after the namespaces, which gave some; before Landlock, so that nothing runs with more.
 * 4. landlock          the ruleset was made by the server; the domain is this process's own.
 * 5. descriptors       everything but 0–2 and the status pipe is closed, and that becomes close-on-exec.
 * 6. limits            soft limit of descriptors as the server's parent had it; no core dumps.
 * 7. seccomp           after everything that it would refuse.
 * 8. execve            end of file on the status pipe tells the server that it happened.
 *
 * A failed step sends {step, errno} and ends: the command never starts with less than was asked for.
 */

import type { Action, Operand, ProgramData } from "./machine.ts";
import { STATUS_DESCRIPTOR } from "./machine.ts";
import { BPF_INSTRUCTION_BYTES } from "./bpf.ts";
import { EXECVE_STEP, stepNumber, type TrampolineStep } from "./trampoline_steps.ts";
import type { SyscallName } from "./syscalls.ts";
import { AT_FDCWD } from "./at_flags.ts";
import { CLONE_NEWIPC, CLONE_NEWNET, CLONE_NEWNS, CLONE_NEWUSER } from "./clone_flags.ts";
import { RLIMIT_NOFILE } from "./open_file_limits.ts";

/** Descriptors that the trampoline expects its parent to have put there. */
export const RULESET_DESCRIPTOR = 3;
/** Where the user namespace lies at the start; absent kinds leave their number free. */
export const USER_NAMESPACE_DESCRIPTOR = 6;
/** Where the mount namespace lies at the start. */
export const MOUNT_NAMESPACE_DESCRIPTOR = 7;
/** Where the network namespace lies at the start. */
export const NETWORK_NAMESPACE_DESCRIPTOR = 8;
/** Where the IPC namespace lies at the start. */
export const IPC_NAMESPACE_DESCRIPTOR = 9;

/** Capabilities that root keeps: it can go on working with files as before (capabilities(7)). */
const KEPT_CAPABILITIES = { CHOWN: 0, DAC_OVERRIDE: 1, DAC_READ_SEARCH: 2, FOWNER: 3, FSETID: 4 } as const;

/** A program before a machine assembles it. */
export interface TrampolineProgram {
  readonly actions: readonly Action[];
  readonly data: ProgramData;
  /** Pieces of data that hold the address of another piece: `at` bytes into `in` stands the address of `of`. */
  readonly pointers: readonly { readonly in: string; readonly at: number; readonly of: string }[];
}

/** Which steps the program has. */
export interface TrampolineOptions {
  /** Whether a ruleset is on `RULESET_DESCRIPTOR`. */
  readonly landlock: boolean;
  /** Namespaces to join, whose descriptors are in their places. */
  readonly join: readonly ("user" | "ipc" | "mount" | "network")[];
  /** Drop the bounding set up to this capability (`cap_last_cap`), and keep the file ones; null: not root, keep none. */
  readonly lastCapability: number | null;
  /** seccomp program; empty: no filter. */
  readonly filter: Uint8Array<ArrayBuffer>;
  /** Limits of open files, soft and hard. */
  readonly openFiles: { readonly soft: bigint; readonly hard: bigint };
  /** What comes at the end: the command, or an attempt to open a path whose outcome is reported. */
  readonly end: { readonly kind: "execve" } | { readonly kind: "probe"; readonly path: string };
}

const PR_SET_NO_NEW_PRIVS = 38;
const PR_CAPBSET_DROP = 24;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_CLEAR_ALL = 4;
/** `_LINUX_CAPABILITY_VERSION_3` (linux/capability.h). */
const CAPABILITY_VERSION = 0x2008_0522;
const RLIMIT_CORE = 4;
const F_SETFD = 2;
const FD_CLOEXEC = 1;
const SECCOMP_SET_MODE_FILTER = 1;
/** Bytes of the longest path (limits.h). */
const PATH_MAX = 4096;
/** O_RDONLY | O_CLOEXEC. */
const OPEN_READ = 0x8_0000;
/** Highest descriptor number, for close_range(2). */
const LAST_DESCRIPTOR = 0xffff_ffff;

/** The program for `options`. */
export function trampolineProgram(options: TrampolineOptions): TrampolineProgram {
  const actions: Action[] = [call("no_new_privs", "prctl", [PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0])];
  actions.push(...joinNamespaces(options));
  actions.push(...dropCapabilities(options.lastCapability));
  if (options.landlock) actions.push(call("landlock", "landlock_restrict_self", [RULESET_DESCRIPTOR, 0]));
  actions.push(...closeDescriptors(options));
  actions.push(
    call("limits", "prlimit64", [0, RLIMIT_NOFILE, { data: "openFiles" }, 0]),
    call("limits", "prlimit64", [0, RLIMIT_CORE, { data: "core" }, 0]),
  );
  if (options.filter.length > 0) {
    actions.push(call("seccomp", "seccomp", [SECCOMP_SET_MODE_FILTER, 0, { data: "filterHeader" }]));
  }
  if (options.end.kind === "execve") {
    const pointers: Operand[] = [{ entry: "program" }, { entry: "arguments" }, { entry: "environment" }];
    actions.push({ kind: "call", name: "execve", arguments: pointers, step: EXECVE_STEP });
  } else {
    actions.push(attempt("openat", [AT_FDCWD, { data: "probePath" }, OPEN_READ, 0]));
    actions.push({ kind: "report", step: stepNumber("probe") }, { kind: "exit" });
  }
  return { actions, data: programData(options), pointers: [{ in: "filterHeader", at: 8, of: "filter" }] };
}

function joinNamespaces(options: TrampolineOptions): Action[] {
  const kinds = {
    user: [USER_NAMESPACE_DESCRIPTOR, CLONE_NEWUSER],
    ipc: [IPC_NAMESPACE_DESCRIPTOR, CLONE_NEWIPC],
    mount: [MOUNT_NAMESPACE_DESCRIPTOR, CLONE_NEWNS],
    network: [NETWORK_NAMESPACE_DESCRIPTOR, CLONE_NEWNET],
  } as const;
  const joins = options.join.map((kind) => call("namespaces", "setns", [...kinds[kind]]));
  if (!options.join.includes("mount")) return joins;
  // Security: joining a mount namespace moves the process to its root; the old directory would still be writable.
  return [
    call("namespaces", "getcwd", [{ entry: "scratch" }, PATH_MAX]),
    ...joins,
    call("namespaces", "chdir", [{ entry: "scratch" }]),
  ];
}

function dropCapabilities(lastCapability: number | null): Action[] {
  const actions: Action[] = [];
  const kept: readonly number[] = Object.values(KEPT_CAPABILITIES);
  // The bounding set needs CAP_SETPCAP, which a container may not give: no_new_privs holds what capset leaves anyway.
  for (let capability = 0; capability <= (lastCapability ?? -1); capability++) {
    if (!kept.includes(capability)) actions.push(attempt("prctl", [PR_CAPBSET_DROP, capability, 0, 0, 0]));
  }
  actions.push(
    attempt("prctl", [PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0]),
    call("capabilities", "capset", [{ data: "capabilityHeader" }, { data: "capabilities" }]),
  );
  return actions;
}

function closeDescriptors({ landlock }: Pick<TrampolineOptions, "landlock">): Action[] {
  const above = [STATUS_DESCRIPTOR + 1, LAST_DESCRIPTOR, 0] as const;
  return [
    // Kernels without Landlock may be older than close_range (5.9); there the spawner's own closing must do.
    landlock ? call("descriptors", "close_range", above) : attempt("close_range", above),
    attempt("close_range", [RULESET_DESCRIPTOR, RULESET_DESCRIPTOR, 0]),
    call("descriptors", "fcntl", [STATUS_DESCRIPTOR, F_SETFD, FD_CLOEXEC]),
  ];
}

function programData(options: TrampolineOptions): ProgramData {
  const kept = options.lastCapability === null ? 0 : maskOf(Object.values(KEPT_CAPABILITIES));
  // Effective, permitted, inheritable of capabilities 0–31, then of 32–63.
  const capabilities = words([kept, kept, 0, 0, 0, 0]);
  const filterHeader = new Uint8Array(16);
  new DataView(filterHeader.buffer).setUint16(0, options.filter.length / BPF_INSTRUCTION_BYTES, true);
  const data: Record<string, Uint8Array> = {
    capabilityHeader: words([CAPABILITY_VERSION, 0]),
    capabilities,
    openFiles: limits(options.openFiles.soft, options.openFiles.hard),
    // Security: one byte, not zero. The kernel starts a `core_pattern` program, as root and outside the sandbox, for a
    // limit of zero as well; one is the value that stops it (fs/coredump.c).
    core: limits(1n, 1n),
    filterHeader,
    filter: options.filter,
  };
  if (options.end.kind === "probe") data["probePath"] = new TextEncoder().encode(options.end.path + "\0");
  return data;
}

/** A call whose failure ends the trampoline. */
function call(step: TrampolineStep, name: SyscallName, operands: readonly Operand[]): Action {
  return { kind: "call", name, arguments: operands, step: stepNumber(step) };
}

/** A call that may fail. */
function attempt(name: SyscallName, operands: readonly Operand[]): Action {
  return { kind: "call", name, arguments: operands, step: null };
}

function words(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  values.forEach((value, index) => view.setUint32(index * 4, value >>> 0, true));
  return bytes;
}

function maskOf(bits: readonly number[]): number {
  return bits.reduce((mask, bit) => mask | (1 << bit), 0);
}

/** `struct rlimit64`. */
function limits(soft: bigint, hard: bigint): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, soft, true);
  view.setBigUint64(8, hard, true);
  return bytes;
}

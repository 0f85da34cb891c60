/**
 * The program that makes the namespaces which commands join, and holds them until the server has opened them.
 *
 * - network: a private one whose only interface is its loopback (`--network loopback`).
 * - mount: a copy in which everything is read-only but the places that commands may write. Landlock cannot refuse
 *   chmod, chown, utimes and setxattr (landlock(7), "Limitations"); a read-only mount can.
 * - ipc: a private one, so that System V memory and message queues of the user's other programs are not there.
 * - user: only where the others need it, with this one user mapped to itself.
 *
 * Descriptors are not chosen but known: the kernel gives the lowest free number. 3 is free, 4 carries the report,
 * 5 is the program itself, so further ones come from 6 on.
 */

import type { Action, Operand } from "./machine.ts";
import type { SyscallName } from "./syscalls.ts";
import type { TrampolineProgram } from "./trampoline_program.ts";
import { stepNumber } from "./trampoline_steps.ts";
import { AT_FDCWD } from "./at_flags.ts";
import { CLONE_NEWIPC, CLONE_NEWNET, CLONE_NEWNS, CLONE_NEWUSER } from "./clone_flags.ts";

/** Which namespaces the program makes. */
export interface NamespaceOptions {
  /** The others belong to a new user namespace, in which `uid` and `gid` stand for themselves. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
  readonly network: boolean;
  /** Canonical paths that stay writable, a directory before those in it; null: mounts stay as they are. */
  readonly writable: readonly string[] | null;
}

const STEP = stepNumber("namespaces");
/** O_WRONLY | O_CLOEXEC. */
const OPEN_WRITE = 0x8_0001;
const AF_INET = 2;
/** SOCK_DGRAM | SOCK_CLOEXEC. */
const DATAGRAM = 0x8_0002;
const SIOCSIFFLAGS = 0x8914;
const IFF_UP = 1;
/** MS_REC | MS_SLAVE: what the host mounts and unmounts later happens here too, never the other way. */
const RECURSIVE_SLAVE = 0x8_4000;
/** OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE. */
const CLONE_TREE = 0x8_8001;
const AT_RECURSIVE = 0x8000;
const MOVE_MOUNT_F_EMPTY_PATH = 4;
const MOUNT_ATTR_RDONLY = 1n;
const MOUNT_ATTR_BYTES = 32;
const FREE_DESCRIPTOR = 3;
const FIRST_FURTHER_DESCRIPTOR = 6;

/** The program for `options`. It reports `namespaces` with 0 and waits to be killed, or with the error number of what failed. */
export function namespaceProgram(options: NamespaceOptions): TrampolineProgram {
  const data: Record<string, Uint8Array> = {};
  const actions: Action[] = [{ ...call("close_range", [FREE_DESCRIPTOR, FREE_DESCRIPTOR, 0]), step: null }];
  const flags = CLONE_NEWIPC | (options.user === null ? 0 : CLONE_NEWUSER) | (options.network ? CLONE_NEWNET : 0) |
    (options.writable === null ? 0 : CLONE_NEWNS);
  actions.push(call("unshare", [flags]));
  if (options.user !== null) actions.push(...mapUser(options.user, data));
  if (options.network) actions.push(...raiseLoopback(data));
  if (options.writable !== null) actions.push(...makeReadOnly(options.writable, data));
  actions.push({ kind: "report", step: STEP }, { kind: "wait" });
  return { actions, data, pointers: [] };
}

function mapUser({ uid, gid }: { uid: number; gid: number }, data: Record<string, Uint8Array>): Action[] {
  return [
    // user_namespaces(7): without giving up setgroups(2) an ordinary user may not write gid_map.
    ...writeFile("/proc/self/setgroups", "deny", data),
    ...writeFile("/proc/self/uid_map", `${uid} ${uid} 1\n`, data),
    ...writeFile("/proc/self/gid_map", `${gid} ${gid} 1\n`, data),
  ];
}

function writeFile(path: string, content: string, data: Record<string, Uint8Array>): Action[] {
  const bytes = new TextEncoder().encode(content);
  data[`content of ${path}`] = bytes;
  return [
    call("openat", [AT_FDCWD, text(path, data), OPEN_WRITE, 0]),
    call("write", [FREE_DESCRIPTOR, { data: `content of ${path}` }, bytes.length]),
    call("close_range", [FREE_DESCRIPTOR, FREE_DESCRIPTOR, 0]),
  ];
}

function raiseLoopback(data: Record<string, Uint8Array>): Action[] {
  const request = new Uint8Array(40); // struct ifreq: name, then flags
  request.set(new TextEncoder().encode("lo"));
  new DataView(request.buffer).setInt16(16, IFF_UP, true);
  data["interface"] = request;
  return [
    call("socket", [AF_INET, DATAGRAM, 0]),
    call("ioctl", [FREE_DESCRIPTOR, SIOCSIFFLAGS, { data: "interface" }]),
    call("close_range", [FREE_DESCRIPTOR, FREE_DESCRIPTOR, 0]),
  ];
}

/**
 * Copies of the writable places are taken first and laid over the read-only tree: each keeps the flags it had, so a
 * place that was read-only before stays it.
 */
function makeReadOnly(writable: readonly string[], data: Record<string, Uint8Array>): Action[] {
  const attributes = new Uint8Array(MOUNT_ATTR_BYTES); // struct mount_attr: set, clear, propagation, user namespace
  new DataView(attributes.buffer).setBigUint64(0, MOUNT_ATTR_RDONLY, true);
  data["read-only"] = attributes;
  const descriptorOf = (index: number): number => index === 0 ? FREE_DESCRIPTOR : FIRST_FURTHER_DESCRIPTOR + index - 1;
  return [
    call("mount", [0, text("/", data), 0, RECURSIVE_SLAVE, 0]),
    ...writable.map((path) => call("open_tree", [AT_FDCWD, text(path, data), CLONE_TREE])),
    call("mount_setattr", [AT_FDCWD, text("/", data), AT_RECURSIVE, { data: "read-only" }, MOUNT_ATTR_BYTES]),
    ...writable.map((path, index) =>
      call("move_mount", [descriptorOf(index), text("", data), AT_FDCWD, text(path, data), MOVE_MOUNT_F_EMPTY_PATH])
    ),
  ];
}

/** A NUL-terminated string among the data. */
function text(value: string, data: Record<string, Uint8Array>): Operand {
  const name = `text ${value}`;
  data[name] = new TextEncoder().encode(value + "\0");
  return { data: name };
}

function call(name: SyscallName, operands: readonly Operand[]): Action & { kind: "call" } {
  return { kind: "call", name, arguments: operands, step: STEP };
}

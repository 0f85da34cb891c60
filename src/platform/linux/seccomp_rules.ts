/** Which system calls a command may not make, and why. Data only; `seccomp.ts` makes the filter. */

import type { NetworkReach } from "../../config/config.ts";
import type { SyscallName } from "./syscalls.ts";

/** A test on the low 32 bits of one argument; `mask` is applied first (default: all bits). */
export interface Condition {
  /** Which one, from 0. */
  readonly argument: number;
  readonly mask?: number;
  readonly is: number | { readonly not: number };
}

/** What happens to some system calls; the first rule that applies decides. */
export interface Rule {
  readonly calls: readonly SyscallName[];
  /** All must hold for the rule to apply. */
  readonly when?: readonly Condition[];
  readonly answer: "allow" | "EPERM" | "EACCES" | "ENOSYS";
  /** The attack or the leak that it stops. */
  readonly why: string;
}

/** Bits of clone(2) and unshare(2) that make a namespace: time, mount, cgroup, uts, ipc, user, pid, network. */
const NAMESPACE_FLAGS = 0x7e02_0080;
/** The same for clone(2), where 0x80 is part of the exit signal. */
const CLONE_NAMESPACE_FLAGS = 0x7e02_0000;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
/** The type without SOCK_NONBLOCK and SOCK_CLOEXEC. */
const SOCKET_TYPE_MASK = 0xf;
const NETLINK_ROUTE = 0;
const NETLINK_SOCK_DIAG = 4;

const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/** Refused to every command, first match wins (O-33). */
const ALWAYS: readonly Rule[] = [
  {
    calls: ["unshare"],
    when: [{ argument: 0, mask: NAMESPACE_FLAGS, is: { not: 0 } }],
    answer: "EPERM",
    why: "a user namespace gives all capabilities inside, and with them most of the kernel's attack surface",
  },
  {
    calls: ["clone"],
    when: [{ argument: 0, mask: CLONE_NAMESPACE_FLAGS, is: { not: 0 } }],
    answer: "EPERM",
    why: "the same by clone",
  },
  {
    calls: ["clone3"],
    answer: "ENOSYS",
    why: "its flags lie in memory where a filter cannot look; the C library falls back to clone",
  },
  { calls: ["setns"], answer: "EPERM", why: "leaves the network namespace of the command" },
  {
    calls: [
      "mount",
      "umount2",
      "pivot_root",
      "chroot",
      "open_tree",
      "open_tree_attr",
      "move_mount",
      "fsopen",
      "fsconfig",
      "fsmount",
      "fspick",
      "mount_setattr",
    ],
    answer: "EPERM",
    why: "changes what paths mean after the rules were bound",
  },
  { calls: ["open_by_handle_at"], answer: "EPERM", why: "opens an inode without a path (root in old containers)" },
  { calls: ["bpf", "perf_event_open"], answer: "EPERM", why: "kernel programs and kernel memory by sampling" },
  {
    calls: ["add_key", "request_key", "keyctl"],
    answer: "EPERM",
    why: "keyrings are shared with the user's session and hold its secrets",
  },
  {
    calls: ["init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load"],
    answer: "EPERM",
    why: "replaces the kernel",
  },
  { calls: ["userfaultfd"], answer: "EPERM", why: "makes kernel races winnable" },
  {
    calls: ["reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "sethostname", "setdomainname"],
    answer: "EPERM",
    why: "administration of the machine",
  },
  { calls: ["settimeofday", "clock_settime"], answer: "EPERM", why: "sets the machine's clock" },
  { calls: ["iopl", "ioperm"], answer: "EPERM", why: "raw access to hardware" },
  { calls: ["syslog"], answer: "EPERM", why: "kernel log: addresses and other users' data" },
  { calls: ["fanotify_init"], answer: "EPERM", why: "watches whole file systems, past the rules for paths" },
  {
    calls: ["prlimit64"],
    when: [{ argument: 0, is: { not: 0 } }],
    answer: "EPERM",
    why: "limits of another process of the same user: one CPU second of limit kills the server",
  },
  {
    calls: ["ioctl"],
    when: [{ argument: 1, is: TIOCSTI }],
    answer: "EPERM",
    why: "types into a terminal, so that its shell runs it after the command",
  },
  { calls: ["ioctl"], when: [{ argument: 1, is: TIOCLINUX }], answer: "EPERM", why: "the same on a virtual console" },
];

/** Without Landlock nothing else keeps a command out of the memory of other processes. */
const WITHOUT_LANDLOCK: readonly Rule[] = [
  {
    calls: ["ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp"],
    answer: "EPERM",
    why: "reads or changes another process; with Landlock the domain decides, and debuggers work inside it",
  },
];

const NO_IO_URING: Rule = {
  calls: ["io_uring_setup", "io_uring_enter", "io_uring_register"],
  answer: "ENOSYS",
  why: "makes sockets and connects without the calls that this filter sees",
};

/** socketpair(2) too: a datagram pair can send to any named socket. */
const UNIX_STREAMS: readonly Rule[] = [SOCK_STREAM, SOCK_SEQPACKET].map((type) => ({
  calls: ["socket", "socketpair"],
  when: [{ argument: 0, is: AF_UNIX }, { argument: 1, mask: SOCKET_TYPE_MASK, is: type }],
  answer: "allow",
  why: "pipes of a kind between the command's own processes",
}));

const ROUTE: Rule = {
  calls: ["socket"],
  when: [{ argument: 0, is: AF_NETLINK }, { argument: 2, is: NETLINK_ROUTE }],
  answer: "allow",
  why: "lists network interfaces; changing them needs a capability that was dropped",
};

const NETWORK: Readonly<Record<NetworkReach, readonly Rule[]>> = {
  none: [
    NO_IO_URING,
    ...UNIX_STREAMS,
    ROUTE,
    {
      calls: ["socket", "socketpair"],
      answer: "EACCES",
      why: "every other family and type reaches out: IP, raw, packet, vsock, Bluetooth, netlink, datagrams to daemons",
    },
    { calls: ["connect"], answer: "EACCES", why: "Docker, D-Bus and agents listen on sockets that are mere paths" },
  ],
  loopback: [
    NO_IO_URING,
    ROUTE,
    {
      calls: ["socket"],
      when: [{ argument: 0, is: AF_NETLINK }, { argument: 2, is: NETLINK_SOCK_DIAG }],
      answer: "allow",
      why: "ss(8), of the private namespace only",
    },
    ...[AF_UNIX, AF_INET, AF_INET6].map((family): Rule => ({
      calls: ["socket", "socketpair"],
      when: [{ argument: 0, is: family }],
      answer: "allow",
      why: "ends in the private network namespace",
    })),
    { calls: ["socket", "socketpair"], answer: "EACCES", why: "vsock and others do not end at a network namespace" },
  ],
  open: [],
};

/** The rules of a command, first match wins; what no rule names is allowed. */
export function seccompRules(choice: { readonly network: NetworkReach; readonly landlock: boolean }): readonly Rule[] {
  return [...ALWAYS, ...(choice.landlock ? [] : WITHOUT_LANDLOCK), ...NETWORK[choice.network]];
}

/**
 * Rules of a process that needs nothing but the descriptors it was given (the image decoder): besides everything
 * above, no socket that leads to another process, and no new program after its own start is possible by Landlock, so only sockets are named here.
 */
export const PIPES_ONLY_RULES: readonly Rule[] = [
  ...ALWAYS,
  ...WITHOUT_LANDLOCK,
  NO_IO_URING,
  {
    calls: ["socketpair"],
    when: [{ argument: 0, is: AF_UNIX }, { argument: 1, mask: SOCKET_TYPE_MASK, is: SOCK_STREAM }],
    answer: "allow",
    why: "the runtime wakes itself through such a pair when a signal comes; it leads nowhere else",
  },
  { calls: ["socket", "socketpair", "connect"], answer: "EACCES", why: "it has its pipes" },
];

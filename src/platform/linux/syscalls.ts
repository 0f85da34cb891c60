/**
 * Numbers of the system calls that the trampoline makes and the filter names.
 *
 * Sources: `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h` (arm64) of Linux.
 * From 424 on every architecture shares the numbers. `null`: the architecture does not have the call.
 */

/** The architectures the trampoline has code for, as Linux calls them. */
export type Architecture = "x86_64" | "aarch64";

/** `[x86_64, aarch64]`. */
const NUMBERS = {
  write: [1, 64],
  ioctl: [16, 29],
  connect: [42, 203],
  socket: [41, 198],
  socketpair: [53, 199],
  clone: [56, 220],
  execve: [59, 221],
  fcntl: [72, 25],
  getcwd: [79, 17],
  chdir: [80, 49],
  ptrace: [101, 117],
  syslog: [103, 116],
  capset: [126, 91],
  pivot_root: [155, 41],
  prctl: [157, 167],
  chroot: [161, 51],
  acct: [163, 89],
  settimeofday: [164, 170],
  mount: [165, 40],
  umount2: [166, 39],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  iopl: [172, null],
  ioperm: [173, null],
  init_module: [175, 105],
  delete_module: [176, 106],
  quotactl: [179, 60],
  clock_settime: [227, 112],
  exit_group: [231, 94],
  kexec_load: [246, 104],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  openat: [257, 56],
  unshare: [272, 97],
  perf_event_open: [298, 241],
  fanotify_init: [300, 262],
  prlimit64: [302, 261],
  open_by_handle_at: [304, 265],
  setns: [308, 268],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  finit_module: [313, 273],
  seccomp: [317, 277],
  memfd_create: [319, 279],
  kexec_file_load: [320, 294],
  bpf: [321, 280],
  userfaultfd: [323, 282],
  pause: [34, null],
  ppoll: [271, 73],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  clone3: [435, 435],
  close_range: [436, 436],
  pidfd_getfd: [438, 438],
  process_madvise: [440, 440],
  mount_setattr: [442, 442],
  quotactl_fd: [443, 443],
  landlock_create_ruleset: [444, 444],
  landlock_add_rule: [445, 445],
  landlock_restrict_self: [446, 446],
  open_tree_attr: [467, 467],
} as const satisfies Record<string, readonly [number, number | null]>;

/** A call that the table names. */
export type SyscallName = keyof typeof NUMBERS;

/** The number of `name`, or null where `architecture` lacks the call. */
export function syscallNumber(name: SyscallName, architecture: Architecture): number | null {
  return NUMBERS[name][architecture === "x86_64" ? 0 : 1];
}

/** Every name of the table, for tests. */
export const SYSCALL_NAMES = Object.keys(NUMBERS) as readonly SyscallName[];

/** Names of the error numbers of Linux (errno(3), asm-generic/errno.h), the same on x86-64 and arm64. */

import type { EntryKind } from "./file_facts.ts";

const NAMES: Readonly<Record<number, string>> = {
  1: "EPERM",
  2: "ENOENT",
  3: "ESRCH",
  4: "EINTR",
  5: "EIO",
  6: "ENXIO",
  7: "E2BIG",
  8: "ENOEXEC",
  9: "EBADF",
  10: "ECHILD",
  11: "EAGAIN",
  12: "ENOMEM",
  13: "EACCES",
  14: "EFAULT",
  16: "EBUSY",
  17: "EEXIST",
  18: "EXDEV",
  19: "ENODEV",
  20: "ENOTDIR",
  21: "EISDIR",
  22: "EINVAL",
  23: "ENFILE",
  24: "EMFILE",
  25: "ENOTTY",
  26: "ETXTBSY",
  27: "EFBIG",
  28: "ENOSPC",
  29: "ESPIPE",
  30: "EROFS",
  31: "EMLINK",
  32: "EPIPE",
  34: "ERANGE",
  36: "ENAMETOOLONG",
  37: "ENOLCK",
  38: "ENOSYS",
  39: "ENOTEMPTY",
  40: "ELOOP",
  61: "ENODATA",
  75: "EOVERFLOW",
  95: "EOPNOTSUPP",
  116: "ESTALE",
  122: "EDQUOT",
};

/** `ENOENT` for 2 and so on; `errno N` for a number without a name here. */
export function errnoName(errno: number): string {
  return NAMES[errno] ?? `errno ${errno}`;
}

/** Too little of something that others may give back: processes, memory, descriptors, namespaces, space. */
export function isShortage(errno: string): boolean {
  return SHORTAGES.has(errno);
}

const SHORTAGES: ReadonlySet<string> = new Set(["EAGAIN", "ENOMEM", "EMFILE", "ENFILE", "ENOSPC"]);

/** A failed system call, as the platform room reports it. */
export class SystemError extends Error {
  override readonly name = "SystemError";
  readonly errno: string;
  /** The call that failed, such as `openat2`. */
  readonly step: string;
  readonly path: string;

  constructor(errno: number | string, step: string, path: string) {
    const code = typeof errno === "number" ? errnoName(errno) : errno;
    super(`${step} ${path}: ${code}`);
    this.errno = code;
    this.step = step;
    this.path = path;
  }
}

/** Something that is no regular file where one was asked for; nothing was opened. */
export class NotRegularError extends SystemError {
  readonly kind: EntryKind;

  constructor(kind: EntryKind, path: string) {
    super(kind === "directory" ? "EISDIR" : "EINVAL", "open", path);
    this.kind = kind;
  }
}

/** A permission that the runtime was not started with (O-53); to the caller it looks like `EACCES`. */
export class MissingPermission extends SystemError {
  /** As in the flag: `write` for `--allow-write`. */
  readonly permission: string;

  constructor(permission: string, step: string, path: string) {
    super("EACCES", step, path);
    this.permission = permission;
  }
}

/** The permission whose lack `fault` reports, as in its flag; null for any other fault. */
export function missingPermission(fault: unknown): string | null {
  if (!(fault instanceof Error) || fault.name !== "NotCapable") return null;
  // Deno ends its sentence with the flag.
  return /--allow-([a-z]+)/.exec(fault.message)?.[1] ?? "all";
}

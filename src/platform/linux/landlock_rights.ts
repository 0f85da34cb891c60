/** Rights of Landlock by ABI version (linux/landlock.h; landlock(7)). Pure numbers, no system call. */

import type { Access } from "../path_rule.ts";

/** `LANDLOCK_ACCESS_FS_…`. */
export const FS_RIGHT = {
  EXECUTE: 1 << 0,
  WRITE_FILE: 1 << 1,
  READ_FILE: 1 << 2,
  READ_DIR: 1 << 3,
  REMOVE_DIR: 1 << 4,
  REMOVE_FILE: 1 << 5,
  MAKE_CHAR: 1 << 6,
  MAKE_DIR: 1 << 7,
  MAKE_REG: 1 << 8,
  MAKE_SOCK: 1 << 9,
  MAKE_FIFO: 1 << 10,
  MAKE_BLOCK: 1 << 11,
  MAKE_SYM: 1 << 12,
  REFER: 1 << 13,
  TRUNCATE: 1 << 14,
  IOCTL_DEV: 1 << 15,
  RESOLVE_UNIX: 1 << 16,
} as const;

/** A right of `FS_RIGHT` by its name without `LANDLOCK_ACCESS_FS_`. */
export type FsRight = keyof typeof FS_RIGHT;

/** The ABI that brought a right; rights not named came with version 1. */
const FIRST_ABI: Partial<Record<FsRight, number>> = { REFER: 2, TRUNCATE: 3, IOCTL_DEV: 5, RESOLVE_UNIX: 9 };

/** TCP bind and connect (`LANDLOCK_ACCESS_NET_…`). */
const NET_TCP = 0b11;
const FIRST_NET_ABI = 4;
/** Abstract Unix sockets and signals (`LANDLOCK_SCOPE_…`). */
const SCOPES = 0b11;
const FIRST_SCOPE_ABI = 6;

/** Rights that exist on something that is not a directory; others make landlock_add_rule(2) answer EINVAL there. */
const ON_FILES = bits(["EXECUTE", "WRITE_FILE", "READ_FILE", "TRUNCATE", "IOCTL_DEV", "RESOLVE_UNIX"]);

/** What a rule grants (contract 6.2). */
const GRANTS: Readonly<Record<Access, readonly FsRight[]>> = {
  write: Object.keys(FS_RIGHT) as FsRight[],
  execute: ["EXECUTE", "READ_FILE", "READ_DIR"],
  read: ["READ_FILE", "READ_DIR"],
  device: ["EXECUTE", "READ_FILE", "READ_DIR", "WRITE_FILE", "TRUNCATE", "IOCTL_DEV"],
};

/** Everything that a ruleset of version `abi` can refuse (contract 6.1). */
export function handledRights(abi: number): number {
  return bits((Object.keys(FS_RIGHT) as FsRight[]).filter((right) => hasRight(right, abi)));
}

/** Whether version `abi` knows `right`. */
export function hasRight(right: FsRight, abi: number): boolean {
  return abi >= (FIRST_ABI[right] ?? 1);
}

/** The bits of a rule, without those that `abi` does not know. */
export function grantedRights(access: Access, abi: number): number {
  return bits(GRANTS[access]) & handledRights(abi);
}

/** `rights` without those that only a directory has. */
export function rightsOnFile(rights: number): number {
  return rights & ON_FILES;
}

/** Bits of `handled_access_net` that refuse all TCP; 0 before version 4. */
export function tcpRights(abi: number): number {
  return abi >= FIRST_NET_ABI ? NET_TCP : 0;
}

/** Bits of `scoped`; 0 before version 6. */
export function scopeBits(abi: number): number {
  return abi >= FIRST_SCOPE_ABI ? SCOPES : 0;
}

/** Size of `struct landlock_ruleset_attr` that version `abi` understands, bytes. */
export function rulesetAttributeBytes(abi: number): number {
  if (abi >= FIRST_SCOPE_ABI) return 24;
  return abi >= FIRST_NET_ABI ? 16 : 8;
}

function bits(rights: readonly FsRight[]): number {
  return rights.reduce((sum, right) => sum | FS_RIGHT[right], 0);
}

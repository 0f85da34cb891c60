/** Landlock rulesets (landlock(7)): what the kernel offers, and a descriptor that holds one plan's rules. */

import { SystemError } from "../errno.ts";
import type { PathRule } from "../path_rule.ts";
import {
  grantedRights,
  handledRights,
  rightsOnFile,
  rulesetAttributeBytes,
  scopeBits,
  tcpRights,
} from "./landlock_rights.ts";
import { cString, lastErrno, openLibc } from "./libc.ts";
import { O_CLOEXEC, O_PATH } from "./open_flags.ts";
import { EACCES, EINVAL, ELOOP, ENOENT, ENOTDIR } from "./errno_numbers.ts";

const LANDLOCK_CREATE_RULESET = 444n;
const LANDLOCK_ADD_RULE = 445n;
/** Flag of landlock_create_ruleset(2): give the ABI version instead of a ruleset. */
const CREATE_RULESET_VERSION = 1n;
const RULE_PATH_BENEATH = 1n;

/** Reasons why a path that may be missing cannot be opened. */
const ABSENT: readonly number[] = [ENOENT, EACCES, ENOTDIR, ELOOP];

/** What the kernel offers: a version from 1 on, or why there is none. */
export type LandlockSupport = { readonly abi: number } | { readonly abi: null; readonly reason: string };

/** What a ruleset is made from. */
export interface RulesetRequest {
  /** Version the kernel has; rights it does not know are left out. */
  readonly abi: number;
  readonly rules: readonly PathRule[];
  /** Refuse every TCP bind and connect, where the version can. */
  readonly refuseTcp: boolean;
}

let libc: ReturnType<typeof openSymbols> | undefined;

/** The kernel's Landlock version. Costs one system call. */
export function landlockSupport(): LandlockSupport {
  let version: number;
  try {
    version = Number(symbols().landlockVersion(LANDLOCK_CREATE_RULESET, 0n, 0n, CREATE_RULESET_VERSION));
  } catch (fault) {
    return {
      abi: null,
      reason: `no access to system calls: ${fault instanceof Error ? fault.message : String(fault)}`,
    };
  }
  if (version > 0) return { abi: version };
  // ENOSYS: kernel before 5.13 or a container filter; EOPNOTSUPP: built in but not among the active LSMs.
  return { abi: null, reason: lastErrno() === 95 ? "Landlock is disabled at boot" : "the kernel has no Landlock" };
}

/**
 * A new ruleset descriptor (close-on-exec). It can restrict any number of processes; the caller closes it.
 *
 * @throws SystemError if a required path cannot be opened or the kernel refuses a rule.
 */
export function createRuleset(request: RulesetRequest): number {
  const attribute = new Uint8Array(24);
  const view = new DataView(attribute.buffer);
  view.setBigUint64(0, BigInt(handledRights(request.abi)), true);
  view.setBigUint64(8, BigInt(request.refuseTcp ? tcpRights(request.abi) : 0), true);
  view.setBigUint64(16, BigInt(scopeBits(request.abi)), true);
  const ruleset = Number(
    symbols().createRuleset(LANDLOCK_CREATE_RULESET, attribute, BigInt(rulesetAttributeBytes(request.abi)), 0n),
  );
  if (ruleset < 0) throw new SystemError(lastErrno(), "landlock_create_ruleset", "");
  try {
    for (const rule of request.rules) addRule(ruleset, rule, request.abi);
  } catch (fault) {
    symbols().close(ruleset);
    throw fault;
  }
  return ruleset;
}

function addRule(ruleset: number, rule: PathRule, abi: number): void {
  const parent = symbols().open(cString(rule.path), O_PATH | O_CLOEXEC);
  if (parent < 0) {
    const errno = lastErrno();
    if (!rule.required && ABSENT.includes(errno)) return;
    throw new SystemError(errno, "open", rule.path);
  }
  try {
    const rights = grantedRights(rule.access, abi);
    let errno = tryRule(ruleset, parent, rights);
    // EINVAL: the path is not a directory, and some of the rights exist only on directories.
    if (errno === EINVAL) errno = tryRule(ruleset, parent, rightsOnFile(rights));
    if (errno !== 0) throw new SystemError(errno, "landlock_add_rule", rule.path);
  } finally {
    symbols().close(parent);
  }
}

/** 0, or the error number. */
function tryRule(ruleset: number, parent: number, rights: number): number {
  const attribute = new Uint8Array(12); // packed: u64 rights, s32 descriptor
  const view = new DataView(attribute.buffer);
  view.setBigUint64(0, BigInt(rights), true);
  view.setInt32(8, parent, true);
  const result = symbols().addRule(LANDLOCK_ADD_RULE, BigInt(ruleset), RULE_PATH_BENEATH, attribute, 0n);
  return Number(result) < 0 ? lastErrno() : 0;
}

function symbols(): ReturnType<typeof openSymbols> {
  return libc ??= openSymbols();
}

function openSymbols() {
  return openLibc({
    landlockVersion: { name: "syscall", parameters: ["i64", "u64", "u64", "u64"], result: "i64" },
    createRuleset: { name: "syscall", parameters: ["i64", "buffer", "u64", "u64"], result: "i64" },
    addRule: { name: "syscall", parameters: ["i64", "i64", "u64", "buffer", "u64"], result: "i64" },
    open: { parameters: ["buffer", "i32"], result: "i32" },
    close: { parameters: ["i32"], result: "i32" },
  });
}

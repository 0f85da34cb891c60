/** What one kind of start needs from its trampoline; starts of one kind share the assembled image. */

import type { NetworkReach } from "../../config/config.ts";
import { ownUser } from "../own_user.ts";
import { readSystemFile } from "../system_file.ts";
import type { NamespaceKind } from "./namespaces.ts";
import { openFileLimits } from "./open_file_limits.ts";
import { makeFilter } from "./seccomp.ts";
import { PIPES_ONLY_RULES, seccompRules } from "./seccomp_rules.ts";
import { nativeArchitecture } from "./trampoline.ts";
import type { TrampolineOptions } from "./trampoline_program.ts";

/** Two starts of one kind differ in descriptors, arguments and environment only. */
export interface StartKind {
  readonly landlock: boolean;
  readonly network: NetworkReach;
  readonly pipesOnly: boolean;
  /** Namespaces to join, which are open already. */
  readonly join: readonly NamespaceKind[];
}

/** Capability number used where the kernel does not tell its last one: CAP_CHECKPOINT_RESTORE, Linux 5.9. */
const LAST_KNOWN_CAPABILITY = 40;

/** The options of a trampoline of this kind that ends in `end`. @throws SystemError if the limits cannot be read. */
export function trampolineOptions(kind: StartKind, end: TrampolineOptions["end"]): TrampolineOptions {
  const architecture = nativeArchitecture() ?? "x86_64";
  const rules = kind.pipesOnly ? PIPES_ONLY_RULES : seccompRules(kind);
  return {
    landlock: kind.landlock,
    join: kind.join,
    lastCapability: ownUser()?.uid === 0 ? lastCapability() : null,
    filter: makeFilter(rules, architecture),
    openFiles: openFileLimits(),
    end,
  };
}

function lastCapability(): number {
  try {
    return Number(readSystemFile("/proc/sys/kernel/cap_last_cap")) || LAST_KNOWN_CAPABILITY;
  } catch {
    // Without /proc the number of a recent kernel does: dropping one that does not exist is harmless.
    return LAST_KNOWN_CAPABILITY;
  }
}

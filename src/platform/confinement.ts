/** What a system can enforce on a child process, whatever the system is. */

import type { NetworkReach } from "../config/config.ts";
import type { Launch } from "./launch.ts";
import type { PathRule } from "./path_rule.ts";

/** What one start is to be held to. */
export interface ConfinementRequest {
  /** Paths that may be used, and how; what no rule names is refused. */
  readonly rules: readonly PathRule[];
  readonly network: NetworkReach;
  /** No sockets at all. */
  readonly pipesOnly: boolean;
  /** Keep modes, owners, times and extended attributes of everything outside the writable places, where possible. */
  readonly sealAttributes: boolean;
  /** Path prefix for a launcher file, where one is needed; commands must not be able to write there. */
  readonly launchPrefix: string;
  /** `argv[0]` of the program; default: its path. */
  readonly argv0?: string;
}

/** What holds for a process that was started this way. */
export interface Enforcement {
  readonly filesystem: "confined" | "unconfined";
  /** Whether modes, owners, times and extended attributes outside are kept too, which Landlock alone cannot. */
  readonly attributes: "confined" | "unconfined";
  readonly network: NetworkReach;
  readonly signals: "scoped" | "unscoped";
  /** Landlock version; null without. */
  readonly abi: number | null;
  /** Why it is less than was asked for; null when it is not. */
  readonly reason: string | null;
}

/** A start that is ready: what to launch, and what will hold it. */
export interface ConfinedStart {
  readonly launch: Launch;
  /** What the system does enforce, which may be less than what was asked for. */
  readonly enforcement: Enforcement;
  /** Gives back everything of a start that will not be made: `release` and the status pipe. */
  readonly abandon: () => void;
}

/** What a system can do, found by trying it. */
export interface ConfinementFacts {
  readonly mechanism: "landlock" | "seatbelt" | "none";
  readonly abi: number | null;
  /** Why nothing confines a child; null where something does. */
  readonly reason: string | null;
  /** Why the way to a confined start does not work; null where it does or where there is none. */
  readonly fault: string | null;
  /** Where the launcher lies; null without one. */
  readonly launcher: "memory" | "file" | null;
  /** Why a private loopback is not possible; null where it is. */
  readonly noLoopback: string | null;
  /** Why attributes outside cannot be kept; null where they can. */
  readonly noSealing: string | null;
}

/** The confinement of this system; one per run, closed at its end. */
export interface Confinement {
  /** Landlock version of the kernel; null without. */
  readonly abi: number | null;
  /** Why nothing confines a child here; null where something does. Starts nothing. */
  readonly reason: string | null;
  /** @throws SystemError if something that exists here cannot be enforced: then nothing may be started. */
  prepare(argv: readonly string[], request: ConfinementRequest): ConfinedStart;
  /** Tries everything once; costs some milliseconds and starts no program. */
  examine(request: Pick<ConfinementRequest, "rules" | "launchPrefix">): ConfinementFacts;
  close(): void;
}

/** A start of `argv` as it is. */
export function unconfinedStart(
  argv: readonly string[],
  facts: { readonly argv0?: string; readonly reason: string; readonly abi: number | null },
): ConfinedStart {
  const [program = "", ...rest] = argv;
  return {
    launch: {
      path: program,
      argv: [facts.argv0 ?? program, ...rest],
      inherit: [],
      statusRead: null,
      release: () => {},
    },
    enforcement: {
      filesystem: "unconfined",
      attributes: "unconfined",
      network: "open",
      signals: "unscoped",
      abi: facts.abi,
      reason: facts.reason,
    },
    abandon: () => {},
  };
}

/** Facts of a system without any way to confine a child. */
export function nothingExamined(reason: string): ConfinementFacts {
  const facts = { abi: null, reason, fault: null, launcher: null, noLoopback: reason, noSealing: reason };
  return { mechanism: "none", ...facts };
}

/** Confinement of macOS by `sandbox-exec`. Never run: no macOS machine was there. */

import { existsSync } from "node:fs";
import {
  type ConfinedStart,
  type Confinement,
  type ConfinementFacts,
  type ConfinementRequest,
  nothingExamined,
  unconfinedStart,
} from "../confinement.ts";
import { seatbeltProfile } from "./seatbelt_profile.ts";

const ABSENT = "sandbox-exec is not there";
const PROGRAM = "/usr/bin/sandbox-exec";

/** The confinement of this Mac; with a `reason` where `sandbox-exec` is missing. */
export function seatbeltConfinement(): Confinement {
  return { abi: null, reason: existsSync(PROGRAM) ? null : ABSENT, prepare, examine, close() {} };
}

function examine(): ConfinementFacts {
  if (!existsSync(PROGRAM)) return nothingExamined(ABSENT);
  return {
    mechanism: "seatbelt",
    abi: null,
    reason: null,
    fault: null,
    launcher: null,
    noLoopback: null,
    noSealing: null,
  };
}

function prepare(argv: readonly string[], request: ConfinementRequest): ConfinedStart {
  if (!existsSync(PROGRAM)) {
    return unconfinedStart(argv, { ...request, reason: ABSENT, abi: null });
  }
  const profile = seatbeltProfile(request);
  return {
    launch: {
      path: PROGRAM,
      argv: ["sandbox-exec", "-p", profile, ...argv],
      inherit: [],
      statusRead: null,
      release: () => {},
    },
    enforcement: {
      filesystem: "confined",
      attributes: "confined",
      network: request.network,
      signals: "scoped",
      abi: null,
      reason: "Seatbelt profile; it was never tested on macOS",
    },
    abandon: () => {},
  };
}

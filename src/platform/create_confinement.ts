/** Chooses how this system confines children. */

import { type Confinement, nothingExamined, unconfinedStart } from "./confinement.ts";
import { LinuxConfinement } from "./linux/linux_confinement.ts";
import { seatbeltConfinement } from "./macos/seatbelt_confinement.ts";

/** The confinement of this system; on Windows and others one that says that there is none. */
export function createConfinement(): Confinement {
  if (Deno.build.os === "linux") return new LinuxConfinement();
  if (Deno.build.os === "darwin") return seatbeltConfinement();
  const reason = `there is no sandbox for ${Deno.build.os}`;
  return {
    abi: null,
    reason,
    prepare: (argv, request) => unconfinedStart(argv, { ...request, reason, abi: null }),
    examine: () => nothingExamined(reason),
    close() {},
  };
}

/** Where the system keeps temporary files. */

import { tmpdir } from "node:os";

/** The directory of `TMPDIR`; `/tmp` where the runtime may not read the environment. */
export function temporaryDirectory(): string {
  try {
    return tmpdir();
  } catch (fault) {
    if (!(fault instanceof Error) || fault.name !== "NotCapable") throw fault;
    return "/tmp";
  }
}

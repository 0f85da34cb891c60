/** Chooses how this system starts children. */

import type { ChildHost } from "./child.ts";
import { LinuxChildHost } from "./linux/linux_child_host.ts";
import type { ProcessTable } from "./process_table.ts";
import { PlainProcessTable } from "./linux/plain_process_table.ts";
import { PortableChildHost } from "./portable_child_host.ts";

/** The host of this system; on Linux without FFI, and elsewhere, the one that only knows pipes and says so. */
export function createChildHost(): ChildHost {
  if (Deno.build.os === "darwin") return new PortableChildHost(null);
  if (Deno.build.os !== "linux") {
    return new PortableChildHost(`terminals are not available on ${Deno.build.os}`);
  }
  try {
    return new LinuxChildHost();
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message.split("\n")[0] : String(fault);
    return new PortableChildHost(`terminals need FFI, which is not available: ${reason}`, plainProcessTable());
  }
}

function plainProcessTable(): ProcessTable | null {
  try {
    return new PlainProcessTable();
  } catch {
    // No permission to read /proc: then only process groups can be reached.
    return null;
  }
}

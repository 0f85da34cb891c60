/** Every flag of `vise serve`, in the order of the help. */

import type { Flag } from "../flag.ts";
import { COMMAND_FLAGS } from "./command_flags.ts";
import { PERMISSION_FLAGS } from "./permission_flags.ts";
import { TRANSPORT_FLAGS } from "./transport_flags.ts";
import { WORKSPACE_FLAGS } from "./workspace_flags.ts";

/** Names are unique, and so are the variables. */
export const ALL_FLAGS: readonly Flag[] = [
  ...WORKSPACE_FLAGS,
  ...TRANSPORT_FLAGS,
  ...PERMISSION_FLAGS,
  ...COMMAND_FLAGS,
];

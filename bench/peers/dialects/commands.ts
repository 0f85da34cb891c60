/** `mcp-server-commands`. */

import type { Dialect } from "../dialect.ts";

/** One tool, which keeps the output up to 1 MiB. */
export const COMMANDS: Dialect = {
  name: "commands",
  marks: ["run_command"],
  abilities: { exec: (server, { cmd }) => server.call("run_command", { command: cmd }) },
};

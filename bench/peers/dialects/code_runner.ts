/** `mcp-server-code-runner`: writes the code to a file and runs it; a shell script here. */

import type { Dialect } from "../dialect.ts";

/** One command in a file of its own. */
export const CODE_RUNNER: Dialect = {
  name: "code-runner",
  marks: ["run-code"],
  abilities: { exec: (server, { cmd }) => server.call("run-code", { code: cmd, languageId: "shellscript" }) },
};

/** Codex: the command line, its editor extension and its app share one file. */

import { type Client, plainEntry, SERVER_NAME, shellLine, under } from "./client.ts";

/** Its file is TOML: a table per server. */
export const CODEX: Client = {
  name: "codex",
  title: "Codex CLI",
  format: "toml",
  files: {
    user: (place) => under(place, place.environment["CODEX_HOME"] ?? under(place, place.home, ".codex"), "config.toml"),
    // Second, because Codex reads it only in projects that it trusts.
    project: (place) => under(place, place.project, ".codex", "config.toml"),
  },
  container: ["mcp_servers"],
  entry: plainEntry,
  cliCommand: (launch) => `codex mcp add ${SERVER_NAME} -- ${shellLine(launch)}`,
  afterwards: "Start Codex again; /mcp shows the server. A project file is read only in a project that Codex trusts.",
  approval: {
    byDefault: "follows its approval policy; read-only annotations count",
    where: "one table per tool below the server in the same file",
    language: "toml",
    example: (tools) =>
      tools.map((tool) => `[mcp_servers.${SERVER_NAME}.tools.${tool}]\napproval_mode = "approve"`).join("\n\n"),
  },
};

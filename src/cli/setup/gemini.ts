/** Gemini CLI. */

import { type Client, plainEntry, SERVER_NAME, shellWord, under } from "./client.ts";

/** User and project settings have one form. */
export const GEMINI: Client = {
  name: "gemini",
  title: "Gemini CLI",
  format: "json",
  files: {
    project: (place) => under(place, place.project, ".gemini", "settings.json"),
    user: (place) => under(place, place.home, ".gemini", "settings.json"),
  },
  container: ["mcpServers"],
  entry: plainEntry,
  // Behind `--`, or its own command line would take the first flag for one of its own.
  cliCommand: ({ command, args }) => {
    const firstFlag = args.findIndex((arg) => arg.startsWith("-"));
    const words = [command, ...args.slice(0, firstFlag), "--", ...args.slice(firstFlag)];
    return `gemini mcp add ${SERVER_NAME} ${words.map(shellWord).join(" ")}`;
  },
  afterwards: "Start Gemini CLI again; /mcp shows the server.",
  approval: {
    byDefault: "asks before each tool and offers to allow it always",
    where:
      "a rule in any file of `~/.gemini/policies`, such as `vise.toml`; `trust` in the entry would allow every tool",
    language: "toml",
    example: (tools) =>
      [
        "[[rule]]",
        `mcpName = "${SERVER_NAME}"`,
        "toolName = [",
        ...tools.map((tool) => `  "${tool}",`),
        "]",
        'decision = "allow"',
        "priority = 100",
      ].join("\n"),
  },
};

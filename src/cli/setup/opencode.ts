/** opencode. */

import { type Client, SERVER_NAME, under } from "./client.ts";

/** Its entries hold program and arguments in one list. */
export const OPENCODE: Client = {
  name: "opencode",
  title: "opencode",
  format: "json",
  files: {
    project: (place) => under(place, place.project, "opencode.json"),
    user: (place) => under(place, place.configHome, "opencode", "opencode.json"),
  },
  otherNames: ["opencode.jsonc"],
  container: ["mcp"],
  entry: ({ command, args }) => ({ type: "local", command: [command, ...args], enabled: true }),
  afterwards: "Start opencode again.",
  approval: {
    byDefault: "runs every tool without asking",
    where: "`permission` in the same file; the last rule that matches wins",
    language: "json",
    example: (tools) =>
      JSON.stringify(
        {
          permission: {
            [`${SERVER_NAME}_*`]: "ask",
            ...Object.fromEntries(tools.map((tool) => [`${SERVER_NAME}_${tool}`, "allow"])),
          },
        },
        null,
        2,
      ),
  },
};

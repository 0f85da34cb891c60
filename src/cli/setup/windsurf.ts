/** Windsurf. */

import { type Client, plainEntry, under } from "./client.ts";

/** It has one file for the user and none for a project. */
export const WINDSURF: Client = {
  name: "windsurf",
  title: "Windsurf",
  format: "json",
  files: { user: (place) => under(place, place.home, ".codeium", "windsurf", "mcp_config.json") },
  container: ["mcpServers"],
  entry: plainEntry,
  afterwards: "Press refresh in the MCP panel of Cascade.",
  approval: {
    byDefault: "asks before each tool",
    where: "in its window: the tool list of the server in the MCP panel",
    language: "text",
    example: () => null,
  },
};

/** Cursor. */

import { type Client, plainEntry, SERVER_NAME, under } from "./client.ts";

/** It replaces `${workspaceFolder}` in a project file. */
export const CURSOR: Client = {
  name: "cursor",
  title: "Cursor",
  format: "json",
  files: {
    project: (place) => under(place, place.project, ".cursor", "mcp.json"),
    user: (place) => under(place, place.home, ".cursor", "mcp.json"),
  },
  container: ["mcpServers"],
  entry: plainEntry,
  projectVariable: "${workspaceFolder}",
  afterwards: "Switch the server on in the list of MCP servers of Cursor's settings.",
  approval: {
    byDefault: "asks before each tool unless auto-run is on",
    where: "`~/.cursor/permissions.json` (it replaces the list in the settings)",
    language: "json",
    example: (tools) => JSON.stringify({ mcpAllowlist: tools.map((tool) => `${SERVER_NAME}:${tool}`) }, null, 2),
  },
};

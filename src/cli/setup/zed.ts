/** Zed. */

import { type Client, plainEntry, SERVER_NAME, type SetupPlace, under } from "./client.ts";

/** Its settings hold MCP servers as "context servers". */
export const ZED: Client = {
  name: "zed",
  title: "Zed",
  format: "json",
  files: {
    project: (place) => under(place, place.project, ".zed", "settings.json"),
    user: (place) => under(place, settingsDirectory(place), "settings.json"),
  },
  container: ["context_servers"],
  entry: plainEntry,
  afterwards: "Zed reads its settings again by itself; the agent panel's settings show the server.",
  approval: {
    byDefault: "asks before each tool",
    where: "`agent.tool_permissions` in the user settings",
    language: "json",
    example: (tools) =>
      JSON.stringify(
        {
          agent: {
            tool_permissions: {
              tools: Object.fromEntries(tools.map((tool) => [`mcp:${SERVER_NAME}:${tool}`, { default: "allow" }])),
            },
          },
        },
        null,
        2,
      ),
  },
};

function settingsDirectory(place: SetupPlace): string {
  if (place.os === "windows") return under(place, place.appData, "Zed");
  // Zed keeps to ~/.config on macOS too.
  return under(place, place.os === "darwin" ? under(place, place.home, ".config") : place.configHome, "zed");
}

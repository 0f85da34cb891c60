/** Claude Code and Claude Desktop. */

import { type Client, plainEntry, SERVER_NAME, type SetupPlace, shellLine, under } from "./client.ts";

/** The command-line client; its project file `.mcp.json` is shared with the team. */
export const CLAUDE_CODE: Client = {
  name: "claude-code",
  title: "Claude Code",
  format: "json",
  files: {
    project: (place) => under(place, place.project, ".mcp.json"),
    user: (place) => under(place, place.environment["CLAUDE_CONFIG_DIR"] ?? place.home, ".claude.json"),
  },
  container: ["mcpServers"],
  entry: plainEntry,
  cliCommand: (launch) => `claude mcp add ${SERVER_NAME} -- ${shellLine(launch)}`,
  afterwards: "Start Claude Code again in the project, and accept the server when it asks; /mcp shows it.",
  approval: {
    byDefault: "asks before each tool",
    where: "`permissions.allow` in `.claude/settings.json` of the project or `~/.claude/settings.json`",
    language: "json",
    example: (tools) =>
      JSON.stringify({ permissions: { allow: tools.map((tool) => `mcp__${SERVER_NAME}__${tool}`) } }, null, 2),
  },
};

/** The desktop app, which has one file for the user and none for a project. */
export const CLAUDE_DESKTOP: Client = {
  name: "claude-desktop",
  title: "Claude Desktop",
  format: "json",
  files: { user: (place) => under(place, desktopDirectory(place), "claude_desktop_config.json") },
  container: ["mcpServers"],
  entry: plainEntry,
  afterwards: "Quit Claude Desktop completely and start it again.",
  approval: {
    byDefault: "asks before each tool",
    where: "in its window: “Always allow” at the first question, or the tool list of the server in its settings",
    language: "text",
    example: () => null,
  },
};

function desktopDirectory(place: SetupPlace): string {
  if (place.os === "darwin") return under(place, place.home, "Library", "Application Support", "Claude");
  if (place.os === "windows") return under(place, place.appData, "Claude");
  return under(place, place.configHome, "Claude");
}

/** VS Code, and Cline, which keeps its servers below VS Code's directory. */

import { type Client, plainEntry, SERVER_NAME, type SetupPlace, shellWord, under } from "./client.ts";

/** Its own MCP support, used by Copilot. */
export const VSCODE: Client = {
  name: "vscode",
  title: "VS Code",
  format: "json",
  files: {
    project: (place) => under(place, place.project, ".vscode", "mcp.json"),
    user: (place) => under(place, userDirectory(place), "mcp.json"),
  },
  container: ["servers"],
  entry: ({ command, args }) => ({ type: "stdio", command, args }),
  projectVariable: "${workspaceFolder}",
  cliCommand: ({ command, args }) =>
    `code --add-mcp ${shellWord(JSON.stringify({ name: SERVER_NAME, command, args }))}`,
  afterwards: "Start the server with the action that VS Code shows above its entry, and trust it when asked.",
  approval: {
    byDefault: "runs tools that are annotated as read-only without asking, and asks before every other",
    where: "nothing to do for the read-only tools; the others offer “Always allow” at the first question",
    language: "text",
    example: () => null,
  },
};

/** An extension of VS Code with a file of its own. */
export const CLINE: Client = {
  name: "cline",
  title: "Cline",
  format: "json",
  files: {
    user: (place) =>
      under(
        place,
        userDirectory(place),
        "globalStorage",
        "saoudrizwan.claude-dev",
        "settings",
        "cline_mcp_settings.json",
      ),
  },
  container: ["mcpServers"],
  entry: plainEntry,
  afterwards: "Cline reads the file again by itself; the MCP panel shows the server.",
  approval: {
    byDefault: "asks before each tool",
    where: "`autoApprove` in the entry of the server",
    language: "json",
    example: (tools) => JSON.stringify({ mcpServers: { [SERVER_NAME]: { autoApprove: tools } } }, null, 2),
  },
};

function userDirectory(place: SetupPlace): string {
  if (place.os === "darwin") return under(place, place.home, "Library", "Application Support", "Code", "User");
  if (place.os === "windows") return under(place, place.appData, "Code", "User");
  return under(place, place.configHome, "Code", "User");
}

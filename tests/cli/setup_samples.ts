/** Configuration files of clients as people have them, and the entry that goes into them. */

import { statSync } from "node:fs";
import { ALL_CLIENTS } from "../../src/cli/setup/all_clients.ts";
import type { Client } from "../../src/cli/setup/client.ts";

/** Windows has neither permission bits nor links that anybody may make. */
export const POSIX = Deno.build.os !== "windows";
/** Permission bits of a file; 0 where there are none. */
export const modeOf = (path: string): number => POSIX ? statSync(path).mode & 0o777 : 0;

/** A start whose workspace needs quotation marks everywhere. */
export const LAUNCH = { command: "/opt/vise", args: ["serve", "--workspace", '/home/me/a "b"'] };
/** The same program with other flags. */
export const OTHER_LAUNCH = {
  command: "/opt/vise",
  args: ["serve", "--workspace", "/other", "--permission-mode", "trusted"],
};

/** A client by its name. */
export const client = (name: string): Client => ALL_CLIENTS.find((candidate) => candidate.name === name) as Client;

/** One or more for each client; `what` ends the name of a test. */
export const SAMPLES: readonly { of: string; what: string; text: string }[] = [
  {
    of: "claude-code",
    what: "another server",
    text: '{\n  "mcpServers": {\n    "db": {\n      "command": "db",\n      "args": ["-x"]\n    }\n  }\n}\n',
  },
  {
    of: "claude-code",
    what: "many settings on long lines",
    text: '{"numStartups": 12, "projects": {"/p": {"mcpServers": {}}}, "mcpServers": {"db": {"command": "db"}}}',
  },
  { of: "claude-desktop", what: "an empty object", text: "{}" },
  {
    of: "claude-desktop",
    what: "tabs",
    text: '{\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"a": {\n\t\t\t"command": "a"\n\t\t}\n\t}\n}\n',
  },
  { of: "cursor", what: "an empty list of servers", text: '{\n  "mcpServers": {}\n}\n' },
  {
    of: "cursor",
    what: "Windows line ends",
    text: '{\r\n  "mcpServers": {\r\n    "a": { "command": "a" }\r\n  }\r\n}\r\n',
  },
  {
    of: "vscode",
    what: "comments and trailing commas",
    text: `{
  // Servers of this project.
  "inputs": [{ "id": "key", "type": "promptString" },],
  "servers": {
    /* the database */
    "db": {
      "type": "stdio",
      "command": "db", // from the package
    }, // keep
  },
  // the end
}
`,
  },
  { of: "vscode", what: "only comments", text: "// nothing yet\n{\n  // servers come here\n}\n" },
  { of: "windsurf", what: "servers over HTTP", text: '{ "mcpServers": { "a": { "serverUrl": "https://a/mcp" } } }\n' },
  { of: "gemini", what: "other settings", text: '{\n    "theme": "Default",\n    "selectedAuthType": "oauth"\n}' },
  {
    of: "zed",
    what: "settings with comments",
    text:
      '// Zed settings\n{\n  "theme": "One", // dark\n  "context_servers": {\n    "a": { "command": "a", "args": [] },\n  },\n  "vim_mode": true,\n}\n',
  },
  {
    of: "cline",
    what: "switches of other servers",
    text:
      '{\n  "mcpServers": {\n    "a": {\n      "command": "a",\n      "disabled": true,\n      "autoApprove": ["x"]\n    }\n  }\n}',
  },
  {
    of: "opencode",
    what: "a schema and a remote server",
    text:
      '{\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {\n    "a": { "type": "remote", "url": "https://a", "enabled": true }\n  }\n}\n',
  },
  {
    of: "codex",
    what: "comments, other servers and tables behind them",
    text: `# Codex
model = "o9"   # the large one
notify = [
  "a", # first
  "[mcp_servers.vise]",
]
text = """
[mcp_servers.vise]
command = "no"
"""

[mcp_servers.db]
command = 'C:\\db.exe'
args = []

[mcp_servers.db.env]
KEY = "a#b"

# about projects
[projects."/home/me"]
trust_level = "trusted"
`,
  },
  { of: "codex", what: "Windows line ends and no last one", text: 'model = "o9"\r\n\r\n[tui]\r\ntheme = "x"' },
  { of: "codex", what: "nothing", text: "" },
];

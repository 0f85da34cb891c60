/** `github-mcp-server`: git in a working directory, in spite of its name. */

import type { Dialect } from "../dialect.ts";
import type { McpSession } from "../mcp_session.ts";

/** Each call names the directory; it prints what git prints. */
export const GITHUB_MCP_SERVER: Dialect = {
  name: "github-mcp-server",
  marks: ["git-status", "git-quick-commit"],
  abilities: {
    gitStatus: (server) => call(server, "git-status"),
    gitDiff: "its git-diff has no argument for untracked files",
    gitDiffTracked: (server) => call(server, "git-diff"),
    gitDiffStaged: "its git-diff has no argument for what is staged",
    gitLog: (server) => call(server, "git-log", { maxCount: 20 }),
    gitLogOfFile: "its git-log takes no path",
    gitShow: "has no such tool",
    gitBlame: (server, { path, lastLine }) => call(server, "git-blame", { filePath: path, lineRange: `1,${lastLine}` }),
  },
};

function call(server: McpSession, tool: string, args: Record<string, unknown> = {}) {
  return server.call(tool, { directory: server.workspace, ...args });
}

/** `@cyanheads/git-mcp-server`. */

import type { Dialect } from "../dialect.ts";
import type { McpSession } from "../mcp_session.ts";

/** Each call names the repository. */
export const GIT_MCP_SERVER: Dialect = {
  name: "git-mcp-server",
  marks: ["git_status", "git_wrapup_instructions"],
  abilities: {
    gitStatus: (server) => call(server, "git_status"),
    gitDiff: (server) => call(server, "git_diff", { includeUntracked: true }),
    gitDiffTracked: (server) => call(server, "git_diff"),
    gitDiffStaged: (server) => call(server, "git_diff", { staged: true }),
    gitLog: (server) => call(server, "git_log", { maxCount: 20 }),
    gitLogOfFile: (server, { path }) => call(server, "git_log", { maxCount: 20, filePath: path }),
    gitShow: (server) => call(server, "git_show", { object: "HEAD" }),
    gitBlame: (server, { path, lastLine }) =>
      call(server, "git_blame", { filePath: path, startLine: 1, endLine: lastLine }),
  },
};

function call(server: McpSession, tool: string, args: Record<string, unknown> = {}) {
  return server.call(tool, { path: server.workspace, ...args });
}

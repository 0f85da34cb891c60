/** Vise, and servers whose clients it serves unchanged. */

import type { Dialect } from "../dialect.ts";

/** The tools of Vise, or those of them that a server has. */
export const CORE: Dialect = {
  name: "core",
  marks: ["apply_patch", "exec_command", "search_text"],
  abilities: {
    readSmall: (server, { path }) => server.call("read_file", { path }),
    readLate: (server, { path, startLine }) =>
      server.call("read_file", { path, start_line: startLine, end_line: startLine + 49 }),
    listFiles: (server, { maxResults }) => server.call("list_files", { path: ".", max_results: maxResults }),
    search: (server, { query, isRegex, isCaseSensitive, maxResults }) =>
      server.call("search_text", { query, regex: isRegex, case_sensitive: isCaseSensitive, max_results: maxResults }),
    replaceLine: (server, { path, before, after }) =>
      server.call("apply_patch", {
        patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n-${before}\n+${after}\n*** End Patch\n`,
      }),
    addFiles: (server, { files }) => {
      const adds = [...files].map(([path, text]) => `*** Add File: ${path}\n+${text.replace(/\n$/, "")}\n`);
      return server.call("apply_patch", { patch: `*** Begin Patch\n${adds.join("")}*** End Patch\n` });
    },
    exec: async (server, { cmd }) => {
      const reply = await server.call("exec_command", { cmd, yield_time_ms: 30_000, timeout_ms: 120_000 });
      const code = reply.result.structuredContent?.exit_code;
      if (code !== undefined && code !== 0) throw new Error(`exit code ${code}`);
      return reply;
    },
    showImage: (server, { path }) => server.call("view_image", { path, max_bytes: 10_000_000 }),
    gitStatus: (server) => server.call("git_status", {}),
    gitDiff: (server) => server.call("git_diff", {}),
    gitDiffTracked: (server) => server.call("git_diff", { include_untracked: false }),
    gitDiffStaged: (server) => server.call("git_diff", { staged: true, unstaged: false }),
    gitLog: (server) => server.call("git_log", {}),
    gitLogOfFile: (server, { path }) => server.call("git_log", { path }),
    gitShow: (server) => server.call("git_show", {}),
    gitBlame: (server, { path }) => server.call("git_blame", { path }),
  },
};

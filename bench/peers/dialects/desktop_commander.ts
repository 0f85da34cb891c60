/** `@wonderwhy-er/desktop-commander`. It resolves paths against its own directory, which is the workspace here. */

import { join } from "node:path";
import type { Dialect, Search } from "../dialect.ts";
import { type McpSession, type Reply, textOf } from "../mcp_session.ts";
import { writeOneByOne } from "./write_one_by_one.ts";

/** Longest wait for a search, which runs in the background. */
const SEARCH_LIMIT_MS = 30_000;

/** Files, searches in the background and processes; no terminal, no git. */
export const DESKTOP_COMMANDER: Dialect = {
  name: "desktop-commander",
  marks: ["edit_block", "start_process"],
  // A benchmark is no use of the product that its makers want to count, and waiting for the network would be held against it.
  settleIn: (server) => server.call("set_config_value", { key: "telemetryEnabled", value: false }),
  abilities: {
    readSmall: (server, { path }) => server.call("read_file", { path: join(server.workspace, path) }),
    // Counted from the end. For a line that is asked by its number it estimates the place in files over 10 MB, and gave
    // line 461,083 for 499,901; then `length` does not count.
    readLate: (server, { path, fromEnd }) =>
      server.call("read_file", { path: join(server.workspace, path), offset: -fromEnd }),
    listFiles: (server, { root }) => server.call("list_directory", { path: root, depth: 20 }),
    search,
    replaceLine: (server, { path, before, after }) =>
      server.call("edit_block", { file_path: join(server.workspace, path), old_string: before, new_string: after }),
    addFiles: writeOneByOne,
    exec: (server, { cmd }) => server.call("start_process", { command: cmd, timeout_ms: 60_000 }),
    // The file as it is, not scaled.
    showImage: (server, { path }) => server.call("read_file", { path: join(server.workspace, path) }),
  },
};

/**
 * Asks until the search is over, or as many lines are there as are wanted: `maxResults` is its limit for each file, so a
 * search for a common word goes through everything although the client has long what it asked for. It is stopped then.
 */
async function search(server: McpSession, what: Search): Promise<Reply> {
  const { root, query, isRegex, isCaseSensitive, maxResults } = what;
  const started = await server.call("start_search", {
    path: root,
    pattern: query,
    searchType: "content",
    literalSearch: !isRegex,
    ignoreCase: !isCaseSensitive,
    contextLines: 0,
    maxResults,
  });
  const sessionId = /search_\w+/.exec(textOf(started.result))?.[0];
  const deadline = performance.now() + SEARCH_LIMIT_MS;
  while (performance.now() < deadline) {
    const page = await server.call("get_more_search_results", { sessionId, offset: 0, length: maxResults });
    const text = textOf(page.result);
    if (/Status: COMPLETED/.test(text)) return page;
    if (Number(/Total results found: (\d+)/.exec(text)?.[1]) >= maxResults) {
      await server.call("stop_search", { sessionId });
      return page;
    }
  }
  await server.call("stop_search", { sessionId });
  throw new Error(`the search did not end within ${SEARCH_LIMIT_MS / 1_000} s`);
}

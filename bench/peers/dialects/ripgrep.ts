/** `mcp-ripgrep`, which starts ripgrep for each call. */

import type { Dialect } from "../dialect.ts";

/** Searches and lists only. */
export const RIPGREP: Dialect = {
  name: "ripgrep",
  marks: ["advanced-search", "count-matches", "list-files"],
  abilities: {
    listFiles: (server, { root }) => server.call("list-files", { path: root }),
    // Its limit is one for each file: a common word is answered with everything.
    search: (server, { root, query, isRegex, isCaseSensitive, maxResults }) =>
      server.call("advanced-search", {
        path: root,
        pattern: query,
        fixedStrings: !isRegex,
        caseSensitive: isCaseSensitive,
        maxResults,
      }),
  },
};

/** `@modelcontextprotocol/server-filesystem`. */

import { join } from "node:path";
import type { Dialect } from "../dialect.ts";
import { writeOneByOne } from "./write_one_by_one.ts";

/** Files only. */
export const FILESYSTEM: Dialect = {
  name: "filesystem",
  marks: ["read_text_file", "edit_file"],
  abilities: {
    readSmall: (server, { path }) => server.call("read_text_file", { path: join(server.workspace, path) }),
    // It knows `head` and `tail`, no page in the middle.
    readLate: (server, { path, fromEnd }) =>
      server.call("read_text_file", { path: join(server.workspace, path), tail: fromEnd }),
    // The whole tree: it knows no limit.
    listFiles: (server, { root }) => server.call("search_files", { path: root, pattern: "**" }),
    search: "searches names of files, not what is in them",
    replaceLine: (server, { path, before, after }) =>
      server.call("edit_file", { path: join(server.workspace, path), edits: [{ oldText: before, newText: after }] }),
    addFiles: writeOneByOne,
    // The file as it is, not scaled.
    showImage: (server, { path }) => server.call("read_media_file", { path: join(server.workspace, path) }),
  },
};

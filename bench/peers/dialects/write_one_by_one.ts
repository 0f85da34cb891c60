/** New files for servers that write one file a call. */

import { dirname, join } from "node:path";
import type { Requests } from "../dialect.ts";
import type { McpSession, Reply } from "../mcp_session.ts";

/** Makes each directory once, then writes file after file. */
export async function writeOneByOne(server: McpSession, { files }: Requests["addFiles"]): Promise<Reply> {
  for (const path of new Set([...files.keys()].map(dirname))) {
    await server.call("create_directory", { path: join(server.workspace, path) });
  }
  const replies: Reply[] = [];
  for (const [path, content] of files) {
    replies.push(await server.call("write_file", { path: join(server.workspace, path), content }));
  }
  const content = replies.flatMap(({ result }) => result.content);
  return { bytes: replies.reduce((sum, { bytes }) => sum + bytes, 0), result: { content } };
}

/**
 * How the same work is asked of servers whose tools have other names.
 *
 * Paths are given relative to the workspace; a dialect makes them what its server wants. A dialect is recognized by the names in `tools/list`. What a server cannot do is simply absent and shows as a gap in
 * the table. Every method checks that the answer really holds what was asked for, so that nobody wins by doing nothing.
 */

import { join } from "node:path";
import { type McpSession, textOf } from "./mcp_session.ts";

/** One search that every peer is asked for. */
export interface Search {
  readonly root: string;
  readonly query: string;
  readonly isRegex: boolean;
  readonly isCaseSensitive: boolean;
  readonly maxResults: number;
}

/** How one server is asked; what it cannot do is left out. */
export interface Dialect {
  readonly name: string;
  readonly readSmall?: (server: McpSession, path: string) => Promise<unknown>;
  /** 50 lines of which the first is `fromEnd` lines before the end. */
  readonly readLate?: (
    server: McpSession,
    at: { path: string; startLine: number; fromEnd: number },
  ) => Promise<unknown>;
  readonly listFiles?: (server: McpSession, at: { root: string; maxResults: number }) => Promise<unknown>;
  readonly search?: (server: McpSession, what: Search) => Promise<unknown>;
  /** Replaces one whole line. */
  readonly replaceLine?: (
    server: McpSession,
    edit: { path: string; before: string; after: string },
  ) => Promise<unknown>;
  readonly addFiles?: (server: McpSession, files: ReadonlyMap<string, string>) => Promise<unknown>;
  readonly exec?: (server: McpSession, cmd: string) => Promise<unknown>;
  /** Starts `cat` in a terminal, and returns one round trip through it. */
  readonly terminal?: (server: McpSession) => Promise<() => Promise<unknown>>;
  readonly git?: (server: McpSession, call: { tool: string; args: Record<string, unknown> }) => Promise<unknown>;
  readonly showImage?: (server: McpSession, path: string) => Promise<unknown>;
}

/** Longest wait for a search that runs in the background. */
const SEARCH_LIMIT_MS = 30_000;

/** The dialect that fits these tools; one with no methods when none does. */
export function recognizeDialect(tools: readonly string[]): Dialect {
  return DIALECTS.find(({ mark }) => mark.every((tool) => tools.includes(tool)))?.dialect ?? { name: "unknown" };
}

/** Vise, and servers whose clients it serves unchanged. */
const CORE: Dialect = {
  name: "core",
  readSmall: (server, path) => server.call("read_file", { path }),
  readLate: async (server, { path, startLine }) => {
    const { result } = await server.call("read_file", { path, start_line: startLine, end_line: startLine + 49 });
    expectText(JSON.stringify(result.structuredContent ?? result.content), `line ${startLine + 40}`);
  },
  listFiles: (server, { maxResults }) => server.call("list_files", { path: ".", max_results: maxResults }),
  search: (server, { query, isRegex, isCaseSensitive, maxResults }) =>
    server.call("search_text", { query, regex: isRegex, case_sensitive: isCaseSensitive, max_results: maxResults }),
  replaceLine: (server, { path, before, after }) =>
    server.call("apply_patch", {
      patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n-${before}\n+${after}\n*** End Patch\n`,
    }),
  addFiles: (server, files) => {
    const adds = [...files].map(([path, text]) => `*** Add File: ${path}\n+${text.replace(/\n$/, "")}\n`);
    return server.call("apply_patch", { patch: `*** Begin Patch\n${adds.join("")}*** End Patch\n` });
  },
  exec: async (server, cmd) => {
    const { result } = await server.call("exec_command", { cmd, yield_time_ms: 30_000, timeout_ms: 120_000 });
    const { exit_code: code } = result.structuredContent ?? {};
    if (code !== undefined && code !== 0) throw new Error(`exit code ${code}`);
  },
  terminal: async (server) => {
    const cmd = "stty -echo; exec cat";
    const { result } = await server.call("exec_command", { cmd, tty: true, yield_time_ms: 300 });
    const id = result.structuredContent.command_id;
    return () => server.call("write_stdin", { command_id: id, chars: "x\n", yield_time_ms: 5_000 });
  },
  git: (server, { tool, args }) => server.call(tool, args),
  showImage: async (server, path) => {
    const { result } = await server.call("view_image", { path, max_bytes: 10_000_000 });
    if (!JSON.stringify(result.content).includes('"image"')) throw new Error("no image in the answer");
  },
};

/** `@modelcontextprotocol/server-filesystem`. */
const FILESYSTEM: Dialect = {
  name: "filesystem",
  readSmall: (server, path) => server.call("read_text_file", { path: join(server.workspace, path) }),
  readLate: async (server, { path, startLine, fromEnd }) => {
    const { result } = await server.call("read_text_file", { path: join(server.workspace, path), tail: fromEnd });
    expectText(textOf(result), `line ${startLine + 40}`);
  },
  // The whole tree: it knows no limit.
  listFiles: (server, { root }) => server.call("search_files", { path: root, pattern: "**" }),
  replaceLine: (server, { path, before, after }) =>
    server.call("edit_file", { path: join(server.workspace, path), edits: [{ oldText: before, newText: after }] }),
  addFiles: async (server, files) => {
    for (const path of new Set([...files.keys()].map((name) => name.slice(0, name.lastIndexOf("/"))))) {
      await server.call("create_directory", { path: join(server.workspace, path) });
    }
    for (const [path, content] of files) {
      await server.call("write_file", { path: join(server.workspace, path), content });
    }
  },
  showImage: (server, path) => server.call("read_media_file", { path: join(server.workspace, path) }),
};

/** `@wonderwhy-er/desktop-commander`. It resolves paths against its own directory, which is the workspace here. */
const DESKTOP_COMMANDER: Dialect = {
  name: "desktop-commander",
  readSmall: (server, path) => server.call("read_file", { path: join(server.workspace, path) }),
  readLate: async (server, { path, startLine }) => {
    const { result } = await server.call("read_file", {
      path: join(server.workspace, path),
      offset: startLine - 1,
      length: 50,
    });
    expectText(textOf(result), `line ${startLine + 40}`);
  },
  listFiles: (server, { root }) => server.call("list_directory", { path: root, depth: 20 }),
  search: async (server, { root, query, isRegex, isCaseSensitive, maxResults }) => {
    const started = await server.call("start_search", {
      path: root,
      pattern: query,
      searchType: "content",
      literalSearch: !isRegex,
      ignoreCase: !isCaseSensitive,
      contextLines: 0,
      maxResults,
    });
    let text = textOf(started.result);
    const sessionId = /search_\w+/.exec(text)?.[0];
    const deadline = performance.now() + SEARCH_LIMIT_MS;
    while (!/Status: .*COMPLETED|Status: .*ERROR/.test(text)) {
      if (performance.now() > deadline) {
        await server.call("stop_search", { sessionId });
        throw new Error(`the search did not end within ${SEARCH_LIMIT_MS / 1_000} s`);
      }
      text = textOf((await server.call("get_more_search_results", { sessionId, offset: 0, length: 200 })).result);
    }
    if (/Total results: 0|Total results found: 0/.test(text)) throw new Error("the search found nothing");
  },
  replaceLine: (server, { path, before, after }) =>
    server.call("edit_block", { file_path: join(server.workspace, path), old_string: before, new_string: after }),
  addFiles: async (server, files) => {
    for (const path of new Set([...files.keys()].map((name) => name.slice(0, name.lastIndexOf("/"))))) {
      await server.call("create_directory", { path: join(server.workspace, path) });
    }
    for (const [path, content] of files) {
      await server.call("write_file", { path: join(server.workspace, path), content });
    }
  },
  exec: (server, command) => server.call("start_process", { command, timeout_ms: 60_000 }),
};

/** `mcp-server-commands`. */
const COMMANDS: Dialect = {
  name: "commands",
  exec: (server, command) => server.call("run_command", { command }),
};

/** `@cyanheads/git-mcp-server`. */
const GIT: Dialect = {
  name: "git",
  git: (server, { tool, args }) => {
    if ("staged" in args || "include_untracked" in args) throw new Error("not offered");
    const { path: filePath } = args;
    const blamed = tool === "git_blame" ? { filePath, startLine: 1, endLine: 200 } : {};
    if (tool === "git_log" && filePath !== undefined) throw new Error("not offered");
    const shown = tool === "git_show" ? { object: "HEAD" } : tool === "git_log" ? { maxCount: 20 } : {};
    return server.call(tool, { path: server.workspace, ...blamed, ...shown });
  },
};

const DIALECTS: readonly { readonly mark: readonly string[]; readonly dialect: Dialect }[] = [
  { mark: ["apply_patch", "exec_command", "read_file"], dialect: CORE },
  { mark: ["read_text_file", "edit_file"], dialect: FILESYSTEM },
  { mark: ["edit_block", "start_process"], dialect: DESKTOP_COMMANDER },
  { mark: ["run_command"], dialect: COMMANDS },
  { mark: ["git_status", "git_wrapup_instructions"], dialect: GIT },
];

function expectText(text: string, wanted: string): void {
  if (!text.includes(wanted)) throw new Error(`the answer does not hold ${JSON.stringify(wanted)}`);
}

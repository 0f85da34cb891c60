/**
 * How the same work is asked of servers whose tools have other names.
 *
 * Paths are given relative to the workspace; a dialect makes them what its server wants. It is recognized by the names in
 * `tools/list`. An ability is a function, or in words why the server does not have it; the words stand in the report.
 * Whether an answer holds what was asked for is looked at by the workload, in the same way for all.
 */

import { CODE_RUNNER } from "./dialects/code_runner.ts";
import { COMMANDS } from "./dialects/commands.ts";
import { CORE } from "./dialects/core.ts";
import { DESKTOP_COMMANDER } from "./dialects/desktop_commander.ts";
import { FILESYSTEM } from "./dialects/filesystem.ts";
import { GIT_MCP_SERVER } from "./dialects/git_mcp_server.ts";
import { GITHUB_MCP_SERVER } from "./dialects/github_mcp_server.ts";
import { RIPGREP } from "./dialects/ripgrep.ts";
import type { McpSession, Reply } from "./mcp_session.ts";

/** One search that every peer is asked for. */
export interface Search {
  readonly root: string;
  readonly query: string;
  readonly isRegex: boolean;
  readonly isCaseSensitive: boolean;
  readonly maxResults: number;
}

/** What some server can be asked, with what it is told. */
export interface Requests {
  readonly readSmall: { readonly path: string };
  /** A page of 50 lines, or as near to it as the server comes; the first is `fromEnd` lines before the end. */
  readonly readLate: { readonly path: string; readonly startLine: number; readonly fromEnd: number };
  readonly listFiles: { readonly root: string; readonly maxResults: number };
  readonly search: Search;
  /** Replaces one whole line. */
  readonly replaceLine: { readonly path: string; readonly before: string; readonly after: string };
  /** New files by path. */
  readonly addFiles: { readonly files: ReadonlyMap<string, string> };
  readonly exec: { readonly cmd: string };
  readonly showImage: { readonly path: string };
  readonly gitStatus: Record<never, never>;
  /** Not staged, untracked files included. */
  readonly gitDiff: Record<never, never>;
  readonly gitDiffTracked: Record<never, never>;
  readonly gitDiffStaged: Record<never, never>;
  /** The last 20. */
  readonly gitLog: Record<never, never>;
  readonly gitLogOfFile: { readonly path: string };
  readonly gitShow: Record<never, never>;
  readonly gitBlame: { readonly path: string; readonly lastLine: number };
}

/** Name of one kind of work. */
export type Ability = keyof Requests;
/** Asks a server for it once. Rejects when the server refuses. */
export type Ask<Name extends Ability> = (server: McpSession, what: Requests[Name]) => Promise<Reply>;

/** What a server can do; what is absent is not what it is for. */
export type Abilities = { readonly [Name in Ability]?: Ask<Name> | string };

/** How one kind of server is asked. */
export interface Dialect {
  readonly name: string;
  /** Tools by which a server that speaks it is known. */
  readonly marks: readonly string[];
  /** Settings that it keeps in its home; made once, when it is met. */
  readonly settleIn?: (server: McpSession) => Promise<unknown>;
  readonly abilities: Abilities;
}

/** The first that fits wins. */
const DIALECTS: readonly Dialect[] = [
  FILESYSTEM,
  DESKTOP_COMMANDER,
  COMMANDS,
  CODE_RUNNER,
  RIPGREP,
  GIT_MCP_SERVER,
  GITHUB_MCP_SERVER,
];

/** The dialect that fits these tools; one without abilities when none does. */
export function recognizeDialect(tools: readonly string[]): Dialect {
  const foreign = DIALECTS.find(({ marks }) => marks.every((tool) => tools.includes(tool)));
  if (foreign !== undefined) return foreign;
  // Last and by any of its marks, so that a server that offers a part of these tools takes part with them.
  if (!CORE.marks.some((tool) => tools.includes(tool))) return { name: "unknown", marks: [], abilities: {} };
  const missing = Object.entries(CORE_TOOLS).filter(([, tool]) => !tools.includes(tool));
  const reasons = Object.fromEntries(missing.map(([ability, tool]) => [ability, `has no ${tool}`]));
  return { ...CORE, abilities: { ...CORE.abilities, ...reasons } };
}

/** Tool that an ability of the core dialect needs. */
const CORE_TOOLS: Readonly<Record<Ability, string>> = {
  readSmall: "read_file",
  readLate: "read_file",
  listFiles: "list_files",
  search: "search_text",
  replaceLine: "apply_patch",
  addFiles: "apply_patch",
  exec: "exec_command",
  showImage: "view_image",
  gitStatus: "git_status",
  gitDiff: "git_diff",
  gitDiffTracked: "git_diff",
  gitDiffStaged: "git_diff",
  gitLog: "git_log",
  gitLogOfFile: "git_log",
  gitShow: "git_show",
  gitBlame: "git_blame",
};

/** Tool `git_status`: branch, operation in progress and changed entries of the working tree. */

import { displayPath } from "../base/path_text.ts";
import { renderAction } from "../base/render_action.ts";
import type { NextAction } from "../base/tool_error.ts";
import type { StatusEntry } from "../engine/git/status.ts";
import * as s from "../schema/schema.ts";
import { continuation } from "./_continuation.ts";
import { fitEntries } from "./_fit_entries.ts";
import { joinLines, pageText, warningLines } from "./_text_parts.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

/** Entries when the caller names no limit (contract 3.14). */
const DEFAULT_ENTRIES = 1_000;

/** Bytes as JSON of the entries, unless more than the default number was asked for: the value stays within 64 KiB (O-6). */
const ENTRIES_JSON_BYTES = 60 * 1024;

const input = s.object({
  path: s.withDefault(s.string(), "."),
  include_untracked: s.withDefault(s.boolean(), true),
  max_entries: s.withDefault(s.integer({ min: 1, max: 10_000 }), DEFAULT_ENTRIES),
  offset: s.withDefault(s.integer({ min: 0 }), 0),
});

const entry = s.openObject({
  path: s.string(),
  original_path: s.optional(s.string()),
  index_status: s.string(),
  worktree_status: s.string(),
});

interface WireEntry {
  path: string;
  original_path?: string;
  index_status: string;
  worktree_status: string;
  submodule?: { commit_changed: boolean; modified: boolean; untracked: boolean };
}

interface Output extends Record<string, unknown> {
  is_repo: boolean;
  branch?: string;
  head?: string;
  upstream?: string;
  ahead?: number;
  behind?: number;
  detached?: boolean;
  unborn?: boolean;
  bare?: boolean;
  in_progress?: string;
  clean: boolean;
  total_entries?: number;
  entries: WireEntry[];
  truncated: boolean;
  warnings?: string[];
  next_action?: NextAction;
}

/** Reads only, and does not even refresh the index. */
export const gitStatus = defineTool({
  name: "git_status",
  title: "Git status",
  description: "Branch, upstream, operation in progress and changed or untracked entries of the working tree.",
  annotations: READ_ONLY,
  input,
  output: s.openObject({
    is_repo: s.optional(s.boolean()),
    branch: s.optional(s.string()),
    head: s.optional(s.string()),
    upstream: s.optional(s.string()),
    ahead: s.optional(s.integer()),
    behind: s.optional(s.integer()),
    detached: s.optional(s.boolean()),
    unborn: s.optional(s.boolean()),
    in_progress: s.optional(s.string()),
    clean: s.optional(s.boolean()),
    total_entries: s.optional(s.integer()),
    entries: s.optional(s.array(entry)),
    truncated: s.optional(s.boolean()),
  }),
  async run(given, { engines, signal }): Promise<Output> {
    const { path, include_untracked, max_entries, offset } = given;
    const status = await (await engines.git()).status({ path, includeUntracked: include_untracked, signal });
    if (status === null) {
      return { is_repo: false, clean: true, entries: [], truncated: false, warnings: ["not a git repository"] };
    }
    const asked = status.entries.slice(offset, offset + max_entries).map(toWire);
    const entries = max_entries > DEFAULT_ENTRIES ? asked : fitEntries(asked, ENTRIES_JSON_BYTES);
    const end = offset + entries.length;
    const truncated = status.entries.length > end;
    return {
      is_repo: true,
      branch: status.branch,
      head: status.head,
      upstream: status.upstream,
      ahead: status.ahead,
      behind: status.behind,
      detached: status.detached,
      unborn: status.unborn,
      ...(status.bare ? { bare: true } : {}),
      in_progress: status.inProgress,
      clean: status.entries.length === 0,
      total_entries: status.entries.length,
      entries,
      truncated,
      warnings: [...status.warnings],
      ...(truncated ? { next_action: continued(given, end) } : {}),
    };
  },
  render(out, given) {
    if (!out.is_repo) return { head: "Not a Git repository." };
    const left = (out.total_entries ?? 0) - given.offset;
    const more = (shown: number, next: NextAction) =>
      `… ${left - shown} more entries; continue with ${renderAction(next)}, or narrow path`;
    return {
      head: joinLines(
        headLine(out),
        out.in_progress !== "" && `In progress: ${out.in_progress}`,
        out.clean && "Working tree clean.",
      ),
      ...pageText({
        body: out.entries.map(entryLine).join("\n"),
        tail: out.next_action === undefined ? "" : more(out.entries.length, out.next_action),
        rest: warningLines(out.warnings),
        notice: (shown) => more(shown, continued(given, given.offset + shown)),
      }),
    };
  },
});

function toWire({ path, originalPath, indexStatus, worktreeStatus, submodule }: StatusEntry): WireEntry {
  return {
    path,
    ...(originalPath === undefined ? {} : { original_path: originalPath }),
    index_status: indexStatus,
    worktree_status: worktreeStatus,
    ...(submodule === undefined ? {} : {
      submodule: {
        commit_changed: submodule.commitChanged,
        modified: submodule.modified,
        untracked: submodule.untracked,
      },
    }),
  };
}

function continued(given: s.Infer<typeof input>, offset: number): NextAction {
  return continuation("git_status", given, {
    defaults: { include_untracked: true, max_entries: DEFAULT_ENTRIES },
    next: { offset },
  });
}

function headLine(out: Output): string {
  const branch = out.detached ? `detached at ${out.head}` : out.branch ?? "";
  const facts = [
    out.unborn && "no commits yet",
    out.bare && "bare repository",
    out.upstream !== "" && `upstream ${out.upstream}, ahead ${out.ahead}, behind ${out.behind}`,
    !out.detached && out.head !== "" && `at ${out.head}`,
  ].filter((fact) => typeof fact === "string");
  return `## ${branch}${facts.length === 0 ? "" : ` (${facts.join("; ")})`}`;
}

function entryLine(entry: WireEntry): string {
  const from = entry.original_path === undefined ? "" : `${displayPath(entry.original_path)} -> `;
  const { submodule } = entry;
  const flags = submodule === undefined ? "" : ` (submodule: ${
    [
      submodule.commit_changed && "other commit",
      submodule.modified && "modified content",
      submodule.untracked && "untracked content",
    ].filter((flag) => flag !== false).join(", ")
  })`;
  return `${entry.index_status}${entry.worktree_status} ${from}${displayPath(entry.path)}${flags}`;
}

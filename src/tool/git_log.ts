/** Tool `git_log`: commits that lead to a revision. */

import { renderAction } from "../base/render_action.ts";
import type { NextAction } from "../base/tool_error.ts";
import type { Commit } from "../engine/git/log.ts";
import { checkRevision } from "../engine/git/revision.ts";
import * as s from "../schema/schema.ts";
import { continuation } from "./_continuation.ts";
import { fitEntries } from "./_fit_entries.ts";
import { pageText, warningLines } from "./_text_parts.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

/** Enough to find a recent change; the next page is one call away. */
const DEFAULT_COUNT = 20;
/** Bytes as JSON of the commits, unless more than the default number was asked for: the value stays within 64 KiB (O-6). */
const COMMITS_JSON_BYTES = 60 * 1024;

const input = s.object({
  path: s.withDefault(s.string(), "."),
  ref: s.withDefault(s.string({ minLength: 1 }), "HEAD"),
  max_count: s.withDefault(s.integer({ min: 1, max: 100 }), DEFAULT_COUNT),
  skip: s.withDefault(s.integer({ min: 0, max: 10_000 }), 0),
});

interface WireCommit {
  hash: string;
  short_hash: string;
  parents: string[];
  author_name: string;
  author_email: string;
  author_date: string;
  subject: string;
}

interface Output extends Record<string, unknown> {
  is_repo: boolean;
  ref: string;
  path: string;
  max_count: number;
  skip: number;
  commits: WireCommit[];
  truncated: boolean;
  unborn?: boolean;
  warnings: string[];
  next_action?: NextAction;
}

/** Reads only, a page of commits at a time. */
export const gitLog = defineTool({
  name: "git_log",
  title: "Git log",
  description: "Commits reachable from ref, newest first, of one path if given.",
  annotations: READ_ONLY,
  input,
  output: s.openObject({
    is_repo: s.optional(s.boolean()),
    ref: s.optional(s.string()),
    path: s.optional(s.string()),
    max_count: s.optional(s.integer()),
    skip: s.optional(s.integer()),
    commits: s.optional(s.array(s.openObject({ hash: s.string(), short_hash: s.string(), subject: s.string() }))),
    truncated: s.optional(s.boolean()),
    unborn: s.optional(s.boolean()),
  }),
  async run(given, { engines, signal }): Promise<Output> {
    const { path, ref, max_count, skip } = given;
    const request = { path, ref: checkRevision(ref, "ref"), maxCount: max_count, skip, signal };
    const log = await (await engines.git()).log(request);
    const asked = { ref, path: log?.path ?? path, max_count, skip };
    if (log === null) {
      return { is_repo: false, ...asked, commits: [], truncated: false, warnings: ["not a git repository"] };
    }
    const read = log.commits.map(toWire);
    const commits = max_count > DEFAULT_COUNT ? read : fitEntries(read, COMMITS_JSON_BYTES);
    const truncated = log.truncated || commits.length < read.length;
    return {
      is_repo: true,
      ...asked,
      commits,
      truncated,
      unborn: log.unborn,
      warnings: [
        ...(truncated ? ["commit limit reached"] : []),
        ...(log.unborn ? ["the branch has no commits yet"] : []),
      ],
      ...(truncated ? { next_action: continued(given, skip + commits.length) } : {}),
    };
  },
  render(out, given) {
    const more = (next: NextAction) => `… more commits available; continue with ${renderAction(next)}.`;
    return {
      head: out.commits.length > 0 ? "" : "No commits found.",
      ...pageText({
        body: out.commits.map(commitLine).join("\n"),
        tail: out.next_action === undefined ? "" : more(out.next_action),
        rest: warningLines(out.warnings.filter((warning) => warning !== "commit limit reached")),
        notice: (shown) => more(continued(given, given.skip + shown)),
      }),
    };
  },
});

function toWire(commit: Commit): WireCommit {
  return {
    hash: commit.hash,
    short_hash: commit.shortHash,
    parents: [...commit.parents],
    author_name: commit.authorName,
    author_email: commit.authorEmail,
    author_date: commit.authorDate,
    subject: commit.subject,
  };
}

function continued(given: s.Infer<typeof input>, skip: number): NextAction {
  return continuation("git_log", given, { defaults: { max_count: DEFAULT_COUNT }, next: { skip } });
}

function commitLine(commit: WireCommit): string {
  const merge = commit.parents.length > 1 ? ` [merge of ${commit.parents.length}]` : "";
  return `${commit.short_hash} ${commit.author_date} ${commit.author_name}${merge} ${commit.subject}`
    .replaceAll("\n", " ");
}

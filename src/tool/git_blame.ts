/** Tool `git_blame`: who changed each line of a file last. */

import { renderAction } from "../base/render_action.ts";
import { type NextAction, ToolError } from "../base/tool_error.ts";
import type { BlamedLine } from "../engine/git/blame.ts";
import { checkRevision } from "../engine/git/revision.ts";
import * as s from "../schema/schema.ts";
import { continuation } from "./_continuation.ts";
import { fitEntries } from "./_fit_entries.ts";
import { pageText, warningLines } from "./_text_parts.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

/** One page; the next one is one call away. */
const DEFAULT_LINES = 200;
/** Hexadecimal digits of a commit in the text; the structured form has all. */
const SHORT_NAME = 12;

/** UTF-16 units of a line: git_show and read_file show the rest. */
const CONTENT_UNITS = 4_000;
/** UTF-16 units of a name, address or summary. */
const NAME_UNITS = 200;
/** Bytes as JSON of the lines: the value stays within 64 KiB (O-6), unless more than the default number was asked for. */
const LINES_JSON_BYTES = 60 * 1024;
/** The same for a caller that asked for more lines than usual. */
const LARGE_LINES_JSON_BYTES = 1024 * 1024;

const input = s.object({
  path: s.string({ minLength: 1 }),
  rev: s.optional(s.string({ minLength: 1 })),
  start_line: s.withDefault(s.integer({ min: 1 }), 1),
  end_line: s.optional(s.integer({ min: 1 })),
  max_lines: s.withDefault(s.integer({ min: 1, max: 1_000 }), DEFAULT_LINES),
});

interface WireLine {
  line: number;
  original_line: number;
  commit: string;
  author: string;
  author_mail: string;
  author_time: number;
  summary: string;
  content: string;
  content_truncated?: true;
}

interface Output extends Record<string, unknown> {
  is_repo: boolean;
  path: string;
  rev?: string;
  start_line: number;
  end_line: number;
  max_lines: number;
  lines: WireLine[];
  truncated: boolean;
  warnings: string[];
  next_action?: NextAction;
}

/** Reads only, a page of lines at a time. */
export const gitBlame = defineTool({
  name: "git_blame",
  title: "Git blame",
  description: "Commit, author and date of each line of a file. All zeros: uncommitted.",
  annotations: READ_ONLY,
  input,
  output: s.openObject({
    is_repo: s.optional(s.boolean()),
    path: s.optional(s.string()),
    rev: s.optional(s.string()),
    start_line: s.optional(s.integer()),
    end_line: s.optional(s.integer()),
    max_lines: s.optional(s.integer()),
    lines: s.optional(s.array(s.openObject({ line: s.integer(), commit: s.string(), content: s.string() }))),
    truncated: s.optional(s.boolean()),
  }),
  async run(given, { engines, signal }): Promise<Output> {
    const { path, rev, start_line, end_line, max_lines } = given;
    if (end_line !== undefined && end_line < start_line) {
      throw new ToolError(
        "INVALID_ARGUMENT",
        `Cannot blame lines ${start_line}-${end_line}: end_line is before start_line`,
        {
          details: { argument: "end_line", received: end_line },
        },
      );
    }
    const lastAllowed = start_line + max_lines - 1;
    const endLine = Math.min(end_line ?? lastAllowed, lastAllowed);
    const revision = rev === undefined ? "" : checkRevision(rev, "rev");
    const blamed = await (await engines.git()).blame({ path, revision, startLine: start_line, endLine, signal });
    const asked = { ...(rev === undefined ? {} : { rev }), start_line, max_lines };
    if (blamed === null) {
      const none = { lines: [], truncated: false, warnings: ["not a git repository"] };
      return { is_repo: false, path, ...asked, end_line: start_line - 1, ...none };
    }
    const read = blamed.lines.map(toWire);
    const lines = fitEntries(read, max_lines > DEFAULT_LINES ? LARGE_LINES_JSON_BYTES : LINES_JSON_BYTES);
    const last = start_line + lines.length - 1;
    const isCut = lines.length < read.length;
    const truncated = isCut || (blamed.hasMore && (end_line === undefined || end_line > endLine));
    const warnings = truncated ? ["line limit reached"] : [];
    if (lines.some((line) => line.content_truncated)) warnings.push(`content over ${CONTENT_UNITS} characters is cut`);
    return {
      is_repo: true,
      path: blamed.path,
      ...asked,
      end_line: last,
      lines,
      truncated,
      warnings,
      ...(truncated ? { next_action: continued(given, last + 1) } : {}),
    };
  },
  render(out, given) {
    if (!out.is_repo) return { head: "Not a Git repository." };
    const more = (next: NextAction) => `… more lines; continue with ${renderAction(next)}`;
    return {
      head: out.lines.length === 0 ? "No lines." : "",
      ...pageText({
        body: out.lines.map(lineText).join("\n"),
        tail: out.next_action === undefined ? "" : more(out.next_action),
        rest: warningLines(out.warnings.filter((warning) => warning !== "line limit reached")),
        notice: (shown) => more(continued(given, given.start_line + shown)),
      }),
    };
  },
});

function toWire(line: BlamedLine): WireLine {
  const { content } = line;
  return {
    line: line.line,
    original_line: line.originalLine,
    commit: line.commit,
    author: line.author.slice(0, NAME_UNITS),
    author_mail: line.authorMail.slice(0, NAME_UNITS),
    author_time: line.authorTime,
    summary: line.summary.slice(0, NAME_UNITS),
    content: content.slice(0, CONTENT_UNITS).toWellFormed(),
    ...(content.length > CONTENT_UNITS ? { content_truncated: true as const } : {}),
  };
}

function continued(given: s.Infer<typeof input>, start_line: number): NextAction {
  return continuation("git_blame", given, { defaults: { max_lines: DEFAULT_LINES }, next: { start_line } });
}

function lineText(line: WireLine): string {
  return `${line.line} ${line.commit.slice(0, SHORT_NAME)} ${line.author} ${dayOf(line.author_time)} ${line.content}`;
}

/** Day of a time in UTC; a commit may carry any number as its time. */
function dayOf(epochSeconds: number): string {
  const date = new Date(epochSeconds * 1000);
  return Number.isNaN(date.getTime()) ? "?" : date.toISOString().slice(0, 10);
}

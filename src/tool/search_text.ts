/** Tool `search_text`: the lines of files that hold a text or match a regular expression. */

import { displayPath } from "../base/path_text.ts";
import { renderAction } from "../base/render_action.ts";
import type { NextAction } from "../base/tool_error.ts";
import { takePrefixWithin, utf8Length } from "../base/utf8.ts";
import { globWarnings } from "../engine/search/glob_filter.ts";
import type { TextAnswer } from "../engine/search/search_engine.ts";
import * as s from "../schema/schema.ts";
import { continuation } from "./_continuation.ts";
import { fitEntries } from "./_fit_entries.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

/** Contract O-6; long previews end a page sooner. */
const DEFAULT_MAX_RESULTS = 200;
const DEFAULT_PREVIEW_BYTES = 512;

const input = s.object({
  query: s.string({ minLength: 1 }),
  path: s.withDefault(s.string(), "."),
  regex: s.withDefault(s.boolean("Linear-time syntax: no look-around, no back-references."), false),
  case_sensitive: s.withDefault(s.boolean(), false),
  include_globs: s.withDefault(s.array(s.string()), []),
  glob: s.optional(s.string()),
  exclude_globs: s.withDefault(s.array(s.string()), []),
  context_lines: s.withDefault(s.integer({ min: 0, max: 5 }), 0),
  max_results: s.withDefault(s.integer({ min: 1, max: 10_000 }), DEFAULT_MAX_RESULTS),
  offset: s.withDefault(s.integer({ min: 0 }), 0),
  max_preview_bytes: s.withDefault(s.integer({ min: 80, max: 4_096 }), DEFAULT_PREVIEW_BYTES),
});

type Input = s.Infer<typeof input>;

const output = s.openObject({
  query: s.optional(s.string()),
  matches: s.optional(s.array(s.openObject({
    path: s.string(),
    line: s.integer(),
    column: s.integer(),
    preview: s.string(),
    before: s.array(s.string()),
    after: s.array(s.string()),
    preview_truncated: s.optional(s.boolean()),
    preview_truncated_by: s.optional(s.enumeration(["chars", "bytes"])),
  }))),
  offset: s.optional(s.integer()),
  total_matches: s.optional(s.integer()),
  total_matches_exact: s.optional(s.boolean()),
  files_searched: s.optional(s.integer()),
  skipped: s.optional(s.openObject({
    hidden: s.integer(),
    ignored: s.integer(),
    binary: s.integer(),
    unreadable: s.integer(),
    binary_paths: s.optional(s.array(s.string())),
  })),
  truncated: s.optional(s.boolean()),
  engine: s.optional(s.string()),
});

interface Match {
  path: string;
  line: number;
  column: number;
  preview: string;
  before: readonly string[];
  after: readonly string[];
  preview_truncated?: true;
  preview_truncated_by?: "chars" | "bytes";
}

type Output = {
  query: string;
  matches: Match[];
  offset: number;
  total_matches: number;
  total_matches_exact: boolean;
  files_searched: number;
  skipped: { hidden: number; ignored: number; binary: number; unreadable: number; binary_paths?: string[] };
  truncated: boolean;
  engine: "builtin";
  warnings?: string[];
  next_action?: NextAction;
};

/** Reads only, a page of matching lines in the order of paths. */
export const searchText = defineTool<Input, Output>({
  name: "search_text",
  title: "Search text",
  description:
    "Find lines that hold a text or match a regular expression below a path, ordered by path and line. Hidden, git-ignored and binary files are left out and counted; a path named here is always searched.",
  annotations: READ_ONLY,
  input,
  output,
  slips: {
    pattern: "query",
    text: "query",
    directory: "path",
    file: "path",
    limit: "max_results",
    context: "context_lines",
    is_regex: "regex",
  },

  async run(args, { engines, signal, progress }) {
    const engine = await engines.search();
    const includes = args.glob === undefined ? args.include_globs : [...args.include_globs, args.glob];
    const answer = await engine.searchText({
      query: args.query,
      isRegex: args.regex,
      isCaseSensitive: args.case_sensitive,
      path: args.path,
      globs: {
        includes,
        excludes: args.exclude_globs,
      },
      contextLines: args.context_lines,
      maxPreviewBytes: args.max_preview_bytes,
      offset: args.offset,
      maxResults: args.max_results,
    }, {
      signal,
      ...(progress === undefined ? {} : { progressed: (files) => progress(files, `${files} files searched`) }),
    });
    const found = answer.matches.flatMap(matchesOf);
    const matches = withinBytes(found, args);
    const next = args.offset + matches.length;
    const isMore = next < answer.lines;
    const isTruncated = isMore || answer.isOutOfTime;
    const warnings = [...globWarnings(includes), ...warningsOf(answer, { isMore, isExact: answer.isComplete })];
    return {
      query: args.query,
      matches,
      offset: args.offset,
      total_matches: answer.isComplete || answer.isOutOfTime ? answer.lines : next + 1,
      total_matches_exact: answer.isComplete,
      files_searched: answer.searched,
      skipped: skippedOf(answer),
      truncated: isTruncated,
      engine: "builtin",
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(isMore ? { next_action: continued(args, next) } : {}),
    };
  },

  render(out, args) {
    const blocks = out.matches.map(blockOf);
    const tail = out.next_action === undefined ? "" : truncationLine(out, out.next_action);
    return {
      body: blocks.length === 0 ? emptyLine(out) : blocks.join("\n"),
      foot: [tail, ...footLines(out)].filter((line) => line !== "").join("\n"),
      shorten: (budgetBytes) => shorten(out, args, { blocks, budgetBytes: budgetBytes + utf8Length(tail) }),
    };
  },
});

/** Bytes of matches in the structured value unless more than usual was asked for (O-6). */
const MAX_MATCHES_BYTES = 60_000;
/** Room for the notice of a shortened text, besides the arguments in its continuation. */
const NOTICE_BYTES = 200;
/** Names of binary files in a result; the count says how many there are. */
const MAX_BINARY_PATHS = 10;

function matchesOf(file: TextAnswer["matches"][number]): Match[] {
  return file.lines.map((one) => ({
    path: file.path,
    line: one.line,
    column: one.column,
    preview: one.preview,
    before: one.before,
    after: one.after,
    ...(one.cutBy === null ? {} : { preview_truncated: true, preview_truncated_by: one.cutBy }),
  }));
}

/** The matches that fit the structured value; at least one. */
function withinBytes(matches: Match[], args: Input): Match[] {
  if (args.max_results > DEFAULT_MAX_RESULTS || args.max_preview_bytes > DEFAULT_PREVIEW_BYTES) return matches;
  return fitEntries(matches, MAX_MATCHES_BYTES);
}

function skippedOf({ counts, binary, unreadable }: TextAnswer): Output["skipped"] {
  return {
    hidden: counts.hidden,
    ignored: counts.ignored,
    binary: binary.length,
    unreadable: unreadable + counts.unreadable,
    ...(binary.length > 0 ? { binary_paths: binary.slice(0, MAX_BINARY_PATHS) } : {}),
  };
}

function warningsOf(answer: TextAnswer, { isMore, isExact }: { isMore: boolean; isExact: boolean }): string[] {
  return [
    ...(isMore ? [isExact ? "result limit reached" : "result limit reached; search stopped early"] : []),
    ...(answer.isOutOfTime ? ["search time limit reached"] : []),
  ];
}

function continued(args: Input, offset: number): NextAction {
  return continuation("search_text", args, { defaults: DEFAULTS, next: { offset } });
}

const DEFAULTS = {
  regex: false,
  case_sensitive: false,
  context_lines: 0,
  max_preview_bytes: DEFAULT_PREVIEW_BYTES,
};

function blockOf(match: Match): string {
  const context = (lines: readonly string[]) => lines.map((line) => `  ${line}`);
  const head = `${displayPath(match.path)}:${match.line}:${match.column}: ${match.preview}`;
  return [...context(match.before), head, ...context(match.after)].join("\n");
}

function emptyLine(out: Output): string {
  return out.offset > 0 && out.total_matches > 0
    ? `No matches found at offset ${out.offset}: there are ${out.total_matches}.`
    : "No matches found.";
}

function truncationLine(out: Output, next: NextAction): string {
  const total = `${out.total_matches}${out.total_matches_exact ? "" : "+"}`;
  const from = out.offset === 0 ? "" : ` from ${out.offset + 1} on`;
  return `… showing ${out.matches.length} of ${total} matches${from}; continue with ${renderAction(next)}`;
}

function footLines(out: Output): string[] {
  const { hidden, ignored, binary, unreadable, binary_paths = [] } = out.skipped;
  const leftOut = [
    ...(hidden > 0 ? [`${hidden} hidden`] : []),
    ...(ignored > 0 ? [`${ignored} ignored`] : []),
    ...(binary > 0
      ? [`${binary} binary (${binary_paths.slice(0, 3).map(displayPath).join(", ")}${binary > 3 ? ", …" : ""})`]
      : []),
    ...(unreadable > 0 ? [`${unreadable} unreadable`] : []),
  ];
  const warnings = (out.warnings ?? []).filter((warning) => !warning.startsWith("result limit reached"));
  return [
    ...(leftOut.length === 0
      ? []
      : [`Not searched: ${leftOut.join(", ")}; name a path to search what is hidden or ignored.`]),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
}

/** Whole matches from the start; the notice takes the place of the line about truncation. */
function shorten(
  out: Output,
  args: Input,
  { blocks, budgetBytes }: { blocks: readonly string[]; budgetBytes: number },
): { body: string; foot: string } {
  const longest = utf8Length(renderAction(continued(args, out.offset + out.matches.length)));
  let room = budgetBytes - NOTICE_BYTES - longest;
  const first = takePrefixWithin(blocks[0] ?? "", room);
  const end = blocks.findIndex((block) => (room -= utf8Length(block) + 1) < 0);
  // A first match with context longer than the text is cut: the call that goes on must not come back to it.
  const shown = end < 0 ? blocks.length : Math.max(end, 1);
  const notice = truncationLine(
    { ...out, matches: out.matches.slice(0, shown) },
    continued(args, args.offset + shown),
  );
  const whole = end === 0 ? [first] : blocks.slice(0, shown);
  return { body: [...whole, notice].join("\n"), foot: footLines(out).join("\n") };
}

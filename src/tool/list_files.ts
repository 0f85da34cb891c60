/** Tool `list_files`: files found by glob, anywhere below a directory. */

import { displayPath, isEscapedPath } from "../base/path_text.ts";
import { fitLinesFromStart } from "../base/fit_text.ts";
import { renderAction } from "../base/render_action.ts";
import type { NextAction } from "../base/tool_error.ts";
import { utf8Length } from "../base/utf8.ts";
import { globWarnings } from "../engine/search/glob_filter.ts";
import type { ListAnswer } from "../engine/search/search_engine.ts";
import * as s from "../schema/schema.ts";
import { fitEntries } from "./_fit_entries.ts";
import { timeText } from "./_time_text.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

/** Contract O-6; long names end a page sooner. */
const DEFAULT_MAX_RESULTS = 1_000;

const input = s.object({
  path: s.withDefault(s.string(), "."),
  patterns: s.optional(s.array(s.string({ about: "Without / matches names at any depth." }))),
  glob: s.optional(s.string()),
  exclude_patterns: s.withDefault(s.array(s.string()), []),
  include_hidden: s.withDefault(s.boolean(), false),
  include_ignored: s.withDefault(s.boolean(), false),
  max_results: s.withDefault(s.integer({ min: 1, max: 50_000 }), DEFAULT_MAX_RESULTS),
  offset: s.withDefault(s.integer({ min: 0 }), 0),
  sort: s.withDefault(s.enumeration(["path", "modified"]), "path"),
});

type Input = s.Infer<typeof input>;

const output = s.openObject({
  path: s.optional(s.string()),
  files: s.optional(s.array(s.openObject({
    path: s.string(),
    type: s.enumeration(["file", "symlink"]),
    size_bytes: s.integer(),
    modified: s.string(),
    is_ignored: s.optional(s.boolean()),
    name_form: s.optional(s.string()),
  }))),
  offset: s.optional(s.integer()),
  total_files: s.optional(s.integer()),
  total_is_exact: s.optional(s.boolean()),
  hidden_left_out: s.optional(s.integer()),
  ignored_left_out: s.optional(s.integer()),
  matching_left_out: s.optional(s.integer()),
  truncated: s.optional(s.boolean()),
  engine: s.optional(s.string()),
});

interface File {
  path: string;
  type: "file" | "symlink";
  size_bytes: number;
  modified: string;
  is_ignored?: true;
  /** The path holds bytes that are not UTF-8, written as \xHH; tools take it as shown. */
  name_form?: "escaped";
}

type Output = {
  path: string;
  files: File[];
  offset: number;
  total_files: number;
  total_is_exact: boolean;
  hidden_left_out: number;
  ignored_left_out: number;
  matching_left_out?: number;
  truncated: boolean;
  engine: string;
  warnings?: string[];
  next_action?: NextAction;
};

/** Reads only, a page of files in the order of their paths. */
export const listFiles = defineTool<Input, Output>({
  name: "list_files",
  title: "List files",
  description:
    "Find files by glob (*, **, {a,b}) below a directory. Hidden and git-ignored files are left out unless asked for.",
  annotations: READ_ONLY,
  input,
  output,
  slips: { pattern: "glob", directory: "path", dir: "path", limit: "max_results", exclude: "exclude_patterns" },

  async run(args, { engines, signal }) {
    const includes = args.patterns !== undefined && args.patterns.length > 0
      ? args.patterns
      : args.glob === undefined
      ? []
      : [args.glob];
    const engine = await engines.search();
    const answer = await engine.listFiles({
      path: args.path,
      globs: { includes, excludes: args.exclude_patterns },
      includeHidden: args.include_hidden,
      includeIgnored: args.include_ignored,
      offset: args.offset,
      maxResults: args.max_results,
      order: args.sort,
    }, { signal });
    const found = answer.files.map(fileOf);
    // Whoever asks for more files than usual gets them in one value (O-6).
    const files = args.max_results > DEFAULT_MAX_RESULTS ? found : fitEntries(found, MAX_FILES_BYTES);
    const isTruncated = args.offset + files.length < answer.total;
    const warnings = [...globWarnings(includes), ...warningsOf(answer, isTruncated)];
    return {
      path: answer.path,
      files,
      offset: args.offset,
      total_files: answer.total,
      total_is_exact: answer.isExact,
      hidden_left_out: answer.counts.hidden,
      ignored_left_out: answer.counts.ignored,
      ...(answer.leftOut > 0 ? { matching_left_out: answer.leftOut } : {}),
      truncated: isTruncated,
      engine: "builtin",
      ...(warnings.length > 0 ? { warnings } : {}),
      ...(isTruncated
        ? { next_action: continuation(args, args.offset + files.length) }
        : answer.leftOut > 0
        ? { next_action: withEverything(args) }
        : {}),
    };
  },

  render(out, args) {
    const body = out.files.map(fileLine).join("\n");
    const tail = out.truncated && out.next_action !== undefined ? truncationLine(out, out.next_action) : "";
    return {
      body: out.files.length === 0 ? emptyLine(out) : body,
      foot: [tail, ...footLines(out)].filter((line) => line !== "").join("\n"),
      shorten: (budgetBytes) => shorten(out, args, { body, budgetBytes: budgetBytes + utf8Length(tail) }),
    };
  },
});

/** Bytes of files in the structured value unless more than usual were asked for (O-6). */
const MAX_FILES_BYTES = 62_000;
/** Room for the notice of a shortened text, besides the arguments in its continuation. */
const NOTICE_BYTES = 200;

function fileOf(file: ListAnswer["files"][number]): File {
  return {
    path: file.path,
    type: file.type,
    size_bytes: file.sizeBytes,
    modified: timeText(file.modifiedMs),
    ...(file.isIgnored ? { is_ignored: true } : {}),
    ...(isEscapedPath(file.path) ? { name_form: "escaped" } : {}),
  };
}

function warningsOf(answer: ListAnswer, isTruncated: boolean): string[] {
  const { leftOut, counts } = answer;
  return [
    ...(isTruncated ? ["result limit reached"] : []),
    ...(leftOut > 0 ? [`${leftOut} matching files are hidden or ignored (include_hidden, include_ignored)`] : []),
    ...(counts.unreadable > 0 ? [`${counts.unreadable} directories could not be read`] : []),
  ];
}

function continuation(args: Input, offset: number): NextAction {
  const { path, patterns, glob, exclude_patterns, include_hidden, include_ignored, max_results, sort } = args;
  return {
    tool: "list_files",
    arguments: {
      path,
      ...(patterns === undefined || patterns.length === 0 ? {} : { patterns }),
      ...(glob === undefined ? {} : { glob }),
      ...(exclude_patterns.length === 0 ? {} : { exclude_patterns }),
      ...(include_hidden ? { include_hidden } : {}),
      ...(include_ignored ? { include_ignored } : {}),
      max_results,
      offset,
      ...(sort === "path" ? {} : { sort }),
    },
  };
}

function withEverything(args: Input): NextAction {
  return continuation({ ...args, include_hidden: true, include_ignored: true }, 0);
}

function fileLine(file: File): string {
  const notes = [
    ...(file.is_ignored ? ["ignored"] : []),
    ...(file.name_form === undefined ? [] : ["name is not UTF-8; pass it as shown"]),
  ];
  return `${displayPath(file.path)} [${file.type}]${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
}

function emptyLine(out: Output): string {
  return out.offset > 0 && out.total_files > 0
    ? `No files found at offset ${out.offset}: there are ${out.total_files}.`
    : "No files found.";
}

function truncationLine(out: Output, next: NextAction): string {
  const total = out.total_is_exact ? `${out.total_files}` : `at least ${out.total_files}`;
  const last = out.offset + out.files.length;
  return `… results truncated; files ${out.offset + 1}-${last} of ${total}; continue with ${renderAction(next)}`;
}

function footLines(out: Output): string[] {
  const leftOut = [
    ...(out.hidden_left_out > 0 ? [`${out.hidden_left_out} hidden (include_hidden)`] : []),
    ...(out.ignored_left_out > 0 ? [`${out.ignored_left_out} ignored (include_ignored)`] : []),
  ];
  const warnings = (out.warnings ?? []).filter((warning) => warning !== "result limit reached");
  return [
    ...(leftOut.length === 0 ? [] : [`Left out on the way: ${leftOut.join(", ")}.`]),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
}

/** Whole entries from the start; the notice takes the place of the line about truncation. */
function shorten(
  out: Output,
  args: Input,
  { body, budgetBytes }: { body: string; budgetBytes: number },
): { body: string; foot: string } {
  const longest = utf8Length(renderAction(continuation(args, out.offset + out.files.length)));
  const fitted = fitLinesFromStart(body, budgetBytes - NOTICE_BYTES - longest);
  const shown = fitted.wholeLines;
  const next = continuation(args, args.offset + shown);
  const notice = truncationLine({ ...out, files: out.files.slice(0, shown) }, next);
  return { body: `${fitted.text}${notice}`, foot: footLines(out).join("\n") };
}

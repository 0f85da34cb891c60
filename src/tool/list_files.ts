/** Tool `list_files`: files found by glob, anywhere below a directory. */

import { displayPath, isEscapedPath } from "../base/path_text.ts";
import type { NextAction } from "../base/tool_error.ts";
import { globWarnings } from "../engine/search/glob_filter.ts";
import type { ListAnswer } from "../engine/search/search_engine.ts";
import * as s from "../schema/schema.ts";
import { continuation } from "./_continuation.ts";
import { fitEntries } from "./_fit_entries.ts";
import { INCLUDE_ARGUMENTS, type ListPage, MAX_ENTRIES_BYTES, PAGE_FIELDS, renderList } from "./_list_view.ts";
import { timeText } from "./_time_text.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

/** Contract O-6; long names end a page sooner. */
const DEFAULT_MAX_RESULTS = 1_000;

const input = s.object({
  path: s.withDefault(s.string(), "."),
  patterns: s.optional(s.array(s.string({ about: "Without / matches names at any depth." }))),
  glob: s.optional(s.string()),
  exclude_patterns: s.withDefault(s.array(s.string()), []),
  ...INCLUDE_ARGUMENTS,
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
  ...PAGE_FIELDS,
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

type Output = ListPage & {
  files: File[];
  total_files: number;
  matching_left_out?: number;
  engine: string;
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
    const includes = includesOf(args);
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
    const files = args.max_results > DEFAULT_MAX_RESULTS ? found : fitEntries(found, MAX_ENTRIES_BYTES);
    const isTruncated = args.offset + files.length < answer.total;
    const warnings = [...globWarnings(includes), ...warningsOf(answer, { isTruncated })];
    let next: Partial<Input> | null = null;
    if (isTruncated) next = { offset: args.offset + files.length };
    else if (answer.leftOut > 0) next = { include_hidden: true, include_ignored: true, offset: 0 };
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
      ...(next === null ? {} : { next_action: continued(args, next) }),
    };
  },

  render(out, args) {
    return renderList(out, {
      noun: "files",
      lines: out.files.map(fileLine),
      total: out.total_files,
      leftOut: "Left out on the way",
      limitWarning: LIMIT_WARNING,
      continued: (offset) => continued(args, { offset }),
    });
  },
});

const LIMIT_WARNING = "result limit reached";

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

/** `patterns` where there are some, else `glob`; nothing includes every file. */
function includesOf({ patterns, glob }: Input): readonly string[] {
  if (patterns !== undefined && patterns.length > 0) return patterns;
  return glob === undefined ? [] : [glob];
}

function warningsOf(answer: ListAnswer, { isTruncated }: { readonly isTruncated: boolean }): string[] {
  const { leftOut, counts } = answer;
  return [
    ...(isTruncated ? [LIMIT_WARNING] : []),
    ...(leftOut > 0 ? [`${leftOut} matching files are hidden or ignored (include_hidden, include_ignored)`] : []),
    ...(counts.unreadable > 0 ? [`${counts.unreadable} directories could not be read`] : []),
  ];
}

function continued(args: Input, next: Readonly<Record<string, unknown>>): NextAction {
  return continuation("list_files", args, { defaults: DEFAULTS, next });
}

const DEFAULTS = { include_hidden: false, include_ignored: false, sort: "path" };

function fileLine(file: File): string {
  const notes = [
    ...(file.is_ignored ? ["ignored"] : []),
    ...(file.name_form === undefined ? [] : ["name is not UTF-8; pass it as shown"]),
  ];
  return `${displayPath(file.path)} [${file.type}]${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
}

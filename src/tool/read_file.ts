/** Tool `read_file`: whole lines of one text file, with the revision that a later edit must quote. */

import { fitLinesFromStart } from "../base/fit_text.ts";
import { jsonTextBytes } from "../base/json_text.ts";
import { renderAction } from "../base/render_action.ts";
import { type NextAction, ToolError } from "../base/tool_error.ts";
import { utf8Length } from "../base/utf8.ts";
import { readLines } from "../engine/reading/read_lines.ts";
import * as s from "../schema/schema.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

/** 64 KiB: about 16,000 tokens, more than a client usually passes on (O-6). */
const DEFAULT_MAX_BYTES = 65_536;
/** 1 MiB: whoever asks for more reads by pages. */
const MAX_MAX_BYTES = 1_048_576;

const input = s.object({
  path: s.string({ minLength: 1 }),
  start_line: s.withDefault(s.integer({ min: 1 }), 1),
  end_line: s.optional(s.integer({ min: 1, about: "Inclusive." })),
  max_lines: s.optional(s.integer({ min: 1 })),
  max_bytes: s.withDefault(s.integer({ min: 1, max: MAX_MAX_BYTES }), DEFAULT_MAX_BYTES),
  line_offset: s.withDefault(s.integer({ min: 0, about: "Bytes into start_line." }), 0),
  encoding: s.withDefault(s.enumeration(["utf-8"]), "utf-8"),
  line_numbers: s.withDefault(s.boolean(), false),
});

type Input = s.Infer<typeof input>;

const output = s.openObject({
  path: s.optional(s.string()),
  content: s.optional(s.string()),
  encoding: s.optional(s.string()),
  revision: s.optional(s.string()),
  revision_algorithm: s.optional(s.string()),
  max_bytes: s.optional(s.integer()),
  start_line: s.optional(s.integer()),
  end_line: s.optional(s.integer()),
  line_offset: s.optional(s.integer()),
  total_lines: s.optional(s.integer()),
  total_bytes: s.optional(s.integer()),
  bytes_read: s.optional(s.integer()),
  output_bytes: s.optional(s.integer()),
  output_lines: s.optional(s.integer()),
  truncated: s.optional(s.boolean()),
  truncated_by: s.optional(s.nullable(s.string())),
  first_line_exceeds_limit: s.optional(s.boolean()),
  next_start_line: s.optional(s.integer()),
  next_line_offset: s.optional(s.integer()),
  line_numbers: s.optional(s.boolean()),
});

type Output = {
  path: string;
  content: string;
  encoding: string;
  revision: string;
  revision_algorithm: string;
  max_bytes: number;
  start_line: number;
  end_line: number;
  line_offset?: number;
  total_lines: number;
  total_bytes: number;
  bytes_read: number;
  output_bytes: number;
  output_lines: number;
  truncated: boolean;
  truncated_by: string | null;
  first_line_exceeds_limit: boolean;
  next_start_line?: number;
  next_line_offset?: number;
  line_numbers?: true;
  warnings?: string[];
  next_action?: NextAction;
};

/** Reads only; refuses what is not UTF-8 instead of guessing. */
export const readFile = defineTool<Input, Output>({
  name: "read_file",
  title: "Read file",
  description:
    "Read whole lines of a UTF-8 file, at most 2000; next_action continues. Returns the revision that apply_changes needs.",
  annotations: READ_ONLY,
  input,
  output,
  slips: { file_path: "path", file: "path", filename: "path", offset: "start_line", limit: "max_lines" },

  async run(args, { engines, signal }) {
    const endLine = lastLineOf(args);
    const read = await readLines(engines.workspace, args.path, {
      startLine: args.start_line,
      endLine,
      maxBytes: args.max_bytes,
      maxJsonBytes: args.max_bytes > DEFAULT_MAX_BYTES ? undefined : jsonRoom(args.path),
      lineOffset: args.line_offset,
      signal,
    });
    const isPast = args.start_line > Math.max(read.totalLines, 1);
    const end = read.lines === 0 ? read.totalLines : args.start_line + read.lines - 1;
    const last = Math.min(endLine ?? Infinity, read.totalLines);
    const next: { next_start_line?: number; next_line_offset?: number; next_action?: NextAction } = {};
    if (read.truncatedBy !== null && end < last) next.next_start_line = end + 1;
    if (read.isFirstLineCut) next.next_line_offset = read.lineOffset + read.contentBytes;
    if (read.isFirstLineCut) next.next_action = continuation(args, end, next.next_line_offset);
    else if (next.next_start_line !== undefined) next.next_action = continuation(args, next.next_start_line);
    const warnings = [
      ...(read.truncatedBy === null ? [] : ["content truncated"]),
      ...(read.isFirstLineCut ? ["first selected line exceeds max_bytes"] : []),
      ...(isPast ? [`start_line ${args.start_line} is past the end: the file has ${read.totalLines} lines`] : []),
      ...(read.isUnsteady ? ["the file changed while it was read; revision is that of the bytes read"] : []),
    ];
    return {
      path: read.path,
      content: read.content,
      encoding: "utf-8",
      revision: read.revision,
      revision_algorithm: "sha256",
      max_bytes: args.max_bytes,
      start_line: args.start_line,
      end_line: end,
      ...(args.line_offset > 0 ? { line_offset: read.lineOffset } : {}),
      total_lines: read.totalLines,
      total_bytes: read.totalBytes,
      bytes_read: read.contentBytes,
      output_bytes: read.contentBytes,
      output_lines: read.lines,
      truncated: read.truncatedBy !== null,
      truncated_by: read.truncatedBy,
      first_line_exceeds_limit: read.isFirstLineCut,
      ...next,
      ...(args.line_numbers ? { line_numbers: true as const } : {}),
      ...(warnings.length > 0 ? { warnings } : {}),
    };
  },

  render(out, args) {
    const body = args.line_numbers ? numbered(out.content, out.start_line) : out.content;
    const more = out.next_action === undefined ? "" : `; continue with ${renderAction(out.next_action)}`;
    const notes = (out.warnings ?? []).filter((warning) => !SAID_BY_BANNER.has(warning));
    return {
      head: banner(out, { end: out.end_line, more }),
      body,
      foot: notes.map((note) => `Warning: ${note}`).join("\n"),
      shorten: (budgetBytes) => shorten(out, args, { body, budgetBytes }),
    };
  },
});

/** The value stays within 64 KiB unless more than the default was asked for (O-6); the path stands there twice, once resolved. */
function jsonRoom(path: string): number {
  return VALUE_JSON_BYTES - OTHER_FIELDS_BYTES - Math.min(3 * jsonTextBytes(path), VALUE_JSON_BYTES / 2);
}

const VALUE_JSON_BYTES = 64 * 1024;
/** The fields beside content and path. */
const OTHER_FIELDS_BYTES = 1_024;

const SAID_BY_BANNER: ReadonlySet<string> = new Set(["content truncated"]);
/** Room for the notice and the longer banner of a shortened text, besides the path in the continuation. */
const NOTICE_BYTES = 400;

function lastLineOf(args: Input): number | undefined {
  const byCount = args.max_lines === undefined ? undefined : args.start_line + args.max_lines - 1;
  if (byCount !== undefined && args.end_line !== undefined && byCount !== args.end_line) {
    throw new ToolError(
      "INVALID_ARGUMENT",
      `Cannot read the range: max_lines ${args.max_lines} from line ${args.start_line} ends at ${byCount}, end_line says ${args.end_line}`,
      { details: { argument: "max_lines", retry_hint: "Give end_line or max_lines, not both." } },
    );
  }
  const end = args.end_line ?? byCount;
  if (end !== undefined && end < args.start_line) {
    throw new ToolError(
      "INVALID_ARGUMENT",
      `Cannot read the range: end_line ${end} lies before start_line ${args.start_line}`,
      { details: { argument: "end_line", start_line: args.start_line, end_line: end } },
    );
  }
  return end;
}

/** The same call from another place, in the caller's own spelling (contract 1.9). */
function continuation(args: Input, startLine: number, lineOffset = 0): NextAction {
  const end = args.end_line ?? (args.max_lines === undefined ? undefined : args.start_line + args.max_lines - 1);
  return {
    tool: "read_file",
    arguments: {
      path: args.path,
      start_line: startLine,
      ...(lineOffset > 0 ? { line_offset: lineOffset } : {}),
      max_bytes: Math.max(args.max_bytes, LONGEST_CHARACTER_BYTES),
      ...(end === undefined ? {} : { end_line: end }),
      ...(args.line_numbers ? { line_numbers: true } : {}),
    },
  };
}

/** Less than one character's bytes would show nothing and never get on (RFC 3629). */
const LONGEST_CHARACTER_BYTES = 4;

function banner(out: Output, { end, more }: { end: number; more: string }): string {
  if (out.total_lines === 0) return `[The file is empty (0 lines) revision=${out.revision}]`;
  if (out.output_lines === 0) return `[No lines shown: the file has ${out.total_lines} revision=${out.revision}]`;
  const offset = out.line_offset === undefined ? "" : ` from byte ${out.line_offset} of line ${out.start_line}`;
  return `[Showing lines ${out.start_line}-${end} of ${out.total_lines}${offset} revision=${out.revision}${more}]`;
}

function numbered(content: string, startLine: number): string {
  if (content === "") return "";
  const isTerminated = content.endsWith("\n");
  const lines = (isTerminated ? content.slice(0, -1) : content).split("\n");
  return lines.map((line, index) => `${startLine + index}\t${line}`).join("\n") + (isTerminated ? "\n" : "");
}

/** Bytes of the numbers and tabs before the lines `first` to `last`. */
function numbersBytes(first: number, last: number): number {
  let bytes = 0;
  for (let line = first; line <= last; line++) bytes += `${line}\t`.length;
  return bytes;
}

/** Whole lines from the start; the notice continues at the first line, or byte of an over-long line, not shown. */
function shorten(
  out: Output,
  args: Input,
  { body, budgetBytes }: { body: string; budgetBytes: number },
): { head: string; body: string } {
  const fitted = fitLinesFromStart(body, budgetBytes - NOTICE_BYTES - utf8Length(args.path));
  const isCut = fitted.wholeLines === 0;
  const end = isCut ? out.start_line : out.start_line + fitted.wholeLines - 1;
  const shownBytes = fitted.bytes - (args.line_numbers ? numbersBytes(out.start_line, end) : 0);
  const next = isCut ? continuation(args, end, (out.line_offset ?? 0) + shownBytes) : continuation(args, end + 1);
  const hidden = out.output_bytes - shownBytes;
  const notice = `… ${Math.max(hidden, 1)} more bytes of this page are not shown; continue with ${renderAction(next)}`;
  return { head: banner(out, { end, more: "" }), body: `${fitted.text}${isCut ? "\n" : ""}${notice}` };
}

/** Tool `read_output`: pages the kept output of a command by byte offset. */

import { fitLinesFromStart } from "../base/fit_text.ts";
import { renderAction } from "../base/render_action.ts";
import type { NextAction } from "../base/tool_error.ts";
import { utf8Length } from "../base/utf8.ts";
import { readOutput as readStream } from "../engine/run/read_output.ts";
import * as s from "../schema/schema.ts";
import { outputRef } from "./_command_view.ts";
import { defineTool, READ_ONLY, type ToolResult } from "./tool.ts";

/** Contract 3.12. */
const DEFAULT_LIMIT_BYTES = 4_096;
const MAX_LIMIT_BYTES = 1_048_576;
/** The line that says what is missing and how to go on. */
const NOTICE_BYTES = 240;

const input = s.object({
  output_ref: s.string({ minLength: 1, about: "Or a command_id." }),
  stream: s.optional(s.enumeration(["stdout", "stderr"])),
  offset: s.withDefault(s.integer({ min: 0, about: "Bytes." }), 0),
  limit: s.withDefault(s.integer({ min: 1, max: MAX_LIMIT_BYTES }), DEFAULT_LIMIT_BYTES),
  encoding: s.withDefault(s.enumeration(["utf-8", "base64"]), "utf-8"),
});

type Input = s.Infer<typeof input>;

type Output = ToolResult & {
  command_id: string;
  status: string;
  exit_code: number | null;
  signal: string | null;
  output_ref: string;
  stream: string;
  content: string;
  offset: number;
  limit: number;
  next_offset: number | null;
  total_stream_bytes: number;
};

/** Reads only; offsets count the bytes a stream ever had, kept or not. */
export const readOutput = defineTool<Input, Output>({
  name: "read_output",
  title: "Read output",
  description:
    "Page the kept raw output of a command by byte offset. Head and tail of each stream are kept; evicted_gap_bytes tells what is lost.",
  annotations: READ_ONLY,
  input,
  output: s.openObject({
    command_id: s.optional(s.string()),
    status: s.optional(s.string()),
    stream: s.optional(s.string()),
    content: s.optional(s.string()),
    offset: s.optional(s.integer()),
    next_offset: s.optional(s.nullable(s.integer())),
    total_stream_bytes: s.optional(s.integer()),
    evicted_gap_bytes: s.optional(s.integer()),
    truncated: s.optional(s.boolean()),
  }),
  slips: { command_id: "output_ref", ref: "output_ref", max_bytes: "limit", start: "offset" },

  async run(args, context) {
    const chunk = readStream(await context.engines.run(), {
      ref: args.output_ref,
      stream: args.stream,
      offset: args.offset,
      limitBytes: args.limit,
      encoding: args.encoding,
    });
    const ref = outputRef(chunk.id, chunk.stream);
    const omitted = Math.max(0, chunk.offset - args.offset);
    const warnings = omitted > 0 && chunk.offset === chunk.tailStart
      ? [
        `${chunk.stream} offset skipped dropped bytes`,
        "The middle of the output was evicted for good; redirect long output to a file and page it with read_file.",
      ]
      : [];
    return {
      command_id: chunk.id,
      status: chunk.status,
      exit_code: chunk.exitCode,
      signal: chunk.signal,
      operation_outcome: chunk.outcome,
      output_ref: `command:${chunk.id}`,
      stream_output_ref: ref,
      stream: chunk.stream,
      encoding: args.encoding,
      content: chunk.content,
      offset: chunk.offset,
      requested_offset: args.offset,
      limit: chunk.limitBytes,
      next_offset: chunk.nextOffset,
      total_stream_bytes: chunk.totalBytes,
      total_retained_bytes: chunk.retainedBytes,
      head_retained_bytes: chunk.headBytes,
      retained_start_offset: chunk.tailStart,
      evicted_gap_bytes: chunk.gapBytes,
      omitted_bytes: omitted,
      stdout_dropped_bytes: chunk.dropped.stdout,
      stderr_dropped_bytes: chunk.dropped.stderr,
      stream_dropped_bytes: chunk.dropped[chunk.stream],
      truncated: chunk.nextOffset !== null,
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(chunk.nextOffset === null ? {} : { next_action: pageAction(ref, chunk.nextOffset, args) }),
    };
  },

  render(value, args) {
    const { content, stream, command_id } = value;
    const ref = outputRef(command_id, stream as "stdout" | "stderr");
    const state = value.status === "running"
      ? "running"
      : `${value.status} | ${value.exit_code === null ? `signal ${value.signal}` : `exit code ${value.exit_code}`}`;
    const lines = [
      ...(value.next_offset === null ? [] : [`[more: ${renderAction(pageAction(ref, value.next_offset, args))}]`]),
      `[command ${state}; ${stream} ${pageBounds(value, args)} of ${value.total_stream_bytes}]`,
      ...(value.warnings ?? []).map((warning) => `Warning: ${warning}`),
    ];
    return {
      body: content,
      foot: lines.join("\n"),
      shorten: (budgetBytes) => {
        const fitted = fitLinesFromStart(content, budgetBytes - NOTICE_BYTES);
        const shown = args.encoding === "base64" ? Math.floor(fitted.bytes / 4) * 3 : fitted.bytes;
        const text = args.encoding === "base64" ? fitted.text.slice(0, shown / 3 * 4) : fitted.text;
        const action = renderAction(pageAction(ref, value.offset + shown, args));
        const hidden = endOf(value, args) - value.offset - shown;
        const kept = text === "" || text.endsWith("\n") ? text : text + "\n";
        return {
          body: `${kept}… ${hidden} more bytes of this page are not shown; ${action}`,
          foot: lines.slice(-1).join("\n"),
        };
      },
    };
  },
});

function pageAction(ref: string, offset: number, { limit, encoding }: Input): NextAction {
  return {
    tool: "read_output",
    arguments: { output_ref: ref, offset, limit, ...(encoding === "utf-8" ? {} : { encoding }) },
  };
}

function pageBounds(value: Output, args: Input): string {
  return value.offset > value.total_stream_bytes
    ? `has nothing at byte ${value.offset}, behind its end`
    : `bytes ${value.offset}-${endOf(value, args)}`;
}

/** Position behind the last byte of the page. */
function endOf(value: Output, { encoding }: Input): number {
  if (value.next_offset !== null) return value.next_offset;
  if (encoding === "base64") return value.offset + Math.floor(value.content.length / 4) * 3 - padding(value.content);
  return Math.min(value.total_stream_bytes, value.offset + utf8Length(value.content));
}

function padding(base64: string): number {
  return base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
}

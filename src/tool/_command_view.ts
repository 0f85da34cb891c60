/** Wire value and text that the four command tools share (contract 3.9, 4.3, 4.5; O-5, O-40). */

import { fitLinesFromEnd } from "../base/fit_text.ts";
import { renderAction } from "../base/render_action.ts";
import type { NextAction } from "../base/tool_error.ts";
import { takePrefixWithin, takeSuffixWithin, utf8Length } from "../base/utf8.ts";
import { type CommandReport, DEFAULT_STREAM_BYTES } from "../engine/run/command_report.ts";
import * as s from "../schema/schema.ts";
import type { Rendering, ToolResult } from "./tool.ts";

/** 1 MiB: twice what one stream keeps by default (contract 4.4). */
const MAX_OUTPUT_BYTES = 1_048_576;
/** Contract 3.9. */
const DEFAULT_PREVIEW_BYTES = 4_096;
const MAX_YIELD_MS = 30_000;
const DEFAULT_YIELD_MS = 10_000;
/** First page of a cut stream (contract 3.9). */
const FIRST_PAGE_BYTES = 4_096;
/** Wait that the suggested poll asks for. */
const POLL_YIELD_MS = 10_000;
/** Of the last line, in a summary. */
const SUMMARY_TAIL_CHARACTERS = 120;
/** Below this a mark between two halves would leave nothing of either (contract 4.5). */
const MIN_PREVIEW_ROOM = 3;
const PREVIEW_MARK = "\n... output truncated ...\n";
/** Warnings in the text, and the bytes of each; the value has them whole. */
const MAX_TEXT_WARNINGS = 20;
const MAX_WARNING_BYTES = 300;
/** One notice line in text: a name, a number and a call. */
const NOTICE_BYTES = 240;

const STREAMS = ["stdout", "stderr"] as const;

/** Arguments that `exec_command`, `write_stdin` and `kill_command` share. */
export const outputArguments = {
  max_output_bytes: s.withDefault(s.integer({ min: 1, max: MAX_OUTPUT_BYTES }), DEFAULT_STREAM_BYTES),
  verbosity: s.optional(s.enumeration(["summary", "preview", "full"])),
  preview_bytes: s.withDefault(s.integer({ min: 1, max: MAX_OUTPUT_BYTES }), DEFAULT_PREVIEW_BYTES),
};

/** Milliseconds a call may wait for its command. */
export const yieldArgument = s.withDefault(s.integer({ min: 0, max: MAX_YIELD_MS }), DEFAULT_YIELD_MS);

/** Fields of a command result that always have one type; the others are free (O-8). */
export const commandOutput = {
  command_id: s.optional(s.string()),
  status: s.optional(s.string()),
  operation_outcome: s.optional(s.string()),
  exit_code: s.optional(s.nullable(s.integer())),
  signal: s.optional(s.nullable(s.string())),
  timed_out: s.optional(s.boolean()),
  stdout: s.optional(s.string()),
  stderr: s.optional(s.string()),
  truncated: s.optional(s.boolean()),
  output_refs: s.optional(s.record(s.string())),
};

/** How much of the output a result shows. */
export interface ViewOptions {
  readonly verbosity: "summary" | "preview" | "full" | undefined;
  /** Bytes per stream with verbosity `preview`. */
  readonly previewBytes: number;
}

/** The wire value of a command; the fields named here are always there. */
export type CommandValue = ToolResult & {
  command_id: string;
  status: string;
  exit_code: number | null;
  signal: string | null;
  timed_out: boolean;
};

/** Keeps what only the text needs beside the wire value; symbols never reach JSON. */
const REPORT: unique symbol = Symbol("report");

type Held = { [REPORT]?: CommandReport };

/** The wire value of one response. */
export function commandValue(report: CommandReport, options: ViewOptions): CommandValue {
  const refs = { stdout: outputRef(report.id, "stdout"), stderr: outputRef(report.id, "stderr") };
  const preview = options.verbosity === "preview" ? makePreview(report, options.previewBytes) : null;
  const cut = cutStreams(report, { previewIsCut: preview?.truncated ?? false });
  const pages = cut.map((stream): NextAction => ({
    tool: "read_output",
    arguments: { output_ref: refs[stream], offset: 0, limit: FIRST_PAGE_BYTES },
  }));
  const first = cut[0];
  const warnings = [...report.warnings, ...streamWarnings(report)];
  const next = report.status === "running" ? pollAction(report.id) : pages[0];
  const showsOutput = options.verbosity === undefined || options.verbosity === "full";
  return {
    command_id: report.id,
    status: report.status,
    operation_outcome: report.outcome,
    exit_code: report.exitCode,
    signal: report.signal,
    timed_out: report.timedOut,
    ...(showsOutput ? Object.assign({}, ...STREAMS.map((stream) => streamFields(report, stream))) : {}),
    ...(report.hasTerminal ? { rendered: true } : {}),
    stdout_dropped_bytes: report.stdout.droppedBytes,
    stderr_dropped_bytes: report.stderr.droppedBytes,
    truncated: cut.length > 0,
    run_ms: report.runMs,
    ...(report.cpuMs === null ? {} : { cpu_ms: Math.round(report.cpuMs) }),
    ...(report.peakMemoryBytes === null ? {} : { peak_memory_bytes: report.peakMemoryBytes }),
    ...(report.backgroundProcesses > 0 ? { background_processes: report.backgroundProcesses } : {}),
    output_refs: refs,
    ...(first !== undefined || options.verbosity !== undefined
      ? { output_ref: refs[first ?? "stdout"], output_stream: first ?? "stdout" }
      : {}),
    ...(first === undefined ? {} : { output_truncated: true, truncated_output_streams: cut, next_actions: pages }),
    ...(options.verbosity === undefined ? {} : { summary: summarize(report) }),
    ...(preview === null ? {} : { preview: preview.text, preview_truncated: preview.truncated }),
    sandbox: report.sandbox,
    ...(report.diagnostics.length === 0 ? {} : { diagnostics: report.diagnostics }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(next === undefined ? {} : { next_action: next }),
    ...(showsOutput ? { [REPORT]: report } : {}),
  };
}

/** `command:<id>:stdout` (contract 3.12). */
export function outputRef(id: string, stream: "stdout" | "stderr"): string {
  return `command:${id}:${stream}`;
}

/** Text of a command result; `firstLine` is the tool's own. */
export function renderCommand(value: CommandValue, firstLine: string): Rendering {
  const report = (value as Held)[REPORT];
  const foot = footLines(value, { streamsShown: report !== undefined });
  if (report === undefined) {
    const body = String(value["preview"] ?? "") || String(value["summary"] ?? "");
    return { head: firstLine, body, foot };
  }
  const rendering = { head: firstLine, body: streamsText(report, Infinity), foot };
  return { ...rendering, shorten: (budgetBytes) => ({ ...rendering, body: streamsText(report, budgetBytes) }) };
}

/** `Status: exited | exit code 0 | 12 ms`. */
export function statusLine(value: CommandValue, elapsedMs?: number): string {
  const parts = [`Status: ${value.status}`];
  if (value.exit_code !== null) parts.push(`exit code ${value.exit_code}`);
  if (value.signal !== null) parts.push(`signal ${value.signal}`);
  if (value.timed_out) parts.push("timed out");
  if (elapsedMs !== undefined) parts.push(`${elapsedMs} ms`);
  return parts.join(" | ");
}

function pollAction(id: string): NextAction {
  return { tool: "write_stdin", arguments: { command_id: id, chars: "", yield_time_ms: POLL_YIELD_MS } };
}

function streamFields(report: CommandReport, stream: "stdout" | "stderr"): Record<string, unknown> {
  const window = report[stream];
  return {
    [stream]: window.text,
    ...(window.head === "" ? {} : { [`${stream}_head`]: window.head }),
    [`${stream}_truncated`]: window.truncatedBy !== null,
    [`${stream}_truncated_by`]: window.truncatedBy,
    [`${stream}_output_lines`]: window.lines,
    [`${stream}_output_bytes`]: window.bytes,
    [`${stream}_omitted_bytes`]: window.omittedBytes,
    [`${stream}_total_bytes`]: report.totals[stream],
  };
}

function cutStreams(
  report: CommandReport,
  { previewIsCut }: { readonly previewIsCut: boolean },
): ("stdout" | "stderr")[] {
  const cut = STREAMS.filter((stream) => report[stream].hiddenBytes > 0 || report[stream].truncatedBy !== null);
  return cut.length > 0 || !previewIsCut ? cut : STREAMS.filter((stream) => report.totals[stream] > 0);
}

function streamWarnings(report: CommandReport): string[] {
  return STREAMS.flatMap((stream) => {
    const window = report[stream];
    const lines: string[] = [];
    if (window.truncatedBy !== null) lines.push(`${stream} truncated from tail by ${window.truncatedBy}`);
    if (window.omittedBytes > 0) lines.push(`${stream} cursor skipped dropped bytes`);
    if (window.nulCount > 0 || window.invalidBytes > 0) {
      lines.push(
        `${stream} holds ${window.nulCount} NUL and ${window.invalidBytes} invalid UTF-8 bytes, shown as U+2400 and U+FFFD; read_output with encoding base64 gives them raw`,
      );
    }
    return lines;
  });
}

/** Both streams; when the budget is short each gets a half, and what one does not need goes to the other. */
function streamsText(report: CommandReport, budgetBytes: number): string {
  const needs = STREAMS.map((stream) => streamNeeds(report, stream));
  const half = budgetBytes / 2;
  const [out = 0, err = 0] = needs;
  const shares = out <= half ? [out, budgetBytes - out] : err <= half ? [budgetBytes - err, err] : [half, half];
  return STREAMS.map((stream, index) => streamText(report, stream, shares[index] as number)).join("");
}

function streamNeeds(report: CommandReport, stream: "stdout" | "stderr"): number {
  return utf8Length(streamText(report, stream, Infinity));
}

function streamText(report: CommandReport, stream: "stdout" | "stderr", budgetBytes: number): string {
  const window = report[stream];
  const title = stream === "stderr" && window.text !== "" ? "stderr:\n" : "";
  const start = window.startOffset - window.hiddenBytes;
  const whole = title + excerpt(report, { stream, start, text: window.text, hidden: window.hiddenBytes });
  if (utf8Length(whole) <= budgetBytes) return whole;
  const fixed = utf8Length(title) + utf8Length(window.head) + NOTICE_BYTES;
  const fitted = fitLinesFromEnd(window.text, Math.max(0, budgetBytes - fixed));
  const hidden = window.hiddenBytes + utf8Length(window.text) - fitted.bytes;
  return title + excerpt(report, { stream, start, text: fitted.text, hidden });
}

/** Head of the cut part, the notice with the call that goes on at its first hidden byte, the tail. */
function excerpt(
  report: CommandReport,
  part: { stream: "stdout" | "stderr"; start: number; text: string; hidden: number },
): string {
  const text = endLine(part.text);
  if (part.hidden <= 0) return text;
  const head = endLine(report[part.stream].head);
  const hidden = Math.max(0, part.hidden - utf8Length(report[part.stream].head));
  const action = renderAction({
    tool: "read_output",
    arguments: {
      output_ref: outputRef(report.id, part.stream),
      offset: part.start + utf8Length(report[part.stream].head),
    },
  });
  return `${head}… ${hidden} bytes of ${part.stream} are not shown here; ${action}\n${text}`;
}

function endLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : text + "\n";
}

/** `streamsShown`: they are in the body, with their own notices of what is missing. */
function footLines(value: CommandValue, { streamsShown }: { streamsShown: boolean }): string {
  const lines: string[] = [];
  const refs = value["output_refs"] as Record<"stdout" | "stderr", string>;
  if (value.status === "running") {
    lines.push(
      `Still running; poll with ${renderAction(pollAction(value.command_id))}.`,
      `Output refs: ${refs.stdout}, ${refs.stderr}.`,
    );
  }
  const cut = (value["truncated_output_streams"] ?? []) as ("stdout" | "stderr")[];
  for (const stream of streamsShown ? [] : cut) {
    const action = renderAction({ tool: "read_output", arguments: { output_ref: refs[stream], offset: 0 } });
    lines.push(`${stream} output truncated; continue with ${action}.`);
  }
  const sandbox = value["sandbox"] as { reason?: string } | undefined;
  if (sandbox?.reason !== undefined && (value.warnings ?? []).length === 0) lines.push(`Sandbox: ${sandbox.reason}.`);
  // Advice to call a tool is of no use without what to call it with; a running command has named it already.
  const isAdvised = (value.warnings ?? []).some((line) => /read_output|kill_command/.test(line));
  if (isAdvised && value.status !== "running") lines.push(`Command id: ${value.command_id}.`);
  const notices = /^std(out|err) (truncated from tail|cursor skipped)/;
  for (const warning of (value.warnings ?? []).filter((line) => !notices.test(line)).slice(0, MAX_TEXT_WARNINGS)) {
    lines.push(`Warning: ${takePrefixWithin(warning, MAX_WARNING_BYTES)}`);
  }
  for (const diagnostic of (value["diagnostics"] ?? []) as CommandReport["diagnostics"]) {
    if (diagnostic.code === "OUTPUT_TRUNCATED") continue;
    const fix = diagnostic.suggested_fix ?? diagnostic.suggested_next_command ?? diagnostic.evidence ?? "";
    lines.push(`${diagnostic.code}: ${takePrefixWithin(fix, MAX_WARNING_BYTES)}`);
  }
  return lines.join("\n");
}

/** `exit N | S.s s | K lines | tail: '<last non-blank line>'` (contract 4.5). */
function summarize(report: CommandReport): string {
  const end = report.exitCode === null ? report.signal ?? report.status : `exit ${report.exitCode}`;
  const count = report.stdout.lines + report.stderr.lines;
  // Lines beyond the bounds of one answer are not counted.
  const lines = STREAMS.some((stream) => report[stream].truncatedBy !== null) ? `${count}+` : `${count}`;
  const text = report.stdout.text.trim() === "" ? report.stderr.text : report.stdout.text;
  const last = text.trimEnd().split("\n").at(-1) ?? "";
  const tail = [...last].slice(0, SUMMARY_TAIL_CHARACTERS).join("");
  return `${end} | ${(report.runMs / 1000).toFixed(1)} s | ${lines} lines | tail: '${tail}'`;
}

function makePreview(report: CommandReport, limitBytes: number): { text: string; truncated: boolean } {
  const retained = report.retained();
  const text = STREAMS.filter((stream) => retained[stream] !== "")
    .map((stream) => `--- ${stream} ---\n${retained[stream]}`).join("\n");
  if (utf8Length(text) <= limitBytes) return { text, truncated: false };
  const room = limitBytes - PREVIEW_MARK.length;
  if (room < MIN_PREVIEW_ROOM) return { text: takePrefixWithin(text, limitBytes), truncated: true };
  const first = takePrefixWithin(text, Math.ceil(room / 2));
  return { text: first + PREVIEW_MARK + takeSuffixWithin(text, Math.floor(room / 2)), truncated: true };
}

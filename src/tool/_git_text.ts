/** What `git_diff` and `git_show` have in common: one bounded text with the list of its files. */

import { renderAction } from "../base/render_action.ts";
import { displayPath } from "../base/path_text.ts";
import type { NextAction } from "../base/tool_error.ts";
import { utf8Length } from "../base/utf8.ts";
import type { FileChange } from "../engine/git/patch_reader.ts";
import * as s from "../schema/schema.ts";
import { continuation } from "./_continuation.ts";
import { fitItems } from "./_fit_entries.ts";
import { joinLines, keepingFirstLines, warningLines } from "./_text_parts.ts";
import type { Rendering } from "./tool.ts";

/** 64 KiB: the text when the caller names no limit (O-6). */
const DEFAULT_MAX_BYTES = 65_536;
/** Bytes as JSON of a diff, the list of its files and the warnings: with the other fields within 64 KiB (O-6). */
const TEXT_JSON_BYTES = 44 * 1024;
const FILES_JSON_BYTES = 14 * 1024;
/** The same list for a caller that asked for a larger text. */
const LARGE_FILES_JSON_BYTES = 256 * 1024;
/** More say nothing new; they are counted. */
const MAX_WARNINGS = 20;
/** Changed files named in a text; more are counted. */
const LISTED_FILES = 25;

/** Arguments: which files. */
export const PATH_ARGUMENTS = {
  path: s.optional(s.string({ minLength: 1 })),
  paths: s.optional(s.array(s.string({ minLength: 1 }))),
};

/** Arguments: how much of the text. */
export const TEXT_ARGUMENTS = {
  context_lines: s.withDefault(s.integer({ min: 0, max: 20 }), 3),
  max_bytes: s.withDefault(s.integer({ min: 1, max: 1_048_576 }), DEFAULT_MAX_BYTES),
  offset: s.withDefault(s.integer({ min: 0 }), 0),
};

/** Output fields for the files of a text. */
export const FILE_FIELDS = {
  files: s.optional(s.array(s.openObject({ path: s.string(), status: s.string(), binary: s.boolean() }))),
  total_files: s.optional(s.integer()),
};

/** Output fields for the bounds of a text (contract 3.13). */
export const BOUND_FIELDS = {
  offset: s.optional(s.integer()),
  truncated: s.optional(s.boolean()),
  truncated_by: s.optional(s.string()),
  output_lines: s.optional(s.integer()),
  output_bytes: s.optional(s.integer()),
};

/** A changed file on the wire. */
interface WireFile {
  path: string;
  original_path?: string;
  status: string;
  binary: boolean;
  additions?: number;
  removals?: number;
}

/** The fields that both tools answer besides their text. */
export type TextFacts = {
  files: WireFile[];
  total_files: number;
  /** Lines before the first of the text. */
  offset: number;
  truncated: boolean;
  truncated_by: string;
  output_lines: number;
  output_bytes: number;
  warnings: string[];
  next_action?: NextAction;
};

/** What the arguments of both tools share. */
export interface TextInput {
  readonly path?: string | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly context_lines: number;
  readonly max_bytes: number;
  /** Lines passed over before the first one shown. */
  readonly offset: number;
}

/** A text as the git room reads it. */
export interface ReadText {
  readonly files: readonly FileChange[];
  readonly truncatedBy: "" | "lines" | "bytes";
  readonly lines: number;
  readonly bytes: number;
  readonly warnings: readonly string[];
}

/** The part of the request that both have; a caller that names a larger maximum gets all of it. */
export function textRequest(given: TextInput): {
  paths: string[];
  contextLines: number;
  maxBytes: number;
  maxJsonBytes?: number;
  skipLines: number;
} {
  return {
    paths: [...(given.path === undefined ? [] : [given.path]), ...(given.paths ?? [])],
    contextLines: given.context_lines,
    maxBytes: given.max_bytes,
    ...(given.max_bytes > DEFAULT_MAX_BYTES ? {} : { maxJsonBytes: TEXT_JSON_BYTES }),
    skipLines: given.offset,
  };
}

/** What is said of `read`, the answer of `tool`. */
export function textFacts(tool: string, given: TextInput, read: ReadText): TextFacts {
  const budget = given.max_bytes > DEFAULT_MAX_BYTES ? LARGE_FILES_JSON_BYTES : FILES_JSON_BYTES;
  const files = [...fitItems(read.files.map(toWireFile), budget)];
  const warnings = read.warnings.slice(0, MAX_WARNINGS).map((warning) => warning.slice(0, 150));
  if (read.warnings.length > MAX_WARNINGS) warnings.push(`${read.warnings.length - MAX_WARNINGS} more warnings`);
  if (files.length < read.files.length) {
    warnings.push(`${read.files.length - files.length} more files are not listed; narrow paths`);
  }
  const truncated = read.truncatedBy !== "";
  return {
    files,
    total_files: read.files.length,
    offset: given.offset,
    truncated,
    truncated_by: read.truncatedBy,
    output_lines: read.lines,
    output_bytes: read.bytes,
    warnings,
    ...(truncated ? { next_action: behind(tool, given, read.lines) } : {}),
  };
}

/** What is said where there is no repository. */
export const NO_TEXT: ReadText = {
  files: [],
  truncatedBy: "",
  lines: 0,
  bytes: 0,
  warnings: ["not a git repository"],
};

/** How one of the two tools words its text. */
export interface TextRendering {
  readonly tool: string;
  /** What the text is called where it was cut. */
  readonly noun: string;
  readonly text: string;
  /** Stands for an empty text at its start. */
  readonly empty: string;
  /** `when_cut`: the files are in the text itself. */
  readonly files: "when_cut" | "always";
}

/** The text with what of its bounds and files has to be said. */
export function renderText(
  out: TextFacts,
  given: TextInput,
  { tool, noun, text, empty, files }: TextRendering,
): Rendering {
  const list = fileList(out.files);
  const named = list === "" || files === "always" ? list : `Files, for paths:\n${list}`;
  const isNamed = out.truncated || files === "always";
  const warnings = warningLines(out.warnings);
  return {
    head: text !== "" ? "" : out.offset > 0 ? `No lines at offset ${out.offset}.` : empty,
    body: text,
    foot: joinLines(
      files === "always" && named,
      out.next_action !== undefined && cutNotice(noun, out, out.next_action),
      files === "when_cut" && isNamed && named,
      warnings,
    ),
    shorten(budgetBytes) {
      const notice = (shown: number) => {
        const more = out.truncated ? "more" : `${out.output_lines - shown} more`;
        return `… ${more} lines; continue with ${renderAction(behind(tool, given, shown))}`;
      };
      // The foot is longer than it was by the files that only a shortened text names.
      const added = isNamed || named === "" ? 0 : utf8Length(named) + 1;
      return { ...keepingFirstLines(text, notice)(budgetBytes - added), foot: joinLines(named, warnings) };
    },
  };
}

/** The call that goes on behind `lines` of the answer. What is left of a cut first line needs a larger max_bytes. */
function behind(tool: string, given: TextInput, lines: number): NextAction {
  return continuation(tool, { ...given }, {
    defaults: DEFAULTS,
    next: { offset: given.offset + Math.max(1, lines) },
  });
}

/** Of the arguments of both tools. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  rev: "HEAD",
  staged: false,
  unstaged: true,
  include_untracked: true,
  include_diff: true,
  context_lines: 3,
  max_bytes: DEFAULT_MAX_BYTES,
};

function toWireFile({ path, originalPath, status, binary, additions, removals }: FileChange): WireFile {
  return {
    path,
    ...(originalPath === undefined ? {} : { original_path: originalPath }),
    status,
    binary,
    ...(additions === undefined ? {} : { additions, removals: removals ?? 0 }),
  };
}

/** Says that a text was cut by its own limit, and how to go on. */
function cutNotice(noun: string, out: TextFacts, next: NextAction): string {
  const { output_lines: lines, output_bytes: bytes, truncated_by: limit } = out;
  return `… ${noun} cut after ${lines} lines (${bytes} bytes) by its limit of ${limit}; continue with ${
    renderAction(next)
  }`;
}

/** One line per changed file: status, counts, path; the first 25, each at most 300 characters. */
function fileList(files: readonly WireFile[]): string {
  const lines = files.slice(0, LISTED_FILES).map((file) => fileLine(file).slice(0, 300));
  if (files.length > LISTED_FILES) lines.push(`… ${files.length - LISTED_FILES} more files`);
  return lines.join("\n");
}

function fileLine(file: WireFile): string {
  const counted = file.additions === undefined ? "" : `+${file.additions} -${file.removals ?? 0} `;
  const from = file.original_path === undefined ? "" : `${displayPath(file.original_path)} -> `;
  return `${file.status} ${file.binary ? "binary " : counted}${from}${displayPath(file.path)}`;
}

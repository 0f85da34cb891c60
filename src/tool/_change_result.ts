/** The result that `apply_patch` and `apply_changes` share (contract 3.7). */

import { countLines, fitLinesFromStart } from "../base/fit_text.ts";
import { renderAction } from "../base/render_action.ts";
import type { ChangeReport, FileRecord } from "../engine/patch/change_report.ts";
import * as s from "../schema/schema.ts";
import { DIFF_BYTES, FILES_BYTES, fitText, MAX_RANGES, SUMMARY_BYTES, WARNINGS_BYTES } from "./_bound_change.ts";
import { fitItems } from "./_fit_entries.ts";
import type { Rendering, ToolResult } from "./tool.ts";

interface FileResult {
  readonly path: string;
  readonly operation: string;
  readonly old_path?: string;
  readonly revision?: string;
  readonly total_lines: number;
  readonly changed_ranges?: readonly RangeResult[];
  /** Only where not all are listed. */
  readonly total_changed_ranges?: number;
  readonly match_quality?: string;
  readonly replaced?: { readonly revision: string; readonly total_lines: number };
  readonly excerpt?: string;
}

interface RangeResult {
  readonly start_line: number;
  readonly end_line: number;
  readonly added_lines: number;
  readonly removed_lines: number;
}

/** The value of a success; absent fields were not asked for or have nothing to say. */
export interface ChangeResult extends ToolResult {
  readonly dry_run: boolean;
  /** Always true: what was not placed cleanly is refused. */
  readonly clean: true;
  readonly already_applied: boolean;
  /** The stored result of an earlier call with the same key; nothing was done. */
  readonly idempotent_replay?: true;
  readonly revision_algorithm: "sha256";
  readonly summary: string;
  readonly affected_files: readonly FileResult[];
  /** Only with `truncated`: how many records there would be. */
  readonly total_affected_files?: number;
  readonly truncated?: true;
  readonly additions: number;
  readonly removals: number;
  warnings: string[];
  /** Unified diff, only of a dry run. */
  readonly diff?: string;
}

const range = s.openObject({
  start_line: s.integer(),
  end_line: s.integer(),
  added_lines: s.integer(),
  removed_lines: s.integer(),
});

/** The schema of `ChangeResult`; its fields are optional because failures carry none of them. */
export const changeOutput = s.openObject({
  dry_run: s.optional(s.boolean()),
  clean: s.optional(s.boolean()),
  already_applied: s.optional(s.boolean()),
  idempotent_replay: s.optional(s.boolean()),
  revision_algorithm: s.optional(s.string()),
  summary: s.optional(s.string()),
  affected_files: s.optional(s.array(s.openObject({
    path: s.string(),
    operation: s.string(),
    old_path: s.optional(s.string()),
    revision: s.optional(s.string()),
    total_lines: s.integer(),
    changed_ranges: s.optional(s.array(range)),
    match_quality: s.optional(s.string()),
    excerpt: s.optional(s.string()),
  }))),
  truncated: s.optional(s.boolean()),
  total_affected_files: s.optional(s.integer()),
  additions: s.optional(s.integer()),
  removals: s.optional(s.integer()),
  warnings: s.optional(s.array(s.string())),
  diff: s.optional(s.string()),
});

/** Engine value in, wire value out; bounded, with a call that goes on where something had to be left out (O-6). */
export function changeResult(report: ChangeReport, options: { readonly isReplay: boolean }): ChangeResult {
  const all = report.files.map(fileResult);
  const files = fitItems(all, FILES_BYTES);
  const warnings = fitItems(report.warnings, WARNINGS_BYTES);
  const hiddenWarnings = report.warnings.length - warnings.length;
  const firstHidden = all[files.length];
  return {
    dry_run: report.isDryRun,
    clean: true,
    already_applied: report.isAlreadyApplied,
    ...(options.isReplay ? { idempotent_replay: true as const } : {}),
    revision_algorithm: "sha256",
    summary: fitText(report.summary.join("\n"), SUMMARY_BYTES, (hidden) => `… and ${hidden} more operations`),
    affected_files: files,
    ...(firstHidden === undefined ? {} : {
      truncated: true as const,
      total_affected_files: all.length,
      next_action: { tool: "read_file", arguments: { path: firstHidden.path, max_lines: 1 } },
    }),
    additions: report.additions,
    removals: report.removals,
    warnings: hiddenWarnings === 0 ? [...warnings] : [...warnings, `${hiddenWarnings} more warnings of this kind`],
    ...(report.diff === undefined ? {} : {
      diff: fitText(
        report.diff,
        DIFF_BYTES,
        (hidden) => `… ${hidden} more lines; dry-run fewer files at once to see them`,
      ),
    }),
  };
}

/** Text of a result; `noun` starts its first line. */
export function renderChange(out: ChangeResult, noun: "Patch" | "Changes"): Rendering {
  const files = `${out.total_affected_files ?? out.affected_files.length} file(s) (+${out.additions} -${out.removals})`;
  const verb = out.dry_run ? "validated for" : out.already_applied ? "already applied to" : "applied to";
  const replay = out.idempotent_replay === true ? " This is the stored result of an earlier call with this key." : "";
  const evidence = out.affected_files.filter((file) => file.revision !== undefined).map((file) => {
    return evidenceOf(file, { isDryRun: out.dry_run });
  });
  const hidden = (out.total_affected_files ?? 0) - out.affected_files.length;
  const more = hidden > 0 ? `… ${hidden} more files without their revisions: ${nextCall(out)}` : "";
  const body = [out.summary, ...evidence, ...(out.diff ? [out.diff.trimEnd()] : [])].join("\n");
  return {
    head: `${noun} ${verb} ${files}.${replay}`,
    body,
    foot: [more, ...out.warnings.slice(0, MAX_WARNINGS).map((warning) => `Warning: ${warning}`)]
      .filter((line) => line !== "").join("\n"),
    shorten: (budgetBytes) => {
      const fitted = fitLinesFromStart(body, budgetBytes - NOTICE_BYTES);
      const hiddenLines = countLines(body) - fitted.wholeLines;
      return { body: `${fitted.text.trimEnd()}\n… ${hiddenLines} more lines of evidence are not shown here` };
    },
  };
}

/** Room for the notice line of a shortened text. */
const NOTICE_BYTES = 100;

function nextCall(out: ChangeResult): string {
  return typeof out.next_action === "object" ? renderAction(out.next_action) : "read_file";
}

/** Contract 1.2: at most 20 warning lines. */
const MAX_WARNINGS = 20;

function fileResult(file: FileRecord): FileResult {
  return {
    path: file.path,
    operation: file.operation,
    ...(file.oldPath === undefined ? {} : { old_path: file.oldPath }),
    ...(file.revision === undefined ? {} : { revision: file.revision }),
    total_lines: file.totalLines,
    ...(file.changedRanges === undefined ? {} : {
      changed_ranges: file.changedRanges.slice(0, MAX_RANGES).map((one) => ({
        start_line: one.startLine,
        end_line: one.endLine,
        added_lines: one.addedLines,
        removed_lines: one.removedLines,
      })),
    }),
    ...(file.changedRanges !== undefined && file.changedRanges.length > MAX_RANGES
      ? { total_changed_ranges: file.changedRanges.length }
      : {}),
    ...(file.matchQuality === undefined ? {} : { match_quality: file.matchQuality }),
    ...(file.replaced === undefined
      ? {}
      : { replaced: { revision: file.replaced.revision, total_lines: file.replaced.totalLines } }),
    ...(file.excerpt === undefined ? {} : { excerpt: file.excerpt }),
  };
}

function evidenceOf(file: FileResult, options: { readonly isDryRun: boolean }): string {
  const parts = [
    `${file.path}: ${options.isDryRun ? "would_be_revision" : "revision"}=${file.revision}`,
    `total_lines=${file.total_lines}`,
  ];
  const ranges = file.changed_ranges ?? [];
  if (ranges.length > 0) {
    const more = (file.total_changed_ranges ?? ranges.length) - ranges.length;
    const list = ranges.map((one) => `${one.start_line}-${one.end_line}`).join(", ");
    parts.push(`changed lines ${list}${more > 0 ? ` and ${more} more ranges` : ""}`);
  }
  if (file.match_quality !== undefined && file.match_quality !== "exact") {
    parts.push(`match_quality=${file.match_quality}`);
  }
  // The diff of a dry run shows the same lines.
  const excerpt = file.excerpt === undefined || options.isDryRun ? "" : `\n${file.excerpt}`;
  return parts.join(" ") + excerpt;
}

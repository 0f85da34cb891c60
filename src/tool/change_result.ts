/** The result that `apply_patch` and `apply_changes` share (contract 3.7). */

import type { ChangeReport, FileRecord } from "../engine/patch/change_report.ts";
import * as s from "../schema/schema.ts";
import type { Rendering, ToolResult } from "./tool.ts";

interface FileResult {
  readonly path: string;
  readonly operation: string;
  readonly old_path?: string;
  readonly revision?: string;
  readonly total_lines: number;
  readonly changed_ranges?: readonly RangeResult[];
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

export interface ChangeResult extends ToolResult {
  readonly dry_run: boolean;
  readonly clean: true;
  readonly already_applied: boolean;
  readonly idempotent_replay?: true;
  readonly revision_algorithm: "sha256";
  readonly summary: string;
  readonly affected_files: readonly FileResult[];
  readonly additions: number;
  readonly removals: number;
  warnings: string[];
  readonly diff?: string;
}

const range = s.openObject({
  start_line: s.integer(),
  end_line: s.integer(),
  added_lines: s.integer(),
  removed_lines: s.integer(),
});

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
  additions: s.optional(s.integer()),
  removals: s.optional(s.integer()),
  warnings: s.optional(s.array(s.string())),
  diff: s.optional(s.string()),
});

/** Engine value in, wire value out. */
export function changeResult(report: ChangeReport, options: { readonly isReplay: boolean }): ChangeResult {
  return {
    dry_run: report.isDryRun,
    clean: true,
    already_applied: report.isAlreadyApplied,
    ...(options.isReplay ? { idempotent_replay: true as const } : {}),
    revision_algorithm: "sha256",
    summary: report.summary.join("\n"),
    affected_files: report.files.map(fileResult),
    additions: report.additions,
    removals: report.removals,
    warnings: [...report.warnings],
    ...(report.diff === undefined ? {} : { diff: report.diff }),
  };
}

/** Text of a result; `noun` starts its first line. */
export function renderChange(out: ChangeResult, noun: "Patch" | "Changes"): Rendering {
  const files = `${out.affected_files.length} file(s) (+${out.additions} -${out.removals})`;
  const verb = out.dry_run ? "validated for" : out.already_applied ? "already applied to" : "applied to";
  const replay = out.idempotent_replay === true ? " This is the stored result of an earlier call with this key." : "";
  const evidence = out.affected_files.filter((file) => file.revision !== undefined).map((file) => {
    return evidenceOf(file, { isDryRun: out.dry_run });
  });
  return {
    head: `${noun} ${verb} ${files}.${replay}`,
    body: [out.summary, ...evidence, ...(out.diff ? [out.diff.trimEnd()] : [])].join("\n"),
    foot: out.warnings.slice(0, MAX_WARNINGS).map((warning) => `Warning: ${warning}`).join("\n"),
  };
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
      changed_ranges: file.changedRanges.map((one) => ({
        start_line: one.startLine,
        end_line: one.endLine,
        added_lines: one.addedLines,
        removed_lines: one.removedLines,
      })),
    }),
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
    parts.push(`changed lines ${ranges.map((one) => `${one.start_line}-${one.end_line}`).join(", ")}`);
  }
  if (file.match_quality !== undefined && file.match_quality !== "exact") {
    parts.push(`match_quality=${file.match_quality}`);
  }
  // The diff of a dry run shows the same lines.
  const excerpt = file.excerpt === undefined || options.isDryRun ? "" : `\n${file.excerpt}`;
  return parts.join(" ") + excerpt;
}

/** Applies the operations of a patch to staged files, in order, without writing anything (contract 7.4). */

import type { Pacer } from "../../base/pacer.ts";
import { ToolError } from "../../base/tool_error.ts";
import { encodeUtf8 } from "../../base/utf8.ts";
import { buildSplices, type ChangedRange, rangesOf } from "./build_splices.ts";
import {
  type ChangeReport,
  excerptOf,
  EXCERPTS_BYTES,
  type FileOperation,
  type FileRecord,
  rangesFromDiff,
} from "./change_report.ts";
import { locateHunks } from "./locate_hunks.ts";
import { type Grade, GRADES, type PlacedHunk, type SkippedHunk } from "./placed_hunk.ts";
import { parsePatch } from "./parse_patch.ts";
import type { ParsedPatch, PatchOperation } from "./parsed_patch.ts";
import { countLinesOf } from "./read_content.ts";
import { sameBytes, type StagedFile } from "./staged_file.ts";
import type { StagedTree } from "./staged_tree.ts";
import { spliceText } from "./text_lines.ts";

type Update = Extract<PatchOperation, { kind: "update" }>;
type Add = Extract<PatchOperation, { kind: "add" }>;

/** Stages the patch. @throws ToolError with `details.operation_index` (0-based) where an operation fails */
export async function planPatch(
  patchText: string,
  staged: StagedTree,
): Promise<Omit<ChangeReport, "isDryRun" | "diff">> {
  const patch = parsePatch(patchText);
  const plan = new PatchPlan(staged, patch);
  await plan.run();
  await staged.settle();
  return await plan.report();
}

/** What the hunks of one update did. */
interface Edited {
  readonly ranges: readonly ChangedRange[];
  readonly worst: Grade;
  readonly isChanged: boolean;
  readonly allSkipped: boolean;
}

/** What happened to one path over the whole patch. */
interface History {
  readonly file: StagedFile;
  readonly operations: ("add" | "update" | "delete" | "move")[];
  /** Of the only operation so far; of no use once there are two. */
  ranges: readonly ChangedRange[] | null;
  worst: Grade;
  movedFrom: string | null;
}

class PatchPlan {
  readonly #staged: StagedTree;
  readonly #patch: ParsedPatch;
  readonly #histories = new Map<string, History>();
  readonly #summary: string[] = [];
  readonly #warnings: string[];
  #additions = 0;
  #removals = 0;
  #skippedUpdates = 0;

  constructor(staged: StagedTree, patch: ParsedPatch) {
    this.#staged = staged;
    this.#patch = patch;
    this.#warnings = [...patch.notes];
  }

  async run(): Promise<void> {
    for (const [index, operation] of this.#patch.operations.entries()) {
      try {
        await this.#apply(operation);
      } catch (fault) {
        throw this.#patch.operations.length === 1 ? fault : located(fault, { index, operation });
      }
    }
  }

  async report(): Promise<Omit<ChangeReport, "isDryRun" | "diff">> {
    const files: FileRecord[] = [];
    let excerptBytes = 0;
    for (const history of this.#histories.values()) {
      const record = await this.#record(history, { mayShowLines: excerptBytes < EXCERPTS_BYTES });
      excerptBytes += record.excerpt?.length ?? 0;
      files.push(record);
    }
    return {
      isAlreadyApplied: this.#skippedUpdates === this.#patch.operations.length,
      summary: this.#summary,
      files,
      additions: this.#additions,
      removals: this.#removals,
      warnings: this.#warnings,
    };
  }

  #apply(operation: PatchOperation): Promise<void> {
    if (operation.kind === "add") return this.#add(operation);
    return operation.kind === "delete" ? this.#delete(operation.path) : this.#update(operation);
  }

  async #add(operation: Add): Promise<void> {
    const file = await this.#staged.take(operation.path);
    const content = operation.lines.length === 0 ? "" : operation.lines.join("\n") + "\n";
    const bytes = encodeUtf8(content);
    if (file.exists && sameBytes(await file.content(), bytes)) {
      this.#note(file, "add");
      this.#summary.push(`= ${file.path}`);
      return;
    }
    const replacedLines = await file.countLines();
    file.write(bytes);
    this.#note(file, "add");
    this.#additions += operation.lines.length;
    this.#removals += replacedLines;
    this.#summary.push(`A ${file.path}`);
  }

  async #delete(path: string): Promise<void> {
    const file = await this.#existing(path);
    this.#removals += await file.countLines();
    file.remove();
    this.#note(file, "delete");
    this.#summary.push(`D ${file.path}`);
  }

  async #update(operation: Update): Promise<void> {
    const file = await this.#existing(operation.path);
    const outcome = operation.hunks.length === 0 ? null : await this.#edit(file, operation);
    const target = operation.moveTo === null ? file : await this.#staged.take(operation.moveTo);
    if (target !== file) return await this.#move(file, { target, outcome });
    const history = this.#note(file, "update");
    if (outcome !== null) {
      history.ranges = history.operations.length === 1 ? outcome.ranges : null;
      history.worst = worse(history.worst, outcome.worst);
      if (outcome.allSkipped) this.#skippedUpdates++;
    }
    this.#summary.push(outcome?.isChanged === true ? `M ${file.path}` : `= ${file.path}`);
  }

  async #move(file: StagedFile, to: { readonly target: StagedFile; readonly outcome: Edited | null }): Promise<void> {
    const { target, outcome } = to;
    this.#removals += await target.countLines();
    target.write(await file.content(), file.nature);
    file.remove();
    this.#note(file, "delete");
    const history = this.#note(target, "move");
    history.movedFrom = file.path;
    history.worst = worse(history.worst, outcome?.worst ?? "exact");
    this.#summary.push(`R ${file.path} -> ${target.path}`);
  }

  async #edit(file: StagedFile, operation: Update): Promise<Edited> {
    const text = await file.text();
    const pacer = this.#staged.pacer;
    const located = await locateHunks(text, operation.hunks, { path: file.path, pacer });
    const placed = located.filter((hunk): hunk is PlacedHunk => hunk.kind === "placed");
    const splices = buildSplices(text, placed, { path: file.path });
    for (const hunk of located) this.#count(file, hunk);
    const ranges = rangesOf(text, splices);
    if (ranges.length > 0) file.writeText(await spliceText(text, splices, { pacer }));
    const worst = placed.reduce<Grade>((so, hunk) => worse(so, hunk.grade), "exact");
    return { ranges, worst, isChanged: ranges.length > 0, allSkipped: placed.length === 0 };
  }

  #count(file: StagedFile, hunk: PlacedHunk | SkippedHunk): void {
    if (hunk.kind === "already_applied") {
      this.#warnings.push(
        `${file.path}: hunk ${hunk.hunkIndex}: skipped, its result is already there at line ${hunk.start + 1}`,
      );
      return;
    }
    for (const line of hunk.lines) {
      if (line.kind === "added") this.#additions++;
      if (line.kind === "removed") this.#removals++;
    }
    for (const warning of hunk.warnings) this.#warnings.push(`${file.path}: ${warning}`);
  }

  async #existing(spelled: string): Promise<StagedFile> {
    const file = await this.#staged.take(spelled);
    if (file.exists) return file;
    if (file.wasDeleted) {
      throw new ToolError("PATCH_FAILED", `Cannot change ${spelled}: an earlier operation of this patch removed it`, {
        details: { path: file.path },
      });
    }
    throw this.#staged.missing(spelled);
  }

  #note(file: StagedFile, operation: History["operations"][number]): History {
    let history = this.#histories.get(file.path);
    if (history === undefined) {
      history = { file, operations: [], ranges: null, worst: "exact", movedFrom: null };
      this.#histories.set(file.path, history);
    }
    history.operations.push(operation);
    return history;
  }

  /** Ranges of one operation are known from it; those of several are in different versions of the file. */
  async #rangesOf({ file, operations, ranges }: History): Promise<readonly ChangedRange[]> {
    return operations.length === 1 && ranges !== null ? ranges : await rangesFromDiff(file, this.#staged.pacer);
  }

  async #record(history: History, options: { readonly mayShowLines: boolean }): Promise<FileRecord> {
    const { file } = history;
    if (!file.exists) {
      return { path: file.path, operation: file.baseline === null ? "unchanged" : "delete", totalLines: 0 };
    }
    this.#warnOfLinks(file);
    const operation = finalOperation(history);
    const ranges = operation === "unchanged" ? [] : await this.#rangesOf(history);
    const replaced = await replacedBy(operation, { file, pacer: this.#staged.pacer });
    if (replaced !== null) {
      this.#warnings.push(
        `${file.path}: an existing file was replaced (revision ${replaced.revision}, ${replaced.totalLines} lines)`,
      );
    }
    const wasSentWhole = history.operations.every((kind) => kind === "add");
    const excerpt = options.mayShowLines && !wasSentWhole && ranges.length > 0
      ? excerptOf(await file.text(), ranges)
      : "";
    return {
      path: file.path,
      operation,
      ...(operation === "move" && history.movedFrom !== null ? { oldPath: history.movedFrom } : {}),
      revision: file.revision,
      totalLines: file.totalLines,
      changedRanges: ranges,
      matchQuality: history.worst,
      ...(replaced === null ? {} : { replaced }),
      ...(excerpt === "" ? {} : { excerpt }),
    };
  }

  #warnOfLinks(file: StagedFile): void {
    const others = (file.baseline?.facts.nlink ?? 1) - 1;
    if (others > 0 && file.isChanged) {
      this.#warnings.push(`${file.path}: ${others} other name(s) of this file (hard links) keep the old content`);
    }
  }
}

/** Last operation that made the file what it is; additions followed by updates stay additions. */
function finalOperation(history: History): FileOperation {
  const { file, operations } = history;
  if (!file.isChanged) return "unchanged";
  const last = operations.findLast((kind) => kind !== "update") ?? "update";
  return last === "delete" ? "update" : last;
}

async function replacedBy(
  operation: FileOperation,
  of: { readonly file: StagedFile; readonly pacer: Pacer },
): Promise<NonNullable<FileRecord["replaced"]> | null> {
  const before = of.file.baseline;
  if (before === null || (operation !== "add" && operation !== "move")) return null;
  return { revision: before.revision, totalLines: await countLinesOf(before.bytes, of.pacer) };
}

function worse(a: Grade, b: Grade): Grade {
  return GRADES.indexOf(a) >= GRADES.indexOf(b) ? a : b;
}

function located(fault: unknown, at: { readonly index: number; readonly operation: PatchOperation }): unknown {
  if (!(fault instanceof ToolError)) return fault;
  const { index, operation } = at;
  return new ToolError(fault.code, `${fault.message} (operation ${index + 1}, patch line ${operation.patchLine})`, {
    details: { ...fault.details, operation_index: index, operation: operation.kind, patch_line: operation.patchLine },
    root: fault.root,
    diagnostics: fault.diagnostics,
    retryable: fault.retryable,
    cause: fault.cause,
  });
}

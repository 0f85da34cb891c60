/** Applies line-addressed changes to staged files without writing anything (contract 8). */

import { ToolError } from "../../base/tool_error.ts";
import { encodeUtf8 } from "../../base/utf8.ts";
import { type ChangedRange, rangesOf } from "./build_splices.ts";
import {
  type ChangeReport,
  excerptOf,
  EXCERPTS_BYTES,
  type FileOperation,
  type FileRecord,
  rangesFromDiff,
  wholeFile,
} from "./change_report.ts";
import {
  type ChangeRequest,
  type CheckedChange,
  checkFields,
  checkPathsOnce,
  type NumberedChange,
} from "./change_request.ts";
import { checkRevision } from "./check_revision.ts";
import { type LineEdit, splicesOfEdits } from "./line_edits.ts";
import { sameBytes, type StagedFile } from "./staged_file.ts";
import type { StagedTree } from "./staged_tree.ts";
import { spliceText } from "./text_lines.ts";

/** Stages the changes. @throws ToolError with `details.change_index` (0-based) where a change fails */
export async function planChanges(
  changes: readonly ChangeRequest[],
  staged: StagedTree,
): Promise<Omit<ChangeReport, "isDryRun" | "diff">> {
  if (changes.length === 0) {
    throw new ToolError("PATCH_FAILED", "Cannot apply the changes: No files were modified.", {
      details: { retry_hint: "Put at least one change into changes" },
    });
  }
  const checked = changes.map((change, index) => checkFields({ change, index }));
  checkPathsOnce(changes, staged);
  const plan = new ChangePlan(staged);
  for (const [index, change] of checked.entries()) await plan.apply(change, index);
  await staged.settle();
  return await plan.report();
}

interface Done {
  readonly file: StagedFile;
  readonly operation: FileOperation;
  readonly oldPath?: string;
  readonly ranges: readonly ChangedRange[];
  /** True when the caller sent or knows every line, so that showing them again says nothing. */
  readonly isKnown: boolean;
}

class ChangePlan {
  readonly #staged: StagedTree;
  readonly #done: Done[] = [];
  readonly #summary: string[] = [];
  readonly #warnings: string[] = [];
  #additions = 0;
  #removals = 0;
  #changed = 0;

  constructor(staged: StagedTree) {
    this.#staged = staged;
  }

  async apply(change: CheckedChange, index: number): Promise<void> {
    const file = await this.#staged.take(change.path);
    const at = { change, index };
    if (change.action === "create") return await this.#create(file, { ...at, content: change.content });
    if (change.action === "write") return await this.#write(file, { ...at, content: change.content });
    if (!file.exists) throw atChange(this.#staged.missing(change.path), index);
    await checkRevision(file, at);
    if (change.action === "edit") return await this.#edit(file, { ...at, edits: change.edits });
    if (change.action === "delete") return await this.#delete(file);
    const target = await this.#staged.take(change.destination);
    if (target.exists) throw alreadyThere(target, { spelled: change.destination, index });
    await this.#transfer(file, { target, action: change.action });
  }

  async report(): Promise<Omit<ChangeReport, "isDryRun" | "diff">> {
    const files: FileRecord[] = [];
    let excerptBytes = 0;
    for (const done of this.#done) {
      const record = await this.#record(done, { mayShowLines: excerptBytes < EXCERPTS_BYTES });
      excerptBytes += record.excerpt?.length ?? 0;
      files.push(record);
    }
    return {
      isAlreadyApplied: this.#changed === 0,
      summary: this.#summary,
      files,
      additions: this.#additions,
      removals: this.#removals,
      warnings: this.#warnings,
    };
  }

  async #create(file: StagedFile, at: NumberedChange & { readonly content: string }): Promise<void> {
    const bytes = encodeUtf8(at.content);
    if (file.exists) {
      if (!sameBytes(await file.content(), bytes)) {
        throw alreadyThere(file, { spelled: at.change.path, index: at.index });
      }
      return this.#unchanged(file);
    }
    file.write(bytes);
    const lines = await file.countLines();
    this.#finish({ file, operation: "create", ranges: wholeFile(lines), isKnown: true }, `A ${file.path}`, {
      added: lines,
    });
  }

  async #write(file: StagedFile, at: NumberedChange & { readonly content: string }): Promise<void> {
    const bytes = encodeUtf8(at.content);
    const before = file.exists ? await file.content() : null;
    const removed = await file.countLines();
    if (before !== null || at.change.revision !== undefined) await checkRevision(file, at);
    if (before !== null && sameBytes(before, bytes)) return this.#unchanged(file);
    file.write(bytes);
    this.#finish(
      { file, operation: "write", ranges: await rangesFromDiff(file, this.#staged.pacer), isKnown: true },
      `${before === null ? "A" : "M"} ${file.path}`,
      {
        added: await file.countLines(),
        removed,
      },
    );
  }

  async #edit(file: StagedFile, at: NumberedChange & { readonly edits: readonly LineEdit[] }): Promise<void> {
    const text = await file.text();
    const splices = splicesOfEdits(text, at.edits, { path: file.path, changeIndex: at.index });
    const ranges = rangesOf(text, splices);
    if (ranges.length === 0) return this.#unchanged(file);
    file.writeText(await spliceText(text, splices, { pacer: this.#staged.pacer }));
    this.#finish({ file, operation: "edit", ranges, isKnown: false }, `M ${file.path}`, {
      added: ranges.reduce((sum, range) => sum + range.addedLines, 0),
      removed: ranges.reduce((sum, range) => sum + range.removedLines, 0),
    });
  }

  async #delete(file: StagedFile): Promise<void> {
    const removed = await file.countLines();
    file.remove();
    this.#finish({ file, operation: "delete", ranges: [], isKnown: true }, `D ${file.path}`, { removed });
  }

  async #transfer(
    file: StagedFile,
    to: { readonly target: StagedFile; readonly action: "move" | "copy" },
  ): Promise<void> {
    const { target, action } = to;
    target.write(await file.content(), file.nature);
    const lines = await file.countLines();
    const done: Done = { file: target, operation: action, oldPath: file.path, ranges: wholeFile(lines), isKnown: true };
    this.#finish(done, `${action === "move" ? "R" : "C"} ${file.path} -> ${target.path}`, { added: lines });
    if (action === "copy") return;
    file.remove();
    this.#done.push({ file, operation: "delete", ranges: [], isKnown: true });
  }

  #unchanged(file: StagedFile): void {
    this.#done.push({ file, operation: "unchanged", ranges: [], isKnown: true });
    this.#summary.push(`= ${file.path}`);
  }

  #finish(done: Done, summary: string, counts: { readonly added?: number; readonly removed?: number }): void {
    this.#done.push(done);
    this.#summary.push(summary);
    this.#additions += counts.added ?? 0;
    this.#removals += counts.removed ?? 0;
    this.#changed++;
  }

  async #record(done: Done, options: { readonly mayShowLines: boolean }): Promise<FileRecord> {
    const { file, operation, ranges } = done;
    const others = (file.baseline?.facts.nlink ?? 1) - 1;
    if (others > 0 && operation !== "unchanged" && operation !== "delete") {
      this.#warnings.push(`${file.path}: ${others} other name(s) of this file (hard links) keep the old content`);
    }
    if (!file.exists) return { path: file.path, operation, totalLines: 0 };
    const excerpt = options.mayShowLines && !done.isKnown && ranges.length > 0
      ? excerptOf(await file.text(), ranges)
      : "";
    return {
      path: file.path,
      operation,
      ...(done.oldPath === undefined ? {} : { oldPath: done.oldPath }),
      revision: file.revision,
      totalLines: file.totalLines,
      changedRanges: ranges,
      ...(excerpt === "" ? {} : { excerpt }),
    };
  }
}

function atChange(fault: ToolError, index: number): ToolError {
  return new ToolError(fault.code, fault.message, { details: { ...fault.details, change_index: index }, cause: fault });
}

function alreadyThere(file: StagedFile, at: { readonly spelled: string; readonly index: number }): ToolError {
  const { spelled, index } = at;
  return new ToolError("PATCH_FAILED", `Cannot make ${spelled}: it exists already with other content`, {
    details: {
      path: file.path,
      change_index: index,
      exists: true,
      retry_hint: "Read it and use action write or edit with its revision, or choose another path",
      next_action: { tool: "read_file", arguments: { path: spelled } },
    },
  });
}

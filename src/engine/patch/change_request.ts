/** What a caller of `apply_changes` asks for, and the checks that need no file. */

import { ToolError } from "../../base/tool_error.ts";
import type { LineEdit } from "./line_edits.ts";
import type { StagedTree } from "./staged_tree.ts";

/** What is done with the file at `path`. */
export type ChangeAction = "create" | "write" | "edit" | "delete" | "move" | "copy";

/** One element of `changes`; which fields an action has stands in `FIELDS` below. */
export interface ChangeRequest {
  readonly action: ChangeAction;
  readonly path: string;
  /** SHA-256 the caller saw, with or without `sha256:` in front. */
  readonly revision?: string | undefined;
  /** The whole new text. */
  readonly content?: string | undefined;
  /** Path of the moved or copied file. */
  readonly destination?: string | undefined;
  readonly edits?: readonly LineEdit[] | undefined;
}

/** A change that has what its action needs and nothing it does not take. */
export type CheckedChange =
  & Pick<ChangeRequest, "path" | "revision">
  & (
    | { readonly action: "create"; readonly content: string }
    | { readonly action: "write"; readonly content: string }
    | { readonly action: "edit"; readonly edits: readonly LineEdit[] }
    | { readonly action: "delete" }
    | { readonly action: "move" | "copy"; readonly destination: string }
  );

/** A change and its place in the call, counted from 0. */
export interface NumberedChange<Change = Pick<ChangeRequest, "action" | "path" | "revision">> {
  readonly change: Change;
  readonly index: number;
}

/** Whether an action has what it needs and nothing it does not take. @throws ToolError INVALID_ARGUMENT */
export function checkFields({ change, index }: NumberedChange<ChangeRequest>): CheckedChange {
  const { needs, takes } = FIELDS[change.action];
  for (const field of ["content", "revision", "destination", "edits"] as const) {
    const isGiven = change[field] !== undefined;
    if (isGiven && !needs.includes(field) && !takes.includes(field)) {
      throw invalid(index, field, `action ${change.action} takes no ${field}`);
    }
    if (!isGiven && needs.includes(field)) throw invalid(index, field, `action ${change.action} needs ${field}`);
  }
  if (change.content !== undefined && !change.content.isWellFormed()) {
    throw invalid(index, "content", "it holds half of a surrogate pair, which is no character");
  }
  // Every field that the action needs was seen above.
  return change as CheckedChange;
}

/** Each path once, also as a destination: else the order of changes would matter. @throws ToolError INVALID_ARGUMENT */
export function checkPathsOnce(changes: readonly ChangeRequest[], staged: StagedTree): void {
  const users = new Map<string, number[]>();
  for (const [index, change] of changes.entries()) {
    for (const spelled of [change.path, change.destination]) {
      if (spelled === undefined) continue;
      const path = staged.resolve(spelled);
      users.set(path, [...users.get(path) ?? [], index]);
    }
  }
  for (const [path, indexes] of users) {
    if (indexes.length < 2) continue;
    throw new ToolError("INVALID_ARGUMENT", `Cannot apply the changes: ${path} is named ${indexes.length} times`, {
      details: {
        path,
        change_indexes: indexes,
        retry_hint: "Put all edits of one file into the edits of one change, or use apply_patch to chain",
      },
    });
  }
}

type Field = "content" | "revision" | "destination" | "edits";

/** Which fields an action has (contract 8.1). */
const FIELDS: Readonly<Record<ChangeAction, { readonly needs: readonly Field[]; readonly takes: readonly Field[] }>> = {
  create: { needs: ["content"], takes: [] },
  write: { needs: ["content"], takes: ["revision"] },
  edit: { needs: ["edits"], takes: ["revision"] },
  delete: { needs: [], takes: ["revision"] },
  move: { needs: ["destination"], takes: ["revision"] },
  copy: { needs: ["destination"], takes: ["revision"] },
};

function invalid(index: number, field: string, fact: string): ToolError {
  return new ToolError("INVALID_ARGUMENT", `Cannot use changes[${index}].${field}: ${fact}`, {
    details: { field: `changes[${index}].${field}`, change_index: index, retry_hint: fact },
  });
}

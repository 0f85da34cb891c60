/** Tool `apply_changes`: creates, writes, edits by line number, removes, moves and copies files, all or nothing. */

import * as s from "../schema/schema.ts";
import { changeOutput, type ChangeResult, changeResult, renderChange } from "./_change_result.ts";
import { defineTool } from "./tool.ts";

/** Changes of one call, and edits of one change: more are no longer read by anybody. */
const MAX_CHANGES = 100;
const MAX_EDITS = 200;

const edit = s.object({
  op: s.enumeration(["replace", "delete", "insert_after", "insert_before"]),
  start_line: s.optional(s.integer({ min: 1 })),
  end_line: s.optional(s.integer({ min: 1, about: "Inclusive." })),
  line: s.optional(s.integer({ min: 0, about: "For inserts; 0 is the top." })),
  content: s.optional(s.string()),
});

const change = s.object({
  action: s.enumeration(["create", "write", "edit", "delete", "move", "copy"]),
  path: s.string({ minLength: 1 }),
  revision: s.optional(s.string({ minLength: 1 })),
  content: s.optional(s.string()),
  destination: s.optional(s.string({ minLength: 1 })),
  edits: s.optional(s.array(edit, { min: 1, max: MAX_EDITS })),
});

const input = s.object({
  changes: s.array(change, { max: MAX_CHANGES }),
  dry_run: s.withDefault(s.boolean("Check only; answers the diff."), false),
  idempotency_key: s.optional(s.string({ minLength: 1, maxLength: 128 })),
});

/** Writes; the whole call is refused when one change cannot be made. */
export const applyChanges = defineTool<s.Infer<typeof input>, ChangeResult>({
  name: "apply_changes",
  title: "Apply changes",
  description:
    `Change files by line number, all or nothing. revision is what read_file reported: needed for edit, delete, move, copy and for write of an existing file; create takes none and the path must be new. Line numbers are those of that revision. content is whole lines: "" is none, and in edits a final newline adds a blank line; create and write take it verbatim. Each path once per call. Example: {"changes":[{"action":"edit","path":"a.py","revision":"<sha256>","edits":[{"op":"replace","start_line":3,"end_line":4,"content":"x = 1"}]}]}`,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input,
  output: changeOutput,
  slips: { edits: "changes", operations: "changes" },
  async run({ changes, dry_run, idempotency_key }, { engines, signal }) {
    const engine = await engines.patch();
    const { result, isReplay } = await engine.idempotency.once({
      tool: "apply_changes",
      key: idempotency_key,
      args: { changes, dry_run },
      isStorable: !dry_run,
      run: () => engine.applyChanges(changes, { dryRun: dry_run, signal }),
    });
    return changeResult(result, { isReplay });
  },
  render: (out) => renderChange(out, "Changes"),
});

/** Tool `apply_patch`: adds, updates, moves and removes files by a patch whose context says where, all or nothing. */

import * as s from "../schema/schema.ts";
import { changeOutput, type ChangeResult, changeResult, renderChange } from "./_change_result.ts";
import { defineTool } from "./tool.ts";

const input = s.object({
  patch: s.string({ minLength: 1 }),
  dry_run: s.withDefault(s.boolean("Check only; answers the diff."), false),
  idempotency_key: s.optional(s.string({ minLength: 1, maxLength: 128 })),
});

/** Writes; the whole call is refused when one hunk has no place or two. */
export const applyPatch = defineTool<s.Infer<typeof input>, ChangeResult>({
  name: "apply_patch",
  title: "Apply patch",
  description: `Change files, all or nothing. Form:
*** Begin Patch
*** Add File: new.py
+content
*** Update File: a.py
*** Move to: b.py
@@ def enclosing_scope
 context
-old
+new
*** Delete File: c.py
*** End Patch
Context must fit one place only: add lines, one or more @@ headers (outer first), or *** End of File after the last line of a hunk at the end. Matching: exact, then ignoring trailing whitespace, then indentation. Line numbers are not used. Updates of one file chain.`,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input,
  output: changeOutput,
  slips: { input: "patch", diff: "patch", content: "patch", patch_text: "patch" },
  async run({ patch, dry_run, idempotency_key }, { engines, signal }) {
    const engine = await engines.patch();
    const { result, isReplay } = await engine.idempotency.once({
      tool: "apply_patch",
      key: idempotency_key,
      args: { patch, dry_run },
      isStorable: !dry_run,
      run: () => engine.applyPatch(patch, { dryRun: dry_run, signal }),
    });
    return changeResult(result, { isReplay });
  },
  render: (out) => renderChange(out, "Patch"),
});

/** `apply_changes` over the real protocol: arguments, results in both forms, and what a refusal tells. */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

Deno.test("apply_changes refuses what its schema does not have, by name", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root);
  const create = { action: "create", path: "n.txt", content: "x" };
  const edit = { op: "delete", line: 1 };
  const cases: [Record<string, unknown>, RegExp][] = [
    [{}, /changes/],
    [{ changes: {} }, /changes/],
    [{ changes: [{ action: "rename", path: "a" }] }, /action/],
    [{ changes: [{ action: "create" }] }, /path/],
    [{ changes: [{ ...create, mode: 1 }] }, /mode/],
    [{ changes: Array.from({ length: 101 }, (_, i) => ({ ...create, path: `n${i}` })) }, /changes/],
    [{ changes: [{ action: "edit", path: "a", edits: [] }] }, /edits/],
    [{ changes: [{ action: "edit", path: "a", edits: Array(201).fill(edit) }] }, /edits/],
    [{ changes: [{ action: "edit", path: "a", edits: [{ ...edit, start_line: 0 }] }] }, /start_line/],
    [{ changes: [{ action: "edit", path: "a", edits: [{ ...edit, line: "1" }] }] }, /line/],
    [{ edits: [edit] }, /edits.*changes/s],
  ];
  for (const [args, expected] of cases) {
    const { structuredContent, content } = await vise.call("apply_changes", args);
    strictEqual(structuredContent.error?.code, "INVALID_ARGUMENT", JSON.stringify(args));
    match(content[0]?.text ?? "", expected);
  }
  const empty = await vise.call("apply_changes", { changes: [] });
  strictEqual(empty.structuredContent.error.code, "PATCH_FAILED");
});

Deno.test("apply_changes edits what read_file showed, with the revision it reported", async () => {
  using workspace = new TempWorkspace();
  workspace.write("mix.txt", "one\r\ntwo\nthree\r\nfour\n");
  await using vise = new ViseProcess(workspace.root);
  const read = await vise.call("read_file", { path: "mix.txt" });
  const { structuredContent: value, content } = await vise.call("apply_changes", {
    changes: [{
      action: "edit",
      path: "./mix.txt",
      revision: read.structuredContent.revision,
      edits: [{ op: "insert_after", line: 2, content: "two and a half" }],
    }],
  });
  const after = "one\r\ntwo\ntwo and a half\nthree\r\nfour\n";
  strictEqual(workspace.read("mix.txt"), after);
  strictEqual(value.affected_files[0].revision, sha256(after));
  strictEqual(value.affected_files[0].operation, "edit");
  match(content[0]?.text ?? "", /^Changes applied to 1 file\(s\) \(\+1 -0\)\.\nM mix\.txt\nmix\.txt: revision=/);
  match(content[0]?.text ?? "", /^3: two and a half$/m);
  const again = await vise.call("read_file", { path: "mix.txt" });
  strictEqual(again.structuredContent.revision, value.affected_files[0].revision);
});

Deno.test("apply_changes withholds the current revision from a stale edit and names the call that shows the file", async () => {
  using workspace = new TempWorkspace();
  workspace.write("f.txt", "new\n");
  await using vise = new ViseProcess(workspace.root);
  const change = { action: "edit", path: "f.txt", edits: [{ op: "delete", line: 1 }] };
  const stale = await vise.call("apply_changes", { changes: [{ ...change, revision: sha256("old\n") }] });
  const error = stale.structuredContent.error;
  deepStrictEqual([error.code, error.category, error.retryable], ["REVISION_MISMATCH", "conflict", true]);
  strictEqual(JSON.stringify(stale).includes(sha256("new\n")), false);
  match(stale.content[0]?.text ?? "", /read_file\(path="f\.txt", line_numbers=true\)/);
  const missing = await vise.call("apply_changes", { changes: [change] });
  strictEqual(missing.structuredContent.error.code, "REVISION_REQUIRED");
  strictEqual(missing.structuredContent.error.details.current_revision, sha256("new\n"));
});

Deno.test("apply_changes writes literal text and says when nothing had to change", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root);
  const content = 'total="$$ $& $1 $\' $` ${x} \\1 \\n"\n';
  const create = { changes: [{ action: "create", path: "copy.sh", content }] };
  strictEqual((await vise.call("apply_changes", create)).structuredContent.affected_files[0].total_lines, 1);
  strictEqual(workspace.read("copy.sh"), content);
  const again = await vise.call("apply_changes", create);
  strictEqual(again.structuredContent.already_applied, true);
  match(again.content[0]?.text ?? "", /^Changes already applied to 1 file\(s\) \(\+0 -0\)\.\n= copy\.sh/);
});

Deno.test("a lone surrogate is an invalid argument of both tools and never an internal error", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root);
  // JSON.stringify() writes a lone surrogate as an escape, which is how it arrives from clients.
  const changes = [{ action: "create", path: "a.txt", content: "\ud83d" }];
  strictEqual((await vise.call("apply_changes", { changes })).structuredContent.error.code, "INVALID_ARGUMENT");
  const patch = "*** Begin Patch\n*** Add File: a.txt\n+\ud83d\n*** End Patch\n";
  strictEqual((await vise.call("apply_patch", { patch })).structuredContent.error.code, "INVALID_ARGUMENT");
  strictEqual(workspace.exists("a.txt"), false);
});

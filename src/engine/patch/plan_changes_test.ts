import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { apply, refused, revision } from "../../../tests/support/apply_changes.ts";
import { snapshot } from "../../../tests/support/mixed_commit.ts";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { Workspace } from "../workspace/workspace.ts";
import { PatchEngine } from "./patch_engine.ts";
import type { ChangeRequest } from "./change_request.ts";
import type { LineEdit } from "./line_edits.ts";

Deno.test("the actions do what they say, together and atomically", async () => {
  using workspace = new TempWorkspace();
  workspace.write("edit.txt", "a\n");
  workspace.write("gone.txt", "g\n");
  workspace.write("from.sh", "m\n", 0o755);
  workspace.write("copy.sh", "c\n", 0o750);
  workspace.write("over.txt", "old\n");
  const report = await apply(
    workspace,
    { action: "create", path: "new/deep.txt", content: "verbatim" },
    { action: "write", path: "over.txt", revision: revision("old\n"), content: "new\n" },
    { action: "write", path: "fresh.txt", content: "f\n" },
    { action: "edit", path: "edit.txt", revision: revision("a\n"), edits: [{ op: "replace", line: 1, content: "A" }] },
    { action: "delete", path: "gone.txt", revision: revision("g\n") },
    { action: "move", path: "from.sh", destination: "to.sh", revision: revision("m\n") },
    { action: "copy", path: "copy.sh", destination: "copied.sh", revision: revision("c\n") },
  );
  deepStrictEqual(report.summary, [
    "A new/deep.txt",
    "M over.txt",
    "A fresh.txt",
    "M edit.txt",
    "D gone.txt",
    "R from.sh -> to.sh",
    "C copy.sh -> copied.sh",
  ]);
  strictEqual(workspace.read("new/deep.txt"), "verbatim");
  strictEqual(workspace.exists("gone.txt") || workspace.exists("from.sh"), false);
  strictEqual(statSync(workspace.path("to.sh")).mode & 0o777, 0o755);
  strictEqual(statSync(workspace.path("copied.sh")).mode & 0o777, 0o750);
  strictEqual(statSync(workspace.path("fresh.txt")).mode & 0o777, 0o644);
});

Deno.test("create of the same content again is unchanged and of other content is refused", async () => {
  using workspace = new TempWorkspace();
  workspace.write("f.txt", "same\n");
  const report = await apply(workspace, { action: "create", path: "f.txt", content: "same\n" });
  strictEqual(report.isAlreadyApplied, true);
  deepStrictEqual(report.summary, ["= f.txt"]);
  await refused(workspace, [{ action: "create", path: "f.txt", content: "other\n" }], {
    code: "PATCH_FAILED",
    details: { exists: true, next_action: { tool: "read_file", arguments: { path: "f.txt" } } },
  });
});

Deno.test("a revision is required, recognised in every accepted spelling, and a stale one is refused", async () => {
  using workspace = new TempWorkspace();
  workspace.write("f.txt", "a\n");
  const edits: LineEdit[] = [{ op: "replace", line: 1, content: "a" }];
  await refused(workspace, [{ action: "edit", path: "f.txt", edits }], {
    code: "REVISION_REQUIRED",
    details: { current_revision: revision("a\n"), revision_algorithm: "sha256" },
  });
  const stale = await refused(workspace, [{ action: "edit", path: "f.txt", edits, revision: revision("b\n") }], {
    code: "REVISION_MISMATCH",
    details: { expected_revision: revision("b\n"), total_lines: 1 },
  });
  ok(!JSON.stringify(stale.details).includes(revision("a\n")), "the current revision must not be given away");
  await refused(workspace, [{ action: "delete", path: "f.txt", revision: "abc" }], {
    code: "INVALID_ARGUMENT",
    details: { field: "changes[0].revision", received_length: 3 },
  });
  await refused(workspace, [{ action: "write", path: "none.txt", content: "x", revision: revision("x") }], {
    code: "REVISION_MISMATCH",
    details: { exists: false },
  });
  const spelled = ` SHA256:${revision("a\n").toUpperCase()} `;
  strictEqual(
    (await apply(workspace, { action: "edit", path: "f.txt", edits, revision: spelled })).isAlreadyApplied,
    true,
  );
});

Deno.test("fields that an action does not have are refused, and so are missing ones", async () => {
  using workspace = new TempWorkspace();
  workspace.write("f.txt", "a\n");
  const code = "INVALID_ARGUMENT";
  await refused(workspace, [{ action: "create", path: "n.txt" }], { code });
  await refused(workspace, [{ action: "create", path: "n.txt", content: "x", revision: revision("x") }], { code });
  await refused(workspace, [{ action: "edit", path: "f.txt", revision: revision("a\n"), content: "x", edits: [] }], {
    code,
  });
  await refused(workspace, [{ action: "move", path: "f.txt", revision: revision("a\n") }], { code });
  await refused(workspace, [{ action: "delete", path: "f.txt", revision: revision("a\n"), destination: "g" }], {
    code,
  });
});

Deno.test("a path may occur once per call, whatever its spelling", async () => {
  using workspace = new TempWorkspace();
  workspace.write("f.txt", "a\n");
  await refused(workspace, [
    { action: "create", path: "n.txt", content: "x" },
    { action: "move", path: "f.txt", destination: "./n.txt", revision: revision("a\n") },
  ], { code: "INVALID_ARGUMENT", details: { path: "n.txt", change_indexes: [0, 1] } });
});

Deno.test("one bad change of several changes nothing", async () => {
  using workspace = new TempWorkspace();
  workspace.write("f.txt", "a\n");
  symlinkSync("f.txt", workspace.path("link.txt"));
  await refused(workspace, [
    { action: "create", path: "n.txt", content: "x" },
    { action: "delete", path: "none.txt", revision: revision("a\n") },
  ], { code: "NOT_FOUND", details: { change_index: 1 } });
  await refused(workspace, [
    { action: "create", path: "n.txt", content: "x" },
    { action: "write", path: "link.txt", content: "x" },
  ], { code: "SYMLINK_ESCAPE" });
  await refused(workspace, [
    { action: "move", path: "f.txt", destination: "link.txt", revision: revision("a\n") },
  ], { code: "SYMLINK_ESCAPE" });
  await refused(workspace, [], { code: "PATCH_FAILED" });
});

Deno.test("a file that is not UTF-8 can be moved and deleted but not edited", async () => {
  using workspace = new TempWorkspace();
  const bytes = new Uint8Array([0x61, 0x0a, 0xff, 0x0a]);
  workspace.write("b.bin", bytes);
  await refused(workspace, [
    { action: "edit", path: "b.bin", revision: revision(bytes), edits: [{ op: "delete", line: 1 }] },
  ], { code: "UNSUPPORTED_ENCODING", details: { byte_offset: 2 } });
  await apply(workspace, { action: "move", path: "b.bin", destination: "c.bin", revision: revision(bytes) });
  deepStrictEqual(workspace.bytes("c.bin"), bytes);
});

Deno.test("a file changed between reading and writing is a conflict and keeps the other's content", async () => {
  using workspace = new TempWorkspace();
  workspace.write("f.txt", "a\n");
  workspace.write("g.txt", "g\n");
  const engine = new PatchEngine({
    workspace: new Workspace(workspace.root),
    config: { runtimeRoot: null, environment: { XDG_STATE_HOME: join(workspace.parent, "state") } },
    // The journal is written after the files were read and before they are compared.
    beforeStep: (step) => step === "journal_write" && workspace.write("f.txt", "by hand\n"),
  });
  const changes: ChangeRequest[] = [
    { action: "write", path: "f.txt", revision: revision("a\n"), content: "A\n" },
    { action: "write", path: "g.txt", revision: revision("g\n"), content: "G\n" },
  ];
  await rejects(engine.applyChanges(changes, { dryRun: false }), { code: "PATCH_CONFLICT", retryable: true });
  strictEqual(workspace.read("f.txt"), "by hand\n");
  strictEqual(workspace.read("g.txt"), "g\n");
});

Deno.test("a file created by somebody else in the last moment is not overwritten", async () => {
  using workspace = new TempWorkspace();
  const engine = new PatchEngine({
    workspace: new Workspace(workspace.root),
    config: { runtimeRoot: null, environment: { XDG_STATE_HOME: join(workspace.parent, "state") } },
    beforeStep: (step) => step === "rename" && workspace.write("n.txt", "theirs\n"),
  });
  const created = engine.applyChanges([{ action: "create", path: "n.txt", content: "mine\n" }], { dryRun: false });
  await rejects(created, { code: "PATCH_CONFLICT" });
  deepStrictEqual(Object.keys(snapshot(workspace.root)), ["n.txt"]);
  strictEqual(workspace.read("n.txt"), "theirs\n");
});

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { ToolError } from "../../base/tool_error.ts";
import { snapshot } from "../../../tests/support/mixed_commit.ts";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { Workspace } from "../workspace/workspace.ts";
import type { ChangeReport } from "./change_report.ts";
import type { LineEdit } from "./line_edits.ts";
import { PatchEngine } from "./patch_engine.ts";
import type { ChangeRequest } from "./change_request.ts";

function engineOn(workspace: TempWorkspace): PatchEngine {
  return new PatchEngine({
    workspace: new Workspace(workspace.root),
    config: { runtimeRoot: null, environment: { XDG_STATE_HOME: join(workspace.parent, "state") } },
  });
}

function apply(workspace: TempWorkspace, ...changes: ChangeRequest[]): Promise<ChangeReport> {
  return engineOn(workspace).applyChanges(changes, { dryRun: false });
}

function revision(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

async function refused(
  workspace: TempWorkspace,
  changes: ChangeRequest[],
  expected: { code: string; details?: Record<string, unknown> },
): Promise<ToolError> {
  const before = snapshot(workspace.root);
  let seen: ToolError | undefined;
  await rejects(apply(workspace, ...changes), (fault: ToolError) => {
    seen = fault;
    strictEqual(fault.code, expected.code, fault.message);
    for (const [key, value] of Object.entries(expected.details ?? {})) deepStrictEqual(fault.details[key], value, key);
    return true;
  });
  deepStrictEqual(snapshot(workspace.root), before);
  return seen as ToolError;
}

interface EditCase {
  readonly name: string;
  readonly before: string;
  readonly edits: LineEdit[];
  readonly after: string;
  readonly counts?: string;
}

const EDITS: readonly EditCase[] = [
  {
    name: "one line is replaced",
    before: "a\nb\nc\n",
    edits: [{ op: "replace", start_line: 2, content: "B" }],
    after: "a\nB\nc\n",
    counts: "+1 -1 2-2",
  },
  {
    name: "line alone names one line",
    before: "a\nb\n",
    edits: [{ op: "replace", line: 2, content: "B" }],
    after: "a\nB\n",
  },
  {
    name: "a range is replaced by fewer lines",
    before: "a\nb\nc\n",
    edits: [{ op: "replace", start_line: 1, end_line: 2, content: "x" }],
    after: "x\nc\n",
  },
  {
    name: "a range is replaced by more lines",
    before: "a\nb\n",
    edits: [{ op: "replace", start_line: 1, content: "x\ny\nz" }],
    after: "x\ny\nz\nb\n",
  },
  {
    name: "empty content is no line",
    before: "a\nb\n",
    edits: [{ op: "replace", start_line: 1, content: "" }],
    after: "b\n",
    counts: "+0 -1 1-0",
  },
  {
    name: "a final newline in content adds a blank line",
    before: "a\nb\n",
    edits: [{ op: "replace", start_line: 1, content: "x\n" }],
    after: "x\n\nb\n",
  },
  {
    name: "lines are deleted",
    before: "a\nb\nc\n",
    edits: [{ op: "delete", start_line: 1, end_line: 2 }],
    after: "c\n",
  },
  {
    name: "insert_after 0 goes to the top",
    before: "a\n",
    edits: [{ op: "insert_after", line: 0, content: "x" }],
    after: "x\na\n",
  },
  {
    name: "insert_after the last line appends",
    before: "a\n",
    edits: [{ op: "insert_after", line: 1, content: "x" }],
    after: "a\nx\n",
  },
  {
    name: "insert_before total + 1 appends",
    before: "a\nb\n",
    edits: [{ op: "insert_before", line: 3, content: "x" }],
    after: "a\nb\nx\n",
  },
  {
    name: "start_line is an alias for line",
    before: "a\nb\n",
    edits: [{ op: "insert_before", start_line: 2, end_line: 2, content: "x" }],
    after: "a\nx\nb\n",
  },
  {
    name: "numbers are not shifted by other edits",
    before: "1\n2\n3\n4\n",
    edits: [{ op: "delete", line: 1 }, { op: "replace", line: 3, content: "three" }, {
      op: "insert_after",
      line: 4,
      content: "five",
    }],
    after: "2\nthree\n4\nfive\n",
  },
  {
    name: "edits may come in any order",
    before: "1\n2\n3\n",
    edits: [{ op: "replace", line: 3, content: "c" }, { op: "replace", line: 1, content: "a" }],
    after: "a\n2\nc\n",
  },
  {
    name: "an insertion at the edge of a replaced range lands beside it",
    before: "a\nb\nc\n",
    edits: [{ op: "replace", line: 2, content: "B" }, { op: "insert_before", line: 2, content: "x" }, {
      op: "insert_after",
      line: 2,
      content: "y",
    }],
    after: "a\nx\nB\ny\nc\n",
  },
  {
    name: "an unterminated file stays unterminated",
    before: "a\nb",
    edits: [{ op: "insert_after", line: 2, content: "c" }],
    after: "a\nb\nc",
  },
  {
    name: "an empty file gains a terminated line",
    before: "",
    edits: [{ op: "insert_after", line: 0, content: "x" }],
    after: "x\n",
  },
  {
    name: "CRLF in content is a line break like LF",
    before: "a\nb\n",
    edits: [{ op: "replace", line: 1, content: "x\r\ny" }],
    after: "x\ny\nb\n",
  },
  {
    name: "a lone carriage return in content is a character",
    before: "a\n",
    edits: [{ op: "replace", line: 1, content: "x\ry" }],
    after: "x\ry\n",
  },
  {
    name: "replaced lines keep their terminators and added ones take the one above",
    before: "one\r\ntwo\nthree\r\n",
    edits: [{ op: "replace", start_line: 1, content: "1\n1b" }, { op: "insert_after", line: 2, content: "2b" }],
    after: "1\r\n1b\r\ntwo\n2b\nthree\r\n",
  },
  {
    name: "a byte order mark stays in front of line 1",
    before: "\ufefftitle\r\nbody\r\n",
    edits: [{ op: "replace", line: 1, content: "t" }],
    after: "\ufefft\r\nbody\r\n",
  },
  {
    name: "form feed and line separators do not count as line ends",
    before: "a1\x0cpage\nb2\u2028sep\nc3\rd\nMARK here\n",
    edits: [{ op: "replace", line: 4, content: "DONE" }],
    after: "a1\x0cpage\nb2\u2028sep\nc3\rd\nDONE\n",
  },
  {
    name: "dollar sequences are literal",
    before: "total=0\n",
    edits: [{ op: "replace", line: 1, content: "$$ $& $1 $' $` ${x} \\1" }],
    after: "$$ $& $1 $' $` ${x} \\1\n",
  },
  {
    name: "only real differences are counted",
    before: "a\nb\nc\n",
    edits: [{ op: "replace", start_line: 1, end_line: 3, content: "a\nX\nc" }],
    after: "a\nX\nc\n",
    counts: "+1 -1 2-2",
  },
];

for (const { name, before, edits, after, counts } of EDITS) {
  Deno.test(`apply_changes edit: ${name}`, async () => {
    using workspace = new TempWorkspace();
    workspace.write("f.txt", before);
    const report = await apply(workspace, { action: "edit", path: "f.txt", revision: revision(before), edits });
    strictEqual(workspace.read("f.txt"), after);
    strictEqual(report.files[0]?.revision, revision(after));
    if (counts === undefined) return;
    const ranges = report.files[0]?.changedRanges?.map((range) => `${range.startLine}-${range.endLine}`).join();
    strictEqual(`+${report.additions} -${report.removals} ${ranges}`, counts);
  });
}

const BAD_EDITS: readonly (readonly [string, LineEdit[], string])[] = [
  ["end_line before start_line", [{ op: "replace", start_line: 2, end_line: 1, content: "x" }], "INVALID_ARGUMENT"],
  ["line that contradicts start_line", [{ op: "replace", start_line: 1, line: 2, content: "x" }], "INVALID_ARGUMENT"],
  ["line with another end_line", [{ op: "delete", line: 1, end_line: 2 }], "INVALID_ARGUMENT"],
  ["replace without content", [{ op: "replace", line: 1 }], "INVALID_ARGUMENT"],
  ["delete with content", [{ op: "delete", line: 1, content: "x" }], "INVALID_ARGUMENT"],
  ["insert without a line", [{ op: "insert_after", content: "x" }], "INVALID_ARGUMENT"],
  ["insert_before line 0", [{ op: "insert_before", line: 0, content: "x" }], "INVALID_ARGUMENT"],
  [
    "insert with two different lines",
    [{ op: "insert_after", line: 1, start_line: 2, content: "x" }],
    "INVALID_ARGUMENT",
  ],
  ["half a surrogate pair", [{ op: "replace", line: 1, content: "\ud83d" }], "INVALID_ARGUMENT"],
  [
    "two replacements of one line",
    [{ op: "replace", line: 1, content: "x" }, { op: "delete", line: 1 }],
    "PATCH_HUNKS_OVERLAP",
  ],
  ["two insertions at one point", [{ op: "insert_after", line: 1, content: "x" }, {
    op: "insert_before",
    line: 2,
    content: "y",
  }], "PATCH_HUNKS_OVERLAP"],
  ["an insertion inside a replaced range", [{ op: "replace", start_line: 1, end_line: 2, content: "x" }, {
    op: "insert_after",
    line: 1,
    content: "y",
  }], "PATCH_HUNKS_OVERLAP"],
];

for (const [name, edits, code] of BAD_EDITS) {
  Deno.test(`apply_changes refuses ${name}`, async () => {
    using workspace = new TempWorkspace();
    workspace.write("f.txt", "a\nb\n");
    await refused(workspace, [{ action: "edit", path: "f.txt", revision: revision("a\nb\n"), edits }], { code });
  });
}

Deno.test("a line past the end is a retryable INVALID_ARGUMENT that names the number of lines", async () => {
  using workspace = new TempWorkspace();
  workspace.write("f.txt", "a\nb");
  const edits: LineEdit[] = [{ op: "replace", start_line: 2, end_line: 3, content: "x" }];
  const fault = await refused(workspace, [{ action: "edit", path: "f.txt", revision: revision("a\nb"), edits }], {
    code: "INVALID_ARGUMENT",
    details: { total_lines: 2, requested: 3, edit_index: 0 },
  });
  strictEqual(fault.retryable, true);
});

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

/** `apply_patch` over the real protocol: arguments, results in both forms, and what a refusal tells. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { patchEnvelope as envelope } from "../support/patch_envelope.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const TWICE = "def a():\n    x = 1\n    y = 2\n\ndef b():\n    x = 1\n    y = 2\n";

Deno.test("apply_patch refuses arguments of the wrong kind by name", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root);
  const patch = envelope("*** Add File: a.txt", "+a");
  const cases: [Record<string, unknown>, RegExp][] = [
    [{}, /patch/],
    [{ patch: "" }, /patch/],
    [{ patch, dry_run: "true" }, /dry_run/],
    [{ patch, idempotency_key: "" }, /idempotency_key/],
    [{ patch, idempotency_key: "k".repeat(129) }, /idempotency_key/],
    [{ input: patch }, /input.*patch/s],
    [{ patch, revision: "x" }, /revision/],
  ];
  for (const [args, expected] of cases) {
    const { structuredContent, content } = await vise.call("apply_patch", args);
    strictEqual(structuredContent.error?.code, "INVALID_ARGUMENT", JSON.stringify(args));
    match(content[0]?.text ?? "", expected);
  }
  strictEqual(workspace.exists("a.txt"), false);
  const accepted = await vise.call("apply_patch", { patch, dry_run: null, idempotency_key: null });
  strictEqual(accepted.isError, false);
});

Deno.test("apply_patch answers the fields of the contract and the same facts as text", async () => {
  using workspace = new TempWorkspace();
  workspace.write("m.py", TWICE);
  workspace.write("old.txt", "o\n");
  await using vise = new ViseProcess(workspace.root);
  const { structuredContent: value, content } = await vise.call("apply_patch", {
    patch: envelope(
      "*** Update File: m.py",
      "@@ def b():",
      "-    x = 1",
      "+    x = 10",
      "*** Update File: old.txt",
      "*** Move to: new.txt",
      "*** Add File: added.txt",
      "+one",
    ),
  });
  const { revision, excerpt } = value.affected_files[0];
  deepStrictEqual(value, {
    ok: true,
    dry_run: false,
    clean: true,
    already_applied: false,
    revision_algorithm: "sha256",
    summary: "M m.py\nR old.txt -> new.txt\nA added.txt",
    affected_files: [
      {
        path: "m.py",
        operation: "update",
        revision,
        total_lines: 7,
        changed_ranges: [{ start_line: 6, end_line: 6, added_lines: 1, removed_lines: 1 }],
        match_quality: "exact",
        excerpt,
      },
      { path: "old.txt", operation: "delete", total_lines: 0 },
      {
        path: "new.txt",
        operation: "move",
        old_path: "old.txt",
        revision: value.affected_files[2].revision,
        total_lines: 1,
        changed_ranges: [{ start_line: 1, end_line: 1, added_lines: 1, removed_lines: 0 }],
        match_quality: "exact",
        excerpt: "1: o",
      },
      {
        path: "added.txt",
        operation: "add",
        revision: value.affected_files[3].revision,
        total_lines: 1,
        changed_ranges: [{ start_line: 1, end_line: 1, added_lines: 1, removed_lines: 0 }],
        match_quality: "exact",
      },
    ],
    additions: 2,
    removals: 1,
    warnings: [],
  });
  const lines = (content[0]?.text ?? "").split("\n");
  deepStrictEqual(lines.slice(0, 6), [
    "Patch applied to 4 file(s) (+2 -1).",
    "M m.py",
    "R old.txt -> new.txt",
    "A added.txt",
    `m.py: revision=${revision} total_lines=7 changed lines 6-6`,
    "4: ",
  ]);
});

Deno.test("apply_patch tells what the nearest place has where a hunk does not fit", async () => {
  using workspace = new TempWorkspace();
  workspace.write("m.py", TWICE);
  await using vise = new ViseProcess(workspace.root);
  const { structuredContent, content } = await vise.call("apply_patch", {
    patch: envelope("*** Update File: m.py", " def b():", "-    x = 3", "+    x = 4"),
  });
  const { code, details, retryable, category } = structuredContent.error;
  deepStrictEqual([code, category, retryable], ["PATCH_CONTEXT_NOT_FOUND", "validation", true]);
  deepStrictEqual(
    [details.path, details.hunk_index, details.match_count, details.total_lines, details.nearest_line],
    ["m.py", 0, 0, 7, 5],
  );
  deepStrictEqual(details.first_difference, { line: 6, expected: "    x = 3", actual: "    x = 1" });
  deepStrictEqual(details.next_action, { tool: "read_file", arguments: { path: "m.py", start_line: 1, end_line: 7 } });
  const text = content[0]?.text ?? "";
  match(text, /line 6 is " {4}x = 1" where the hunk has " {4}x = 3"/);
  match(text, /^5: def b\(\):$/m);
  match(text, /read_file\(path="m\.py", start_line=1, end_line=7\)/);
});

Deno.test("apply_patch names the places of an ambiguous hunk and the header that chooses one, and the header works", async () => {
  using workspace = new TempWorkspace();
  workspace.write("m.py", TWICE);
  await using vise = new ViseProcess(workspace.root);
  const hunk = ["-    x = 1", "+    x = 2"];
  const { structuredContent, content } = await vise.call("apply_patch", {
    patch: envelope("*** Update File: m.py", ...hunk),
  });
  const { code, details } = structuredContent.error;
  strictEqual(code, "PATCH_CONTEXT_AMBIGUOUS");
  deepStrictEqual([details.match_count, details.candidate_lines, details.match_quality], [2, [2, 6], "exact"]);
  deepStrictEqual(details.candidates.map((one: { scope: string }) => one.scope), ["def a():", "def b():"]);
  match(content[0]?.text ?? "", /@@ def a\(\): for line 2, @@ def b\(\): for line 6/);
  const chosen = await vise.call("apply_patch", {
    patch: envelope("*** Update File: m.py", `@@ ${details.candidates[1].scope}`, ...hunk),
  });
  deepStrictEqual(chosen.structuredContent.affected_files[0].changed_ranges[0].start_line, 6);
});

Deno.test("apply_patch gives the right form for what it cannot read", async () => {
  using workspace = new TempWorkspace();
  workspace.write("f.txt", "a\n");
  await using vise = new ViseProcess(workspace.root);
  const { structuredContent, content } = await vise.call("apply_patch", {
    patch: envelope("*** Update File: f.txt", "a", "+b"),
  });
  strictEqual(structuredContent.error.code, "PATCH_FAILED");
  strictEqual(structuredContent.error.details.line, 3);
  match(content[0]?.text ?? "", /line 3: a hunk line starts with .*\n.*\nRetry: Right form: " a" for a context line/);
});

Deno.test("apply_patch names the failing operation of several and changes nothing", async () => {
  using workspace = new TempWorkspace();
  workspace.write("a.txt", "a\n");
  workspace.write("b.txt", "b\n");
  await using vise = new ViseProcess(workspace.root);
  const { structuredContent } = await vise.call("apply_patch", {
    patch: envelope("*** Update File: a.txt", "-a", "+A", "*** Update File: b.txt", "-zzz", "+B"),
  });
  const { message, details } = structuredContent.error;
  match(message, /b\.txt.*\(operation 2, patch line 5\)/);
  deepStrictEqual([details.operation_index, details.operation, details.path], [1, "update", "b.txt"]);
  strictEqual(workspace.read("a.txt"), "a\n");
});

Deno.test("the second identical failure of apply_patch carries advice, and a change forgets it", async () => {
  using workspace = new TempWorkspace();
  workspace.write("a.txt", "a\n");
  await using vise = new ViseProcess(workspace.root);
  const wrong = { patch: envelope("*** Update File: a.txt", "-zzz", "+B") };
  strictEqual((await vise.call("apply_patch", wrong)).structuredContent.error.details.repeat_warning, undefined);
  const second = (await vise.call("apply_patch", wrong)).structuredContent.error.details;
  strictEqual(second.recent_identical_failures, 2);
  ok((await vise.call("apply_patch", { patch: envelope("*** Add File: b.txt", "+b") })).isError === false);
  strictEqual((await vise.call("apply_patch", wrong)).structuredContent.error.details.repeat_warning, undefined);
});

/** Every tool means the same by a line: LF ends it, and nothing else does (O-20). */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { patchEnvelope } from "../support/patch_envelope.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const HEAD = "a1\fpage\nb2\u2028sep\u0085\u2029\nc3\rd\r\n";

Deno.test("reading, searching, blaming, changing and patching count the same lines", async () => {
  using ws = new TempWorkspace();
  ws.write("f.txt", `${HEAD}MARK here\n`);
  ws.sh("git init -q; git config user.email a@example.com; git config user.name A; git add .; git commit -qm one");
  await using vise = new ViseProcess(ws.root);
  const { matches } = await vise.value("search_text", { query: "MARK", path: "f.txt" });
  deepStrictEqual([matches[0].line, matches[0].column], [4, 1]);
  const read = await vise.value("read_file", { path: "f.txt", start_line: 4, end_line: 4 });
  deepStrictEqual([read.content, read.total_lines], ["MARK here\n", 4]);
  const blamed = await vise.value("git_blame", { path: "f.txt" });
  deepStrictEqual(
    blamed.lines.map((line: { line: number; content: string }) => [line.line, line.content]),
    [[1, "a1\fpage"], [2, "b2\u2028sep\u0085\u2029"], [3, "c3\rd\r"], [4, "MARK here"]],
  );
  const edit = {
    action: "edit",
    path: "f.txt",
    revision: read.revision,
    edits: [{ op: "replace", line: 4, content: "DONE" }],
  };
  const changed = (await vise.value("apply_changes", { changes: [edit] })).affected_files[0];
  deepStrictEqual([changed.total_lines, changed.changed_ranges[0].start_line], [4, 4]);
  const patch = patchEnvelope("*** Update File: f.txt", " c3\rd", "-DONE", "+AGAIN", "+more");
  const patched = (await vise.value("apply_patch", { patch })).affected_files[0];
  deepStrictEqual([patched.changed_ranges[0].start_line, patched.changed_ranges[0].end_line], [4, 5]);
  strictEqual(ws.read("f.txt"), `${HEAD}AGAIN\nmore\n`);
  const { diff } = await vise.value("git_diff");
  strictEqual(diff.slice(diff.indexOf("@@")).split("\n")[0], "@@ -1,4 +1,5 @@");
});

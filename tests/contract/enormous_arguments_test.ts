/** Arguments of enormous length get an ordinary, small answer from every tool. */

import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { patchEnvelope } from "../support/patch_envelope.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const LONG = "n".repeat(300_000);
/** Thousands of directories, none of which exists. */
const DEEP = "d/".repeat(1_900) + "x";
const DEEPER = "d/".repeat(150_000) + "x";

function callsWith(path: string): [string, Record<string, unknown>][] {
  return [
    ["read_file", { path }],
    ["list_dir", { path }],
    ["list_files", { path }],
    ["list_files", { glob: path }],
    ["list_files", { exclude_patterns: [`{a,${path}`] }],
    ["search_text", { query: path }],
    ["search_text", { query: `(${path}`, regex: true }],
    ["search_text", { query: "a", path, include_globs: [path] }],
    ["apply_patch", { patch: path }],
    ["apply_patch", { patch: patchEnvelope(`*** Add File: ${path}`, "+x"), dry_run: true }],
    ["apply_patch", { patch: patchEnvelope("*** Add File: x", path) }],
    ["apply_patch", { patch: patchEnvelope("*** Update File: a", `@@ ${path}`, `-${path}`, "+x") }],
    ["apply_patch", { patch: "x", idempotency_key: path }],
    ["apply_changes", { changes: [{ action: "create", path, content: "x" }], dry_run: true }],
    ["apply_changes", { changes: [{ action: path, path: "x" }] }],
    ["apply_changes", { changes: [{ action: "write", path: "a", content: "x", revision: path }] }],
    ["exec_command", { cmd: "true", workdir: path }],
    ["read_output", { output_ref: path }],
    ["git_status", { path }],
    ["git_diff", { paths: [path, path] }],
    ["git_log", { ref: path }],
    ["git_log", { path }],
    ["git_show", { rev: `HEAD:${path}` }],
    ["git_blame", { path }],
    ["git_blame", { path: "a", rev: path }],
    ["view_image", { path }],
    ["workspace_guide", { path }],
    ["read_file", { path: "a", [path]: 1 }],
  ];
}

for (
  const [name, path] of [["long name", LONG], ["deep path", DEEP], ["deep path beyond any limit", DEEPER]] as const
) {
  Deno.test(`a ${name} in any argument gets a small answer that is no internal error`, async () => {
    using ws = new TempWorkspace();
    ws.sh(
      "git init -q; git config user.email a@example.com; git config user.name A; echo a > a; git add a; git commit -qm a",
    );
    await using vise = new ViseProcess(ws.root);
    for (const [tool, args] of callsWith(path)) {
      const { structuredContent, isError } = await vise.call(tool, args);
      const what = `${tool}(${Object.keys(args).join().slice(0, 60)})`;
      ok(JSON.stringify(structuredContent).length <= 65_536, what);
      if (isError) notStrictEqual(structuredContent.error.code, "INTERNAL_ERROR", what);
    }
    strictEqual(vise.stderr, "");
  });
}

Deno.test("enormous lines of an ignore file break nothing, and one that is cut makes no other rule", async () => {
  using ws = new TempWorkspace();
  ws.write(".gitignore", `out\n${"x".repeat(300_000)}\n*${"y".repeat(300_000)}\n`);
  // The first MiB of this one ends behind the star.
  ws.write("sub/.gitignore", `#${"c".repeat(1_048_573)}\n*.log\n`);
  for (const path of ["a.txt", "out/b.txt", "sub/c.txt"]) ws.write(path, "word\n");
  await using vise = new ViseProcess(ws.root);
  const { matches } = await vise.value("search_text", { query: "word" });
  deepStrictEqual(matches.map((match: { path: string }) => match.path), ["a.txt", "sub/c.txt"]);
  strictEqual((await vise.value("list_dir")).entries.length, 2);
});

import { strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { unifiedDiff } from "./unified_diff.ts";

function diff(before: string | null, after: string | null, contextLines = 3): Promise<string> {
  const bytes = (text: string | null) => text === null ? null : new TextEncoder().encode(text);
  return unifiedDiff({ path: "f.txt", bytes: bytes(before) }, { path: "f.txt", bytes: bytes(after) }, { contextLines });
}

Deno.test("unifiedDiff() writes hunks as diff -u does", async () => {
  strictEqual(await diff("a\nb\nc\n", "a\nB\nc\n"), "--- a/f.txt\n+++ b/f.txt\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
  strictEqual(await diff("a\nb\nc\n", "a\nc\n", 0), "--- a/f.txt\n+++ b/f.txt\n@@ -2 +1,0 @@\n-b\n");
  strictEqual(await diff("a\n", "a\n"), "");
  strictEqual(await diff(null, "x\n"), "--- /dev/null\n+++ b/f.txt\n@@ -0,0 +1 @@\n+x\n");
  strictEqual(await diff("x\n", null), "--- a/f.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
  strictEqual(await diff(null, ""), "--- /dev/null\n+++ b/f.txt\n");
});

Deno.test("unifiedDiff() shows a missing final newline and a changed line ending", async () => {
  strictEqual(
    await diff("a", "a\n"),
    "--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n",
  );
  strictEqual(await diff("a\r\n", "a\n"), "--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-a\r\n+a\n");
});

Deno.test("unifiedDiff() shows no bytes of what is no text", async () => {
  strictEqual(await diff("a\0b", "a\0c"), "Binary files a/f.txt and b/f.txt differ\n");
});

const hasGit = spawnSync("git", ["--version"]).status === 0;
if (!hasGit) console.log("ignored: git apply is not here to take our diffs");

Deno.test("git apply takes every diff and makes the new file of the old one", { ignore: !hasGit }, async () => {
  using workspace = new TempWorkspace();
  const line = fc.constantFrom("a", "b", "c", "", "  d", "e\r", "\u2028");
  const file = fc.tuple(fc.array(line, { maxLength: 25 }), fc.boolean()).map(([lines, isTerminated]) => {
    return lines.join("\n") + (isTerminated && lines.length > 0 ? "\n" : "");
  });
  await fc.assert(
    fc.asyncProperty(file, file, fc.nat(4), async (before, after, contextLines) => {
      // Without context git apply (2.39) takes the line feed before such a line away with it; patch(1) does not.
      fc.pre(contextLines > 0 || !before.endsWith("\r"));
      const text = await diff(before, after, contextLines);
      if (text === "") return strictEqual(before, after);
      workspace.write("f.txt", before);
      const args = ["apply", "--unidiff-zero", "--whitespace=nowarn", "-"];
      const { stderr } = spawnSync("git", args, { cwd: workspace.root, input: text, encoding: "utf8" });
      strictEqual(workspace.read("f.txt"), after, stderr + text);
    }),
    { numRuns: 60 },
  );
});

import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import type { ToolError } from "../../base/tool_error.ts";
import { checkRevision, splitPathRevision } from "./revision.ts";

Deno.test("checkRevision() accepts what gitrevisions(7) has and refuses what git could read as an option", () => {
  for (
    const good of [
      "HEAD",
      "main~2^2",
      "v1.0",
      "HEAD@{1 day ago}",
      ":/fix a bug",
      "HEAD^{/a b}",
      "HEAD:a b",
      "@{u}",
      ":0:x",
    ]
  ) {
    strictEqual(checkRevision(good, "rev"), good);
  }
  for (const bad of ["", " ", "-1", "--all", "HEAD --all", "a\nb", "a\0b", "a\rb"]) {
    throws(
      () => checkRevision(bad, "rev"),
      (fault: ToolError) => fault.code === "INVALID_ARGUMENT",
      JSON.stringify(bad),
    );
  }
});

Deno.test("splitPathRevision() finds the path after the first colon that is not part of a search", () => {
  const table: [string, { tree: string; path: string } | null][] = [
    ["HEAD:a/b", { tree: "HEAD:", path: "a/b" }],
    ["HEAD:", { tree: "HEAD:", path: "" }],
    [":a", { tree: ":", path: "a" }],
    [":2:a:b", { tree: ":2:", path: "a:b" }],
    ["HEAD^{/a:b}", null],
    ["HEAD^{/a:b}:c", { tree: "HEAD^{/a:b}:", path: "c" }],
    [":/text:more", null],
    ["HEAD@{12:30}", null],
    ["main", null],
  ];
  for (const [revision, parts] of table) deepStrictEqual(splitPathRevision(revision), parts, revision);
});

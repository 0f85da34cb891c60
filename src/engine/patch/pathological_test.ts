import { ok, strictEqual } from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "../../base/tool_error.ts";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { Workspace } from "../workspace/workspace.ts";
import { PatchEngine } from "./patch_engine.ts";

/** A guard against hanging, not a measurement: what is promised is 2 s, and coverage counters take fifteen times as long. */
const HANG_GUARD_MS = 120_000;

const EQUAL = "same line\n".repeat(100_000);
const FUNCTIONS = Array.from({ length: 2_000 }, (_, i) => {
  return `def fn_${i}(a):\n${"    value = a + 1\n".repeat(48)}    return a\n`;
}).join("");
const DISTINCT = Array.from({ length: 100_000 }, (_, i) => `line number ${i} has text\n`).join("");
const NESTED = Array.from({ length: 100_000 }, (_, i) => `${" ".repeat(i % 200)}x\n`).join("");
const AMBIGUOUS = "PATCH_CONTEXT_AMBIGUOUS";
const NOT_FOUND = "PATCH_CONTEXT_NOT_FOUND";

const CASES: readonly { name: string; file: string; hunks: string; expected: string }[] = [
  { name: "100,000 equal lines and one hunk", file: EQUAL, hunks: "-same line\n+x\n", expected: AMBIGUOUS },
  {
    name: "100,000 equal lines and 2,000 hunks",
    file: EQUAL,
    hunks: "@@\n-same line\n+x\n".repeat(2_000),
    expected: AMBIGUOUS,
  },
  {
    name: "2,000 hunks under a scope that is everywhere",
    file: EQUAL,
    hunks: "@@ same\n-same line\n+x\n".repeat(2_000),
    expected: AMBIGUOUS,
  },
  {
    name: "a hunk of half of the equal lines",
    file: EQUAL,
    hunks: `${" same line\n".repeat(50_000)}+x\n`,
    expected: AMBIGUOUS,
  },
  {
    name: "a hunk of half of the equal lines at the end",
    file: EQUAL,
    hunks: `${" same line\n".repeat(50_000)}+x\n*** End of File\n`,
    expected: "ok",
  },
  {
    name: "a hunk of half of the equal lines with other indentation",
    file: EQUAL,
    hunks: `${"   same line\n".repeat(50_000)}+x\n`,
    expected: AMBIGUOUS,
  },
  {
    name: "a hunk that breaks off after half of the equal lines",
    file: EQUAL,
    hunks: `${" same line\n".repeat(50_000)}-zz\n`,
    expected: NOT_FOUND,
  },
  {
    name: "2,000 hunks at the end of the file",
    file: EQUAL,
    hunks: "@@\n same line\n+x\n*** End of File\n".repeat(2_000),
    expected: "ok",
  },
  {
    name: "twenty nested scopes that are everywhere",
    file: EQUAL,
    hunks: `${"@@ same\n".repeat(20)}-same line\n+x\n`,
    expected: NOT_FOUND,
  },
  {
    name: "four scopes that are on each of a million lines",
    file: "abcd\n".repeat(1_000_001),
    hunks: [..."abcd"].map((scope) => `@@ ${scope}\n-x\n+y\n`).join(""),
    expected: "PATCH_FAILED",
  },
  { name: "scopes at 200 depths", file: NESTED, hunks: "@@ x\n-       x\n+y\n", expected: AMBIGUOUS },
  {
    name: "2,000 functions with a scoped hunk each",
    file: FUNCTIONS,
    hunks: Array.from({ length: 2_000 }, (_, i) => `@@ def fn_${i}(a):\n-    return a\n+    return b\n`).join(""),
    expected: "ok",
  },
  {
    name: "2,000 hunks in 100,000 lines",
    file: DISTINCT,
    hunks: Array.from({ length: 2_000 }, (_, i) => `@@\n-line number ${i * 50} has text\n+changed\n`).join(""),
    expected: "ok",
  },
  {
    name: "2,000 hunks that need the indentation grade",
    file: DISTINCT.replaceAll(/^/gm, "  "),
    hunks: Array.from({ length: 2_000 }, (_, i) => `@@\n-line number ${i * 50} has text\n+changed\n`).join(""),
    expected: "ok",
  },
  {
    name: "1,000 lines that are scattered over the file",
    file: DISTINCT,
    hunks: Array.from({ length: 1_000 }, (_, i) => ` line number ${i * 3} has text\n`).join(""),
    expected: NOT_FOUND,
  },
  { name: "a line of 20 MB", file: `${"x".repeat(20_000_000)}\ny\n`, hunks: "-y\n+z\n", expected: "ok" },
  {
    name: "long runs of blanks inside of lines",
    file: `${" ".repeat(50_000)}a${" ".repeat(50_000)}b\n`.repeat(20),
    hunks: "@@ q\n-a\n+b\n",
    expected: NOT_FOUND,
  },
];

for (const { name, file, hunks, expected } of CASES) {
  Deno.test(`locating does not hang: ${name}`, async () => {
    using workspace = new TempWorkspace("work", existsSync("/dev/shm") ? "/dev/shm" : undefined);
    workspace.write("f.txt", file);
    const engine = new PatchEngine({
      workspace: new Workspace(workspace.root),
      config: { runtimeRoot: null, environment: { XDG_STATE_HOME: join(workspace.parent, "state") } },
    });
    const startedAt = performance.now();
    const patch = `*** Begin Patch\n*** Update File: f.txt\n${hunks}*** End Patch\n`;
    const outcome = await engine.applyPatch(patch, { dryRun: false }).then(() => "ok", (fault) => {
      return fault instanceof ToolError ? fault.code : String(fault);
    });
    strictEqual(outcome, expected);
    ok(performance.now() - startedAt < HANG_GUARD_MS);
  });
}

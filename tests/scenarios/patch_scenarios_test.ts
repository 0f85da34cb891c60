/**
 * Runs every folder of `tests/scenarios/patch`. A folder holds data only:
 *
 * - `input/` the workspace before, `patch.txt` the patch;
 * - `expected/` the whole workspace after, or only `expected/error.json` (`code`, a part of the `message`, some `details`):
 *   then the workspace must not have changed;
 * - `result.json`, where more than the files matters: `summary`, `additions`, `removals`, number of `files`,
 *   `already_applied`, parts of `warnings`, `no_warnings`, and per path `ranges`, `operations`, match `quality`.
 */

import { deepStrictEqual, fail, ok, strictEqual } from "node:assert/strict";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolError } from "../../src/base/tool_error.ts";
import type { ChangeReport } from "../../src/engine/patch/change_report.ts";
import { PatchEngine } from "../../src/engine/patch/patch_engine.ts";
import { Workspace } from "../../src/engine/workspace/workspace.ts";
import { snapshot } from "../support/mixed_commit.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

const FOLDER = fileURLToPath(new URL("./patch/", import.meta.url));

interface ExpectedError {
  readonly code: string;
  readonly message?: string;
  readonly details?: Record<string, unknown>;
}

interface ExpectedResult {
  readonly summary?: string[];
  readonly additions?: number;
  readonly removals?: number;
  readonly files?: number;
  readonly already_applied?: boolean;
  readonly warnings?: string[];
  readonly no_warnings?: boolean;
  readonly ranges?: Record<string, string>;
  readonly operations?: Record<string, string>;
  readonly quality?: Record<string, string>;
}

Deno.test("there are at least 120 patch scenarios", () => {
  ok(readdirSync(FOLDER).length >= 120);
});

for (const name of readdirSync(FOLDER).sort()) {
  Deno.test(`patch scenario ${name}`, async () => {
    using workspace = new TempWorkspace();
    const folder = join(FOLDER, name);
    if (existsSync(join(folder, "input"))) cpSync(join(folder, "input"), workspace.root, { recursive: true });
    const before = contents(workspace.root);
    const engine = new PatchEngine({
      workspace: new Workspace(workspace.root),
      config: { runtimeRoot: null, environment: { XDG_STATE_HOME: join(workspace.parent, "state") } },
    });
    const patch = readFileSync(join(folder, "patch.txt"), "utf8");
    const outcome = await engine.applyPatch(patch, { dryRun: false }).catch((fault: unknown) => fault);
    const expectedError = readJson<ExpectedError>(join(folder, "expected", "error.json"));
    if (expectedError !== null) {
      checkError(outcome, expectedError);
      deepStrictEqual(contents(workspace.root), before);
      return;
    }
    if (outcome instanceof Error) fail(`${outcome.message} ${JSON.stringify((outcome as ToolError).details)}`);
    deepStrictEqual(contents(workspace.root), contents(join(folder, "expected")));
    checkResult(outcome as ChangeReport, readJson<ExpectedResult>(join(folder, "result.json")) ?? {});
  });
}

function checkError(outcome: unknown, expected: ExpectedError): void {
  ok(outcome instanceof ToolError, `expected ${expected.code}, got ${JSON.stringify(outcome)}`);
  strictEqual(outcome.code, expected.code, outcome.message);
  if (expected.message !== undefined) ok(outcome.message.includes(expected.message), outcome.message);
  for (const [key, value] of Object.entries(expected.details ?? {})) {
    deepStrictEqual(outcome.details[key], value, `details.${key}: ${JSON.stringify(outcome.details)}`);
  }
}

function checkResult(report: ChangeReport, expected: ExpectedResult): void {
  if (expected.summary !== undefined) deepStrictEqual(report.summary, expected.summary);
  if (expected.additions !== undefined) strictEqual(report.additions, expected.additions);
  if (expected.removals !== undefined) strictEqual(report.removals, expected.removals);
  if (expected.files !== undefined) strictEqual(report.files.length, expected.files);
  if (expected.already_applied !== undefined) strictEqual(report.isAlreadyApplied, expected.already_applied);
  if (expected.no_warnings === true) deepStrictEqual(report.warnings, []);
  for (const part of expected.warnings ?? []) {
    ok(report.warnings.some((warning) => warning.includes(part)), `${part} not in ${JSON.stringify(report.warnings)}`);
  }
  const byPath = new Map(report.files.map((file) => [file.path, file]));
  for (const [path, ranges] of Object.entries(expected.ranges ?? {})) {
    const seen = byPath.get(path)?.changedRanges?.map((range) => `${range.startLine}-${range.endLine}`).join(", ");
    strictEqual(seen, ranges);
  }
  for (const [path, operation] of Object.entries(expected.operations ?? {})) {
    strictEqual(byPath.get(path)?.operation, operation);
  }
  for (const [path, quality] of Object.entries(expected.quality ?? {})) {
    strictEqual(byPath.get(path)?.matchQuality, quality);
  }
}

/** Files only: git keeps neither empty directories nor modes other than the executable bit. */
function contents(directory: string): Record<string, string> {
  if (!existsSync(directory)) return {};
  const entries = Object.entries(snapshot(directory)).filter(([path]) => !path.endsWith("/"));
  return Object.fromEntries(entries.map(([path, value]) => [path, value.slice(value.indexOf(" ") + 1)]));
}

function readJson<T>(path: string): T | null {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) as T : null;
}

/**
 * Random damage to patches and files: no crash, no hang, no half change.
 *
 * A second or two in the normal run; `VISE_FUZZ_SECONDS=600 deno test -A tests/fuzz` for longer. The seed is printed when
 * something is found, and `VISE_FUZZ_SEED` starts from it.
 */

import { deepStrictEqual, ok } from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ERROR_CODES } from "../../src/base/error_codes.ts";
import { ToolError } from "../../src/base/tool_error.ts";
import { PatchEngine } from "../../src/engine/patch/patch_engine.ts";
import { parsePatch } from "../../src/engine/patch/parse_patch.ts";
import { Workspace } from "../../src/engine/workspace/workspace.ts";
import { snapshot } from "../support/mixed_commit.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

const SECONDS = Number(Deno.env.get("VISE_FUZZ_SECONDS") ?? "2");
const SEED = Number(Deno.env.get("VISE_FUZZ_SEED") ?? `${Date.now() % 1_000_000_007}`);
/** No single input may take longer, however loaded the machine is. */
const HANG_GUARD_MS = 10_000;

/** A small generator of random numbers (mulberry32), so that a seed repeats a run. */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }
}

const FILE_LINES = [
  "a",
  "b",
  "",
  "  a",
  "\ta",
  "}",
  "{",
  "def f():",
  "    return a",
  "a ",
  "\u00a0a",
  "*** x",
  "@@",
  "é\u2028",
];
const PATCH_LINES = [
  "*** Begin Patch",
  "*** End Patch",
  "*** Update File: f.txt",
  "*** Update File: g.txt",
  "*** Add File: new/h.txt",
  "*** Delete File: g.txt",
  "*** Move to: moved.txt",
  "*** End of File",
  "*** Unknown",
  "@@",
  "@@ def f():",
  "@@ -1,2 +1,2 @@",
  "@@ a @@",
  "",
  "\\ No newline at end of file",
  "```",
  "--- a/f.txt",
  "+++ b/f.txt",
];

function randomFile(random: Random): string {
  const lines = Array.from({ length: random.below(12) }, () => random.of(FILE_LINES));
  return lines.map((line) => line + random.of(["\n", "\n", "\n", "\r\n"])).join("") + random.of(["", "", "end"]);
}

function randomPatch(random: Random, file: string): string {
  const lines = file.split("\n");
  const body = ["*** Begin Patch", "*** Update File: f.txt"];
  for (let i = random.below(14); i >= 0; i--) {
    const roll = random.below(10);
    if (roll < 1) body.push(random.of(PATCH_LINES));
    else if (roll < 6) body.push(random.of([" ", "-", "+"]) + random.of(lines));
    else body.push(random.of([" ", "-", "+", ""]) + random.of(FILE_LINES));
  }
  body.push("*** End Patch", "");
  for (let damage = random.below(3); damage > 0; damage--) {
    const at = random.below(body.length);
    if (random.below(2) === 0) body.splice(at, 1);
    else body.splice(at, 0, body[random.below(body.length)] as string);
  }
  const text = body.join(random.of(["\n", "\n", "\r\n"]));
  if (random.below(8) > 0) return text;
  const at = random.below(text.length + 1);
  return text.slice(0, at) + String.fromCharCode(random.below(0x3000)) + text.slice(at + random.below(4));
}

Deno.test(`random patches of random files end in a whole change or a named error (seed ${SEED})`, async () => {
  using workspace = new TempWorkspace("work", existsSync("/dev/shm") ? "/dev/shm" : undefined);
  const engine = new PatchEngine({
    workspace: new Workspace(workspace.root),
    config: { runtimeRoot: null, environment: { XDG_STATE_HOME: join(workspace.parent, "state") } },
  });
  const until = performance.now() + SECONDS * 1_000;
  let round = 0;
  const counts = { changed: 0, refused: 0 };
  for (; performance.now() < until; round++) {
    const random = new Random(SEED + round);
    workspace.sh("rm -rf ./*");
    for (let inner = 0; inner < 50 && performance.now() < until; inner++) {
      workspace.write("f.txt", randomFile(random));
      workspace.write("g.txt", randomFile(random));
      const patch = randomPatch(random, workspace.read("f.txt"));
      const before = snapshot(workspace.root);
      const startedAt = performance.now();
      const fault = await engine.applyPatch(patch, { dryRun: false }).then(() => null, (thrown: unknown) => thrown);
      const context = `VISE_FUZZ_SEED=${SEED + round}, input ${inner}: ${JSON.stringify({ before, patch })}`;
      ok(performance.now() - startedAt < HANG_GUARD_MS, context);
      const after = snapshot(workspace.root);
      deepStrictEqual(Object.keys(after).filter((name) => name.includes(".vise-")), [], context);
      if (fault === null) {
        counts.changed++;
        continue;
      }
      counts.refused++;
      ok(
        fault instanceof ToolError && fault.code in ERROR_CODES && fault.code !== "INTERNAL_ERROR",
        `${fault} ${context}`,
      );
      deepStrictEqual(after, before, context);
    }
  }
  ok(counts.changed > 0 && counts.refused > 0, JSON.stringify(counts));
});

Deno.test(`the parser refuses random text with a line number or accepts it (seed ${SEED})`, () => {
  const until = performance.now() + SECONDS * 250;
  for (let round = 0; performance.now() < until; round++) {
    const random = new Random(SEED + round);
    const text = Array.from({ length: random.below(30) }, () => {
      return random.of([...PATCH_LINES, ...PATCH_LINES, ...FILE_LINES]) + random.of(["", "", "", " ", "x"]);
    }).join("\n");
    try {
      ok(parsePatch(`${random.of(["", "*** Begin Patch\n"])}${text}`).operations.length > 0);
    } catch (fault) {
      ok(fault instanceof ToolError && fault.code === "PATCH_FAILED", `${fault} VISE_FUZZ_SEED=${SEED + round}`);
      ok(typeof fault.details["line"] === "number" || fault.message.includes("No files were modified"));
      ok(typeof fault.details["retry_hint"] === "string");
    }
  }
});

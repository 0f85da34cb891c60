/**
 * Applies the patch on standard input and kills itself with SIGKILL before a step of the commit.
 *
 * Arguments: workspace, state home, and when to die: a step number counted from 0, or `<step>:<nth>`, or `never`. With
 * `never` the number of steps is printed.
 */

import { readFileSync } from "node:fs";
import process from "node:process";
import { PatchEngine } from "../../src/engine/patch/patch_engine.ts";
import { Workspace } from "../../src/engine/workspace/workspace.ts";

const [root, stateHome, when] = process.argv.slice(2) as [string, string, string];
const [wantedStep, nth] = when.includes(":") ? when.split(":") as [string, string] : [null, null];
let steps = 0;
let matching = 0;
const engine = new PatchEngine({
  workspace: new Workspace(root),
  config: { runtimeRoot: null, environment: { XDG_STATE_HOME: stateHome } },
  beforeStep: (step) => {
    const isTime = wantedStep === null ? steps === Number(when) : step === wantedStep && matching++ === Number(nth);
    steps++;
    if (isTime) process.kill(process.pid, "SIGKILL");
  },
});
await engine.applyPatch(readFileSync(0, "utf8"), { dryRun: false });
process.stdout.write(`${steps}\n`);

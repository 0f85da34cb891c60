/** The main job end to end: the demo's repair must succeed, step by step, with the program under test. */

import { match, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { REPOSITORY } from "../support/server_command.ts";

Deno.test("an agent repairs a real repository through the official client", () => {
  const ended = spawnSync(Deno.execPath(), ["run", "--quiet", "-A", `${REPOSITORY}demo/demo.ts`], {
    encoding: "utf8",
    env: { ...Deno.env.toObject(), NO_COLOR: "1" },
  });
  strictEqual(ended.status, 0, ended.stdout + ended.stderr);
  match(ended.stdout, /PATCH_CONTEXT_AMBIGUOUS/);
  match(ended.stdout, /The bug is repaired and the tests pass\. 17 calls/);
});

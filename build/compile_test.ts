import { ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "../tests/support/server_command.ts";
import { SMALL_HEAP } from "./compile.ts";

// main.ts imports nothing before it has explained a missing read permission, so it names the flags itself.
for (const place of ["main.ts", "deno.json", "docs/limits.md"]) {
  Deno.test(`${place} names the bounds of the heap that the executable is built with`, () => {
    ok(readFileSync(join(REPOSITORY, place), "utf8").includes(SMALL_HEAP));
  });
}

/** Files are changed without FFI and without knowing the user, where only reading, writing and the environment are granted. */

import { match, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { REPOSITORY } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

const PATCH = "*** Begin Patch\n*** Update File: a.txt\n-a\n+A\n*** Add File: d/b.txt\n+b\n*** End Patch\n";

function callWith(permissions: readonly string[], workspace: TempWorkspace): { text: string; code: number | null } {
  const { stdout, stderr, status } = spawnSync(
    Deno.execPath(),
    [
      ...["run", "--quiet", "--no-prompt", ...permissions, `${REPOSITORY}main.ts`],
      ...["call", "apply_patch", JSON.stringify({ patch: PATCH }), "--workspace", workspace.root],
    ],
    {
      encoding: "utf8",
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        HOME: workspace.parent,
        DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
      },
    },
  );
  return { text: stdout + stderr, code: status };
}

Deno.test("a patch is applied with reading, writing and the environment alone", () => {
  using workspace = new TempWorkspace();
  workspace.write("a.txt", "a\n");
  const { text, code } = callWith(["--allow-read", "--allow-write", "--allow-env"], workspace);
  strictEqual(code, 0, text);
  strictEqual(workspace.read("a.txt") + workspace.read("d/b.txt"), "A\nb\n");
});

Deno.test("without a place for the lock nothing is written, and the error names the places", () => {
  using workspace = new TempWorkspace();
  workspace.write("a.txt", "a\n");
  const { text, code } = callWith(["--allow-read", `--allow-write=${workspace.root}`, "--allow-env"], workspace);
  strictEqual(code, 1, text);
  match(text, /^RUNTIME_DIR_UNWRITABLE: .*tried .*\.local\/state\/vise.* and /m);
  strictEqual(workspace.read("a.txt"), "a\n");
});

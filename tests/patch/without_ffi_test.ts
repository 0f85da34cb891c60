/** Files are changed without FFI and without knowing the user, where only reading, writing and the environment are granted. */

import { match, ok, strictEqual } from "node:assert/strict";
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

Deno.test("without a place for the lock nothing is written; the error names the places and the flags, which suffice", () => {
  using workspace = new TempWorkspace();
  workspace.write("a.txt", "a\n");
  let permissions = ["--allow-read=" + [workspace.root, REPOSITORY], "--allow-write=" + workspace.root, "--allow-env"];
  for (let turn = 0; turn < 3; turn++) {
    const { text, code } = callWith(permissions, workspace);
    if (code === 0) break;
    strictEqual(code, 1, text);
    match(text, /^RUNTIME_DIR_UNWRITABLE: .*tried .*\.local\/state\/vise.* and /m);
    strictEqual(workspace.read("a.txt"), "a\n");
    const named = /^Retry: .* can add (--allow-.*)$/m.exec(text)?.[1]?.split(" ") ?? [];
    ok(named.length > 0 && turn < 2, text);
    // A flag given twice counts once, with the places of the last.
    permissions = permissions.map((flag) => {
      const added = named.find((one) => one.split("=")[0] === flag.split("=")[0]);
      return added === undefined ? flag : `${flag},${added.split("=")[1]}`;
    });
  }
  strictEqual(workspace.read("a.txt"), "A\n");
});

Deno.test("a workspace that was not granted for writing is told as that, with the flag", () => {
  using workspace = new TempWorkspace();
  workspace.write("a.txt", "a\n");
  const { text, code } = callWith(
    ["--allow-read", `--allow-write=${workspace.parent}/.local`, "--allow-env"],
    workspace,
  );
  strictEqual(code, 1, text);
  match(text, /^IO_ERROR: Cannot .*: the server was started without --allow-write for it$/m);
  strictEqual(workspace.read("a.txt"), "a\n");
});

/** No change by a file tool gives git something to run in a repository that lies in the workspace (O-26). */

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { patchEnvelope as envelope } from "../support/patch_envelope.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const BARE = "git init -q --bare b.git; git init -q --separate-git-dir=meta tree; mkdir plain";

Deno.test("hooks and configuration of bare and separate git directories are not changed by any action", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${BARE}; echo x > plain/x`);
  const before = ws.sh("find . -type f | sort | xargs cat | cksum");
  await using vise = new ViseProcess(ws.root);
  const { revision } = await vise.value("read_file", { path: "plain/x" });
  const config = await vise.value("read_file", { path: "b.git/config" });
  const changes: Record<string, unknown>[] = [
    { action: "create", path: "b.git/hooks/post-update", content: "#!/bin/sh\n" },
    { action: "write", path: "b.git/config", content: "[core]\n", revision: config.revision },
    { action: "delete", path: "b.git/config", revision: config.revision },
    { action: "move", path: "plain/x", destination: "meta/hooks/pre-commit", revision },
    { action: "copy", path: "plain/x", destination: "meta/info/attributes", revision },
  ];
  for (const change of changes) {
    const error = await vise.failure("apply_changes", { changes: [change] });
    strictEqual(error.code, "PERMISSION_REQUIRED", JSON.stringify(change));
    match(error.message, /git directory (b\.git|meta), whose files can run programs/);
  }
  const patches = [
    ["*** Add File: b.git/hooks/update", "+x"],
    ["*** Update File: plain/x", "*** Move to: meta/hooks/x", "-x", "+y"],
    [
      "*** Add File: plain/HEAD",
      "+ref: refs/heads/main",
      "*** Add File: plain/objects/a",
      "+",
      "*** Add File: plain/refs/a",
      "+",
    ],
  ];
  for (const lines of patches) {
    strictEqual((await vise.failure("apply_patch", { patch: envelope(...lines) })).code, "PERMISSION_REQUIRED");
  }
  strictEqual(ws.sh("find . -type f | sort | xargs cat | cksum"), before);
});

Deno.test("working trees inside a bare repository are edited like any other", async () => {
  using ws = new TempWorkspace();
  ws.sh(`git init -q src; cd src; git config user.email a@example.com; git config user.name A; mkdir hooks config
    echo h > hooks/h; echo c > config/c; git add .; git commit -qm one; cd ..
    git clone -q --bare src bare; rm -r src; cd bare; git worktree add -q ../tree 2>/dev/null; git worktree add -q main2`);
  await using vise = new ViseProcess(ws.root);
  for (const path of ["bare/main2/hooks/h", "tree/hooks/h"]) {
    await vise.value("apply_patch", { patch: envelope(`*** Update File: ${path}`, "-h", "+H") });
    strictEqual(ws.read(path), "H\n");
  }
  const status = await vise.value("git_status", { path: "bare/main2" });
  deepStrictEqual(status.entries.map((entry: { path: string }) => entry.path), ["bare/main2/hooks/h"]);
});

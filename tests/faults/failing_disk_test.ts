/** Faults of the disk and of the place are told as what they are, and nothing is left half done. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const canMount = Deno.build.os === "linux" && Deno.uid() === 0 && mountWorks();
if (!canMount) console.warn("ignored: file systems that are full or read-only cannot be mounted here");

Deno.test({
  name: "a full disk refuses a change of several files as a whole, and what the server itself needs by name",
  ignore: !canMount,
  async fn() {
    using ws = new TempWorkspace();
    ws.sh("mkdir m ../t; mount -t tmpfs -o size=256k none m; mount -t tmpfs -o size=64k none ../t");
    try {
      const env = { TMPDIR: `${ws.parent}/t` };
      await using vise = new ViseProcess(ws.root, { env, home: `${ws.parent}/t` });
      const changes = [
        { action: "create", path: "small.txt", content: "x" },
        { action: "create", path: "m/large.txt", content: "x".repeat(300_000) },
      ];
      const full = await vise.failure("apply_changes", { changes });
      deepStrictEqual([full.code, full.retryable, full.details.errno], ["IO_ERROR", true, "ENOSPC"]);
      deepStrictEqual([readdirSync(ws.root), readdirSync(ws.path("m"))], [["m"], []]);
      ws.sh("cat /dev/zero > ../t/fill 2> /dev/null || true");
      const command = await vise.failure("exec_command", { cmd: "true" });
      deepStrictEqual([command.code, command.details.errno], ["IO_ERROR", "ENOSPC"], command.message);
    } finally {
      ws.sh("umount m; umount ../t");
    }
  },
});

Deno.test({
  name: "a read-only directory refuses every write as what it is, with nothing to roll back",
  ignore: !canMount,
  async fn() {
    using ws = new TempWorkspace();
    ws.sh("mkdir r; echo a > r/a.txt; mount --bind r r; mount -o remount,ro,bind r");
    try {
      await using vise = new ViseProcess(ws.root);
      const revision = (await vise.value("read_file", { path: "r/a.txt" })).revision;
      for (
        const change of [
          { action: "write", path: "r/a.txt", revision, content: "b" },
          { action: "create", path: "r/new.txt", content: "b" },
          { action: "delete", path: "r/a.txt", revision },
        ]
      ) {
        const changes = [change, { action: "create", path: "beside.txt", content: "x" }];
        for (const list of [[change], changes]) {
          const { code, message, details } = await vise.failure("apply_changes", { changes: list });
          deepStrictEqual([code, details.errno], ["IO_ERROR", "EROFS"], message);
        }
      }
      ok(!ws.exists("beside.txt"));
    } finally {
      ws.sh("umount r");
    }
  },
});

Deno.test("when the workspace is removed under the server every tool says so, and none calls it a bug", async () => {
  using ws = new TempWorkspace();
  ws.write("a.txt", "a\n");
  await using vise = new ViseProcess(ws.root);
  strictEqual((await vise.value("read_file", { path: "a.txt" })).content, "a\n");
  rmSync(ws.root, { recursive: true });
  const calls: [string, Record<string, unknown>][] = [
    ["read_file", { path: "a.txt" }],
    ["list_dir", {}],
    ["list_files", {}],
    ["search_text", { query: "a" }],
    ["exec_command", { cmd: "true" }],
    ["apply_changes", { changes: [{ action: "create", path: "b.txt", content: "b" }] }],
  ];
  for (const [tool, args] of calls) {
    const { code } = await vise.failure(tool, args);
    match(code, /^(NOT_FOUND|IO_ERROR|SANDBOX_UNAVAILABLE)$/, tool);
  }
  strictEqual((await vise.value("server_info")).workspace, ws.root);
});

function mountWorks(): boolean {
  using ws = new TempWorkspace();
  try {
    ws.sh("mkdir m; mount -t tmpfs none m; umount m");
    return true;
  } catch {
    // Not permitted in this container.
    return false;
  }
}

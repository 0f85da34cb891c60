/** A command that may connect at all can reach Unix sockets by path on older kernels; its result says so. */

import { strictEqual } from "node:assert/strict";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

Deno.test("the result says where Unix sockets by path stay reachable, and only there", async () => {
  using ws = new TempWorkspace();
  for (const [network, told] of [["none", false], ["open", true]] as const) {
    await using vise = new ViseProcess(ws.root, { flags: ["--permission-mode", "trusted", "--network", network] });
    const { sandbox } = await vise.value("exec_command", { cmd: "true" });
    const kernelRefuses = sandbox.abi !== null && sandbox.abi >= 9;
    strictEqual(sandbox.unix_sockets, told && !kernelRefuses ? "reachable" : undefined, network);
  }
});

/** Flags that change what `tools/list` offers and what results carry. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { ListedTool } from "../../src/catalog/listing.ts";
import { LISTING } from "../../src/catalog/listing_data.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const whole = JSON.parse(LISTING) as ListedTool[];

async function listed(vise: ViseProcess): Promise<Partial<ListedTool>[]> {
  return (await vise.request("tools/list")).result.tools;
}

Deno.test("--enable-view-image=off takes view_image from the list, and a call of it is one of an unknown tool", async () => {
  using ws = new TempWorkspace();
  await using vise = new ViseProcess(ws.root, { flags: ["--enable-view-image=off"] });
  deepStrictEqual(await listed(vise), whole.filter(({ name }) => name !== "view_image"));
  const { error } = await vise.request("tools/call", { name: "view_image", arguments: { path: "a.png" } });
  strictEqual(error?.data?.["reason"], "unknown_tool");
  ok(!(error?.data?.["tools"] as string[]).includes("view_image"));
});

Deno.test("--structured off gives results of text only, and no output schema that would ask for more", async () => {
  using ws = new TempWorkspace();
  ws.write("a.txt", "one\n");
  await using vise = new ViseProcess(ws.root, { flags: ["--structured", "off"] });
  deepStrictEqual(await listed(vise), whole.map(({ outputSchema: _, ...rest }) => rest));
  const read = await vise.call("read_file", { path: "a.txt" });
  strictEqual(read.structuredContent, undefined);
  match(ViseProcess.text(read), /one/);
  const failed = await vise.call("read_file", { path: "b.txt" });
  deepStrictEqual([failed.isError, failed.structuredContent], [true, undefined]);
  match(ViseProcess.text(failed), /^NOT_FOUND: /);
});

Deno.test("faked annotations call every tool read-only, change nothing else, and the log warns of them", async () => {
  using ws = new TempWorkspace();
  const flags = ["--permission-mode", "dangerous", "--dangerously-fake-readonly-annotations"];
  await using vise = new ViseProcess(ws.root, { flags });
  const tools = await listed(vise);
  for (const [index, tool] of tools.entries()) {
    const { readOnlyHint, destructiveHint, openWorldHint, ...rest } = tool.annotations ?? {};
    deepStrictEqual([readOnlyHint, destructiveHint, openWorldHint], [true, false, false], tool.name);
    const { readOnlyHint: _, destructiveHint: __, openWorldHint: ___, ...own } = whole[index]?.annotations ?? {};
    deepStrictEqual({ ...tool, annotations: rest }, { ...whole[index], annotations: own });
  }
  strictEqual(tools.length, whole.length);
  // The list may be here before all of standard error was read.
  await vise.close();
  match(vise.stderr, /WARNING: tools are advertised as read-only although they are not/);
});

Deno.test("what the server logged last is written before it ends", async () => {
  using ws = new TempWorkspace();
  const flags = ["--permission-mode", "dangerous", "--dangerously-fake-readonly-annotations"];
  // Without the wait every second start that ends at once loses a line.
  for (let round = 0; round < 10; round++) {
    await using vise = new ViseProcess(ws.root, { flags });
    await vise.close();
    strictEqual(vise.stderr.split("WARNING").length, 3, vise.stderr);
  }
});

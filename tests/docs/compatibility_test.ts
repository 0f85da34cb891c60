/** What `docs/compatibility.md` says of the tools is what the server does. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { TOOLS } from "../../src/catalog/tool_loaders.ts";
import { REPOSITORY } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const PAGE = readFileSync(`${REPOSITORY}docs/compatibility.md`, "utf8");

Deno.test("the page compares each tool once, in the order of the catalog", () => {
  const [, table = ""] = PAGE.split("## Tool by tool");
  const named = [...table.matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name);
  deepStrictEqual(named, TOOLS.map(({ name }) => name));
});

Deno.test("the defaults that the page names are those of the listing", async () => {
  const rows = [...PAGE.matchAll(/^\| `(\w+)` +\| `(\w+)` +\| +(\d+) \| +(\d+) \|$/gm)];
  strictEqual(rows.length, 9);
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root);
  const { tools } = (await vise.request("tools/list")).result;
  for (const [, name, argument = "", theirs, ours] of rows) {
    const tool = tools.find((one: { name: string }) => one.name === name);
    strictEqual(tool.inputSchema.properties[argument].default, Number(ours), `${name} ${argument}`);
    ok(Number(theirs) > Number(ours));
    ok(tool.inputSchema.properties[argument].maximum >= Number(theirs), `${name} ${argument} as the peer has it`);
  }
});

Deno.test({
  name: "what the page says that a client meets, it meets (commands need a shell: not on Windows)",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    using workspace = new TempWorkspace();
    workspace.write("empty.txt", "");
    workspace.write("old.txt", "one\ntwo\n");
    workspace.write(".dot/inside.txt", "x\n");
    workspace.write("a/b/c/d.txt", "x\n");
    await using vise = new ViseProcess(workspace.root, { flags: ["--permission-mode", "trusted"] });
    const { content } = await vise.call("read_file", { path: "empty.txt" });
    match(content[0]?.text ?? "", /revision=[0-9a-f]{64}/);
    const died = await vise.value("exec_command", { cmd: "kill -9 $$" });
    deepStrictEqual([died.exit_code, died.signal], [null, "SIGKILL"]);
    const dot = await vise.value("list_dir", { path: ".dot" });
    strictEqual(dot.entries.length, 1);
    const deep = await vise.value("list_dir", { recursive: true });
    deepStrictEqual(deep.entries.map(({ path }: { path: string }) => path), [
      "a",
      "a/b",
      "a/b/c",
      "empty.txt",
      "old.txt",
    ]);
    const twice =
      "*** Begin Patch\n*** Update File: old.txt\n@@\n-one\n+1\n*** Update File: old.txt\n@@\n-1\n+first\n*** End Patch";
    strictEqual((await vise.value("apply_patch", { patch: twice })).affected_files.length, 1);
    const added = "*** Begin Patch\n*** Add File: old.txt\n+new\n*** Add File: bare.txt\n*** End Patch";
    const [bare, old] = (await vise.value("apply_patch", { patch: added })).affected_files
      .toSorted((a: { path: string }, b: { path: string }) => a.path < b.path ? -1 : 1);
    deepStrictEqual([bare.total_lines, old.replaced.total_lines], [0, 2]);
    const refusals = [
      ["search_text", { query: "a(?=b)", regex: true }, "INVALID_ARGUMENT"],
      ["read_file", { file: "empty.txt" }, "INVALID_ARGUMENT"],
      ["read_output", { output_ref: "nobody" }, "COMMAND_NOT_FOUND"],
      ["view_image", { path: "a" }, "IS_DIRECTORY"],
      ["view_image", { path: "old.txt" }, "BINARY_FILE"],
      ["apply_patch", { patch: "*** Begin Patch\n*** Add File: .git/x\n+y\n*** End Patch" }, "PERMISSION_REQUIRED"],
    ] as const;
    for (const [tool, args, code] of refusals) {
      const { isError, structuredContent } = await vise.call(tool, args);
      deepStrictEqual([isError, structuredContent.error.code], [true, code], tool);
    }
    strictEqual((await vise.request("tools/call", { name: "no_such_tool", arguments: {} })).error?.code, -32602);
  },
});

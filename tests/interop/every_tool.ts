/** One meaningful call of every tool, in an order in which each succeeds, for any client. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { TempWorkspace } from "../support/temp_workspace.ts";

/** A result as any client shows it. */
export interface ClientResult {
  readonly content: readonly { type: string; text?: string }[];
  // deno-lint-ignore no-explicit-any
  readonly structuredContent?: any;
  readonly isError?: boolean | undefined;
}

/** Calls a tool by the client under test. */
export type CallTool = (name: string, args: Record<string, unknown>) => Promise<ClientResult>;

/** One red pixel, PNG. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** A repository with one commit, in which every tool finds something. */
export function prepareRepository(ws: TempWorkspace): void {
  ws.write("a.txt", "one\ntwo\nthree\n");
  ws.write("AGENTS.md", "Be exact.\n");
  ws.write("pixel.png", Uint8Array.from(atob(PIXEL), (char) => char.charCodeAt(0)));
  ws.sh(
    "git init -q -b main; git config user.name T; git config user.email t@example.com; git add .; git commit -qm first",
  );
}

/** Calls every tool once through `call`; returns the names in the order of the calls. */
export async function callEveryTool(call: CallTool): Promise<string[]> {
  const called: string[] = [];
  const run = async (name: string, args: Record<string, unknown> = {}) => {
    const result = await call(name, args);
    strictEqual(
      result.isError ?? false,
      false,
      `${name}: ${JSON.stringify(result.structuredContent ?? result.content)}`,
    );
    ok(result.content.some((block) => block.type === "text"));
    called.push(name);
    return result.structuredContent;
  };
  strictEqual((await run("server_info")).server, "vise");
  await run("check_exec_environment");
  const read = await run("read_file", { path: "a.txt" });
  strictEqual(read.content, "one\ntwo\nthree\n");
  ok((await run("list_dir")).entries.length >= 3);
  ok((await run("list_files", { glob: "*.txt" })).files.length === 1);
  strictEqual((await run("search_text", { query: "two" })).matches[0].line, 2);
  await run("apply_patch", { patch: "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+TWO\n*** End Patch" });
  const { revision } = (await call("read_file", { path: "a.txt" })).structuredContent;
  const edits = [{ op: "replace", start_line: 3, content: "THREE" }];
  await run("apply_changes", { changes: [{ action: "edit", path: "a.txt", revision, edits }] });
  const started = await run("exec_command", { cmd: "cat", keep_stdin_open: true, yield_time_ms: 100 });
  strictEqual(started.status, "running");
  const polled = await run("write_stdin", { command_id: started.command_id, chars: "hello\n" });
  strictEqual(polled.stdout, "hello\n");
  strictEqual((await run("read_output", { output_ref: `command:${started.command_id}:stdout` })).content, "hello\n");
  strictEqual((await run("kill_command", { command_id: started.command_id })).status, "terminated");
  strictEqual((await run("git_status")).entries.length, 1);
  ok((await run("git_diff")).diff.includes("+THREE"));
  strictEqual((await run("git_log")).commits.length, 1);
  ok((await run("git_show")).content.includes("first"));
  strictEqual((await run("git_blame", { path: "AGENTS.md" })).lines.length, 1);
  strictEqual((await run("view_image", { path: "pixel.png" })).width, 1);
  strictEqual((await run("workspace_guide")).rules[0].path, "AGENTS.md");
  // Nobody behind this client can be asked, which the tool says instead of granting anything.
  const asked = await call("request_permissions", {
    tool_name: "exec_command",
    permission: "network",
    reason: "test",
    arguments: {},
  });
  deepStrictEqual([asked.isError, asked.structuredContent.error.code], [true, "ELICITATION_UNSUPPORTED"]);
  called.push("request_permissions");
  return called;
}

/** A client may show a model the structured value only: it stays within 64 KiB unless more was asked for, whatever the files hold. */

import { ok, strictEqual } from "node:assert/strict";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { type ToolResultMessage, ViseProcess } from "../support/vise_process.ts";

const MAX_VALUE_BYTES = 64 * 1024;
const MAX_TEXT_BYTES = 16 * 1024;

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function checkBounds(what: string, result: ToolResultMessage): void {
  const value = bytesOf(JSON.stringify(result.structuredContent));
  ok(value <= MAX_VALUE_BYTES, `${what}: a value of ${value} bytes`);
  ok(bytesOf(ViseProcess.text(result)) <= MAX_TEXT_BYTES, what);
}

const FILES: readonly [string, string][] = [
  ["control characters", ("\u0001\u001b".repeat(30) + "\n").repeat(1_500)],
  ["quotes and backslashes", ('"\\'.repeat(30) + "\n").repeat(1_100)],
  ["one line of letters", "é".repeat(70_000)],
  ["one line of control characters", "\u0002😀".repeat(30_000)],
  ["ordinary lines", ("word ".repeat(300) + "\n").repeat(120)],
];

for (const [what, content] of FILES) {
  Deno.test(`read_file gives ${what} in pages within the bound, which together are the file`, async () => {
    using ws = new TempWorkspace();
    ws.write("a.txt", content);
    await using vise = new ViseProcess(ws.root);
    let read = "";
    let args: Record<string, unknown> | undefined = { path: "a.txt" };
    while (args !== undefined) {
      const result = await vise.call("read_file", args);
      checkBounds(JSON.stringify(args), result);
      const value: { content: string; next_action?: { arguments: Record<string, unknown> } } = result.structuredContent;
      ok(value.content !== "");
      read += value.content;
      args = value.next_action?.arguments;
    }
    strictEqual(read, content);
    const more = await vise.value("read_file", { path: "a.txt", max_bytes: 1_048_576 });
    strictEqual(more.content.length >= Math.min(content.length, 2_000), true);
  });
}

Deno.test("workspace_guide stays within the bound, keeps what is nearest and says what it left out", async () => {
  using ws = new TempWorkspace();
  let deep = "deep";
  for (let level = 0; level < 30; level++) {
    ws.write(`${deep}/AGENTS.md`, "x");
    ws.write(`${deep}/CLAUDE.md`, `y${level}`);
    deep += `/${"e".repeat(50)}${level}`;
  }
  const skill = `---\nname: n\ndescription: ${"描".repeat(1_000)}\n---\n`;
  for (let at = 0; at < 60; at++) ws.write(`.claude/skills/s${at}/SKILL.md`, skill);
  await using vise = new ViseProcess(ws.root);
  const result = await vise.call("workspace_guide", { path: deep });
  checkBounds("workspace_guide", result);
  const { rules, rules_truncated, skills_truncated, warnings } = result.structuredContent;
  strictEqual(rules.at(-1).path, `${deep.slice(0, deep.lastIndexOf("/"))}/CLAUDE.md`);
  strictEqual(rules_truncated && skills_truncated, true);
  ok(warnings.some((line: string) => /^\d+ rules .* left out/.test(line)), warnings.join("\n"));
});

Deno.test("a failure echoes what it was given, but not by the megabyte", async () => {
  using ws = new TempWorkspace();
  ws.sh("git init -q .");
  const long = "\u0001x".repeat(60_000);
  await using vise = new ViseProcess(ws.root, { flags: ["--permission-mode", "trusted"] });
  const secrets = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`TOKEN_${at}${"x".repeat(60)}`, "v"]));
  const calls: [string, Record<string, unknown>][] = [
    ["read_file", { path: long }],
    ["read_file", { [long]: 1 }],
    ["list_files", { glob: `[${long}` }],
    ["search_text", { query: `(${long}`, regex: true }],
    ["exec_command", { cmd: "true", workdir: long }],
    ["exec_command", { cmd: "true", env: secrets }],
    ["git_show", { rev: long }],
    ["git_log", { path: long }],
    ["git_blame", { path: long }],
    ["workspace_guide", { path: "x/".repeat(50_000) }],
    ["apply_changes", { changes: [{ action: "create", path: long, content: "" }] }],
    ["request_permissions", {
      tool_name: "exec_command",
      permission: "network",
      reason: long,
      arguments: { cmd: long },
    }],
  ];
  for (const [tool, args] of calls) {
    const result = await vise.call(tool, args);
    strictEqual(result.isError, true, tool);
    checkBounds(tool, result);
  }
});

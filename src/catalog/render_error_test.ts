import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { ToolError } from "../base/tool_error.ts";
import { errorValue, renderError } from "./render_error.ts";

const LONG = "é".repeat(100_000);

Deno.test("errorValue() cuts long texts wherever they are, and leaves out a call that it would have to cut", () => {
  const whole = { tool: "read_file", arguments: { path: "a" } };
  const details = { path: LONG, deep: [{ text: LONG }], whole, next_action: { tool: "x", arguments: { path: LONG } } };
  const value = errorValue("read_file", new ToolError("NOT_FOUND", LONG, { details }));
  ok(JSON.stringify(value).length <= 64 * 1024);
  const cut = (value["error"] as { details: Record<string, unknown> }).details;
  deepStrictEqual(Object.keys(cut), ["path", "deep", "whole"]);
  deepStrictEqual(cut["whole"], whole);
});

Deno.test("renderError() shows neither an enormous message nor an enormous call", () => {
  const details = { retry_hint: LONG, next_action: { tool: "read_file", arguments: { path: LONG } } };
  const { head = "", foot } = renderError(new ToolError("NOT_FOUND", LONG, { details }));
  ok(new TextEncoder().encode(head).length < 10_000);
  strictEqual(foot, "");
});

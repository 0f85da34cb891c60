import { doesNotMatch, match, strictEqual } from "node:assert/strict";
import { traceLine } from "./trace.ts";

function line(args: Record<string, unknown>): string {
  return traceLine(
    { tool: "exec_command", args, value: { ok: true, status: "exited" }, durationMs: 1.26 },
    new Date(0),
  );
}

Deno.test("traceLine() hides values of secret names and texts that look like secrets", () => {
  const secrets = ["hunter2", "ghp_abcDEF123", "sk-0123456789abcdef0", "AKIAABCDEFGHIJKLMNOP"];
  const text = line({
    env: { DB_PASSWORD: secrets[0], PLAIN: "fine" },
    cmd: `curl -H 'Authorization: ${secrets[1]}' ${secrets[2]} ${secrets[3]}`,
    nested: [{ deep: { api_key: secrets[0] } }],
  });
  for (const secret of secrets) doesNotMatch(text, new RegExp(secret as string));
  match(text, /"PLAIN":"fine"/);
});

Deno.test("traceLine() is one line of JSON of bounded size whatever the arguments hold", () => {
  const text = line({ patch: "x\n".repeat(100_000), list: Array.from({ length: 1_000 }, () => "y".repeat(1_000)) });
  strictEqual(text.includes("\n"), false);
  strictEqual(JSON.parse(text).timestamp, "1970-01-01T00:00:00.000Z");
  strictEqual(text.length < 20_000, true);
});

Deno.test("traceLine() cuts what is nested deeper than any argument, and keeps what is no text as it is", () => {
  const deep = { a: { b: { c: { d: { e: { f: { g: "never seen" } } } } } } };
  const { args } = JSON.parse(line({ deep, count: 3, on: true, nothing: null }));
  strictEqual(JSON.stringify(args), '{"deep":{"a":{"b":{"c":{"d":{"e":"…"}}}}},"count":3,"on":true,"nothing":null}');
});

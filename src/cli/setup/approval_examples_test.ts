import { ok, strictEqual } from "node:assert/strict";
import { parse } from "smol-toml";
import { ALL_CLIENTS } from "./all_clients.ts";

/** Every text in a value, keys included. */
function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...texts(inner)]);
}

Deno.test("the example that lets a client run the reading tools is valid, and names them and no other", () => {
  let shown = 0;
  for (const { name, approval } of ALL_CLIENTS) {
    const example = approval.example(["read_file", "list_dir"]);
    if (example === null) continue;
    shown++;
    const value = approval.language === "toml" ? parse(example) : JSON.parse(example);
    const named = texts(value).filter((text) => /_(?:file|dir)$/.test(text));
    strictEqual(named.length, 2, `${name}: ${example}`);
    for (const tool of ["read_file", "list_dir"]) ok(named.some((text) => text.endsWith(tool)), `${name}: ${example}`);
    strictEqual(JSON.stringify(value).includes("exec_command"), false, name);
  }
  ok(shown >= 6, String(shown));
});

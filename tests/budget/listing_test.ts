/** What a model pays for the list of tools, and what the wire carries (O-4). */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { LISTING } from "../../src/catalog/listing_data.ts";
import { fullOutputProperties, type ListedTool } from "../../src/catalog/listing.ts";
import { TOOLS } from "../../src/catalog/tool_loaders.ts";
import { listedTools } from "../../build/make_listing.ts";

/** Names, descriptions and input schemas of the 20 tools; output schemas are seen by no model. */
const MAX_VISIBLE_TOKENS = 3_200;
const MAX_ANSWER_BYTES = 26_000;

/** Title and annotations of each tool in the order of the list: clients decide by them what may run unasked. */
const CATALOG = [
  ["server_info", "Server info", "T F T F"],
  ["check_exec_environment", "Check exec environment", "T F T F"],
  ["read_file", "Read file", "T F T F"],
  ["list_dir", "List directory", "T F T F"],
  ["list_files", "List files", "T F T F"],
  ["search_text", "Search text", "T F T F"],
  ["apply_patch", "Apply patch", "F T F F"],
  ["apply_changes", "Apply changes", "F T F F"],
  ["exec_command", "Execute command", "F T F T"],
  ["write_stdin", "Write stdin", "F F F F"],
  ["kill_command", "Kill command", "F T F F"],
  ["read_output", "Read output", "T F T F"],
  ["git_status", "Git status", "T F T F"],
  ["git_diff", "Git diff", "T F T F"],
  ["git_log", "Git log", "T F T F"],
  ["git_show", "Git show", "T F T F"],
  ["git_blame", "Git blame", "T F T F"],
  // Asks the person and may widen what commands do, so it is not read-only.
  ["request_permissions", "Request permissions", "F F F F"],
  ["view_image", "View image", "T F T F"],
  ["workspace_guide", "Workspace guide", "T F T F"],
];

const tools = JSON.parse(LISTING) as ListedTool[];

Deno.test("the list offers the 20 tools in their order with their annotations", () => {
  const letter = (value: unknown) => value ? "T" : "F";
  deepStrictEqual(
    tools.map(({ name, title, annotations }) => [
      name,
      title,
      ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"].map((hint) => letter(annotations[hint]))
        .join(" "),
    ]),
    CATALOG,
  );
  for (const tool of tools) strictEqual(tool.annotations["title"], tool.title);
});

Deno.test("the list stays within its budget of tokens and bytes", () => {
  const costs = tools.map(({ name, description, inputSchema }) => ({
    name,
    tokens: encode(name).length + encode(description).length + encode(JSON.stringify(inputSchema)).length,
  }));
  const total = costs.reduce((sum, cost) => sum + cost.tokens, 0);
  ok(total < MAX_VISIBLE_TOKENS, `${total} tokens: ${JSON.stringify(costs)}`);
  const bytes = new TextEncoder().encode(LISTING).length;
  ok(bytes < MAX_ANSWER_BYTES, `${bytes} bytes`);
});

Deno.test("every input schema is closed, and every output schema open with a required ok", () => {
  for (const { name, inputSchema, outputSchema } of tools) {
    strictEqual(inputSchema["type"], "object", name);
    strictEqual(inputSchema["additionalProperties"], false, name);
    strictEqual(outputSchema["additionalProperties"], true, name);
    deepStrictEqual(outputSchema["required"], ["ok"], name);
  }
});

Deno.test("the list that is served is the one that the definitions make", async () => {
  deepStrictEqual(JSON.parse(LISTING), await listedTools());
});

Deno.test("the list names every output field, with a type only where it holds more than one value", async () => {
  for (const entry of TOOLS) {
    const full = fullOutputProperties(await entry.load());
    const { properties } = tools.find(({ name }) => name === entry.name)?.outputSchema as {
      properties: Record<string, Record<string, unknown>>;
    };
    deepStrictEqual(Object.keys(properties), ["ok", "error", ...Object.keys(full)], entry.name);
    for (const [field, shape] of Object.entries(properties).slice(2)) {
      const { type } = full[field] as { type?: unknown };
      deepStrictEqual(shape, type === "array" || type === "object" ? { type } : {}, `${entry.name}.${field}`);
    }
  }
});

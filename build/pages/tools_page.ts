/** `docs/tools.md`: arguments, fields and a real example of every tool. */

import { fullOutputProperties, type ListedTool } from "../../src/catalog/listing.ts";
import { TOOLS } from "../../src/catalog/tool_loaders.ts";
import { ARGUMENT_NOTES, FIELD_NOTES, noteOf } from "./field_notes.ts";
import { fence, GENERATED, table } from "./markdown.ts";
import type { ToolExample } from "./tool_examples.ts";

type Schema = Record<string, unknown>;

/** The page, with the example of a tool where there is one. */
export async function toolsPage(tools: readonly ListedTool[], examples: readonly ToolExample[]): Promise<string> {
  const sections = await Promise.all(tools.map(async (tool) => {
    const entry = TOOLS.find(({ name }) => name === tool.name);
    if (entry === undefined) throw new Error(`no loader for ${tool.name}`);
    const fields = fullOutputProperties(await entry.load());
    return toolSection(tool, { fields, example: examples.find((example) => example.tool === tool.name) });
  }));
  return `# Tools

${GENERATED}

Every result has a text for the model and a structured value. Both are enough to go on: a client may show either. The text
is at most 16 KiB; when it was cut it names the call that continues, and the value says \`text_truncated: true\`. Every value
has \`ok\`; a failure has \`error\` instead of the fields below ([errors.md](errors.md)). Any value may carry \`warnings\`,
\`next_action\` (a call that can be made as it stands) and \`next_actions\`.

The examples were run one after the other on the same small repository; ids, times and places are replaced by fixed ones.
\`request_permissions\` shows the answer where nobody can be asked. From a shell the first one is \`vise call server_info\`, and with \`--json\` it prints the value.

${tools.map((tool) => `- [${tool.name}](#${tool.name})`).join("\n")}

${sections.join("\n\n")}
`;
}

function toolSection(
  tool: ListedTool,
  { fields, example }: { fields: Schema; example: ToolExample | undefined },
): string {
  const input = (tool.inputSchema["properties"] ?? {}) as Record<string, Schema>;
  const required = new Set((tool.inputSchema["required"] ?? []) as string[]);
  const rows = Object.entries(input).map(([name, schema]) => [
    `\`${name}\``,
    typeOf(schema),
    required.has(name) ? "required" : "default" in schema ? `\`${JSON.stringify(schema["default"])}\`` : "–",
    String(schema["description"] ?? noteOf(ARGUMENT_NOTES, tool.name, name)),
  ]);
  const seen = example?.value ?? {};
  const fieldRows = [...new Set([...Object.keys(fields), ...Object.keys(seen)])]
    .filter((name) => name !== "ok" && name !== "error" && name !== "warnings" && !name.startsWith("next_action"))
    .map((name) => [
      `\`${name}\``,
      fieldType(fields[name] as Schema | undefined, seen[name]),
      noteOf(FIELD_NOTES, tool.name, name),
    ]);
  return [
    `## ${tool.name}`,
    `${tool.title}; ${effect(tool.annotations)}.`,
    quoted(tool.description),
    rows.length === 0 ? "No arguments." : table(["Argument", "Type", "Default", "Meaning"], rows),
    table(["Field", "Type", "Meaning"], fieldRows),
    ...(example === undefined ? [] : exampleOf(example)),
  ].join("\n\n");
}

function exampleOf({ tool, args, text, value, image }: ToolExample): string[] {
  return [
    `**Example**`,
    fence("json", JSON.stringify({ name: tool, arguments: args }, null, 2)),
    ...(image === undefined ? [] : [`The result begins with the image (${image}).`]),
    fence("text", text),
    fence("json", JSON.stringify(value, null, 2)),
  ];
}

function effect(annotations: Record<string, unknown>): string {
  if (annotations["readOnlyHint"] === true) return "only reads";
  const words = ["changes something"];
  if (annotations["destructiveHint"] === true) words.push("may destroy");
  if (annotations["openWorldHint"] === true) words.push("may reach beyond the workspace");
  return words.join(", ");
}

/** What the model reads of the tool, line for line. */
function quoted(description: string): string {
  return fence("text", description);
}

/** The declared type; where it says nothing of what is inside, the fields that the example shows. */
function fieldType(schema: Schema | undefined, seen: unknown): string {
  const declared = schema === undefined ? "" : typeOf(schema);
  if (seen === undefined || seen === null) return declared || "string or null";
  const item = Array.isArray(seen) ? seen[0] : undefined;
  if (schema !== undefined && isRecord(item)) {
    // A schema may name only what a client needs; the reference names what is really there.
    const items = (schema["items"] ?? {}) as Schema;
    const named = Object.keys((items["properties"] ?? {}) as Schema);
    const further = Object.keys(item).filter((name) => !named.includes(name));
    if (named.length > 0 && further.length > 0) return declared.replace(/ \}$/, `, ${further.join(", ")} }`);
  }
  if (typeof seen === "object" && !declared.includes("{")) {
    if (!Array.isArray(seen)) return `{ ${Object.keys(seen).join(", ")} }`;
    if (isRecord(seen[0])) return `list of { ${Object.keys(seen[0]).join(", ")} }`;
    return declared || "list";
  }
  return declared || (typeof seen === "number" ? "integer" : typeof seen);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A schema in words: `integer 1–2000`, `"a" or "b"`, `list of {path, line}`. */
function typeOf(schema: Schema): string {
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => `\`${JSON.stringify(value)}\``).join(" or ");
  if ("const" in schema) return `\`${JSON.stringify(schema["const"])}\``;
  if (Array.isArray(schema["anyOf"])) return schema["anyOf"].map((branch) => typeOf(branch as Schema)).join(" or ");
  const type = schema["type"];
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(" or ");
  if (type === "array") {
    return `list${amount(schema, "minItems", "maxItems")} of ${typeOf((schema["items"] ?? {}) as Schema)}`;
  }
  if (type === "object") return objectType(schema);
  if (type === "integer" || type === "number") return `${type}${amount(schema, "minimum", "maximum")}`;
  if (type === "string") return `string${amount(schema, "minLength", "maxLength", " characters")}`;
  return typeof type === "string" ? type : "any value";
}

function objectType(schema: Schema): string {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>);
  if (properties.length === 0) return "object";
  const required = new Set((schema["required"] ?? []) as string[]);
  const fields = properties.map(([name, field]) => `${name}${required.has(name) ? "" : "?"}: ${typeOf(field)}`);
  return `{ ${fields.join(", ")} }`;
}

function amount(schema: Schema, least: string, most: string, unit = ""): string {
  const [from, to] = [schema[least], schema[most]];
  if (from === undefined && to === undefined) return "";
  if (to === undefined) return from === 0 || from === 1 && unit !== "" ? "" : ` from ${from}${unit}`;
  return ` ${from ?? 0}–${to}${unit}`;
}

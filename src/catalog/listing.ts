/** How a tool definition looks in `tools/list`. Used at build time only; a run serves the text made from it. */

import { z } from "zod";
import type { AnyTool } from "../tool/tool.ts";

type JsonSchema = Record<string, unknown>;

/** One element of `tools` in the answer to `tools/list` (MCP, "Tool"). */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly annotations: Record<string, unknown>;
}

/** The definition as clients see it, with both schemas as JSON Schema. */
export function listTool(tool: AnyTool): ListedTool {
  const { name, title, description, annotations } = tool;
  return {
    name,
    title,
    description,
    inputSchema: jsonSchemaOf(tool.input as z.ZodType, "input"),
    outputSchema: outputSchemaOf(tool),
    annotations: { title, ...annotations },
  };
}

/** The tool's own fields plus the two that every result has; only `ok` is always there (contract 3.0). */
function outputSchemaOf(tool: AnyTool): JsonSchema {
  const own = fullOutputProperties(tool);
  const shallow = Object.fromEntries(
    Object.entries(own).map(([name, field]) => [name, shapeOnly(field as JsonSchema)]),
  );
  return {
    type: "object",
    required: ["ok"],
    properties: { ok: { type: "boolean" }, error: ERROR_SCHEMA, ...shallow },
    additionalProperties: true,
  };
}

/** Schemas of the tool's own fields with everything inside them, for the reference and the tests. */
export function fullOutputProperties(tool: AnyTool): JsonSchema {
  return jsonSchemaOf(tool.output as z.ZodType, "output")["properties"] as JsonSchema;
}

/** The same for every tool, so it says what is there and leaves the types to the documentation: it is sent 20 times (O-4). */
const ERROR_SCHEMA: JsonSchema = {
  type: "object",
  required: ["code", "message", "category", "retryable", "details"],
};

/**
 * Names every field and says which hold more than one value; the rest is left to the reference. No model sees output
 * schemas and every client pays for their bytes: with all types the list would pass its 26 KB (O-4).
 */
function shapeOnly(field: JsonSchema): JsonSchema {
  const type = field["type"];
  return type === "array" || type === "object" ? { type } : {};
}

/** JSON Schema without what zod adds for its own needs: `$schema`, the bounds of safe integers, `{}` for "anything". */
function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  return tidy(z.toJSONSchema(schema, { io, unrepresentable: "any" }) as JsonSchema) as JsonSchema;
}

function tidy(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(tidy);
  if (typeof node !== "object" || node === null) return node;
  const out: JsonSchema = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === "$schema" || key === "propertyNames") continue;
    if ((key === "minimum" || key === "maximum") && Math.abs(value as number) === Number.MAX_SAFE_INTEGER) continue;
    if (key === "additionalProperties" && isEmpty(value)) {
      out[key] = true;
      continue;
    }
    out[key] = tidy(value);
  }
  return collapseNullable(out);
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** `anyOf [{type: X}, {type: null}]` → `type: [X, "null"]`: shorter, and read by more clients. */
function collapseNullable(node: JsonSchema): JsonSchema {
  const branches = node["anyOf"];
  if (!Array.isArray(branches) || branches.length !== 2) return node;
  const [value, empty] = branches as [JsonSchema, JsonSchema];
  if (empty["type"] !== "null" || typeof value["type"] !== "string" || Object.keys(value).length !== 1) return node;
  const { anyOf: _, ...rest } = node;
  return { ...rest, type: [value["type"], "null"] };
}

/** How a tool definition looks in `tools/list`. Used at build time only; a run serves the text made from it. */

import { z } from "zod";
import type { AnyTool } from "../tool/tool.ts";

type JsonSchema = Record<string, unknown>;

export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly annotations: Record<string, unknown>;
}

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
  const own = jsonSchemaOf(tool.output as z.ZodType, "output");
  return {
    type: "object",
    required: ["ok"],
    properties: { ok: { type: "boolean" }, error: ERROR_SCHEMA, ...lean(own["properties"]) as JsonSchema },
    additionalProperties: true,
  };
}

/** The same for every tool, so it says what is there and leaves the types to the documentation: it is sent 20 times (O-4). */
const ERROR_SCHEMA: JsonSchema = {
  type: "object",
  required: ["code", "message", "category", "retryable", "details"],
};

/** Drops from nested objects what is the default or what only adds weight; no result becomes valid or invalid by the shapes that remain. */
function lean(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(lean);
  if (typeof node !== "object" || node === null) return node;
  const isObjectSchema = (node as JsonSchema)["type"] === "object";
  const kept = Object.entries(node).filter(([key, value]) =>
    !isObjectSchema ||
    !(key === "required" || (key === "additionalProperties" && value === true) ||
      (key === "properties" && isEmpty(value)))
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, lean(value)]));
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

/** Checks the arguments of a call against the tool's schema and says what is wrong in words a model can act on (O-7). */

import type { z } from "zod";
import { nearestName } from "../base/nearest_name.ts";
import { ToolError } from "../base/tool_error.ts";
import type { AnyTool } from "../tool/tool.ts";

/** Argument names that models use for others, valid for every tool that has the right-hand one. */
const COMMON_SLIPS: Readonly<Record<string, string>> = {
  command: "cmd",
  input: "patch",
  diff: "patch",
  file_path: "path",
  filepath: "path",
  filename: "path",
  file: "path",
  dir: "path",
  directory: "path",
  pattern: "query",
  regexp: "regex",
  text: "chars",
  input_text: "chars",
  id: "command_id",
  session_id: "command_id",
  limit: "max_results",
  offset: "start_line",
  timeout: "timeout_ms",
  revision_id: "rev",
  commit: "rev",
  commands: "cmd",
  edits: "changes",
};

/** Typed arguments. `null` counts as not given. @throws ToolError `INVALID_ARGUMENT` naming every fault */
export function validateArguments(tool: AnyTool, args: Readonly<Record<string, unknown>>): unknown {
  const given = withoutNulls(args);
  const parsed = (tool.input as z.ZodType).safeParse(given);
  const surrogate = loneSurrogate(given, "arguments");
  if (surrogate !== null) {
    throw new ToolError("INVALID_ARGUMENT", `${surrogate} holds a lone surrogate, which is not valid text`, {
      details: { argument: surrogate.slice("arguments.".length), retry_hint: "Send the text as valid UTF-8." },
    });
  }
  if (parsed.success) return parsed.data;
  const faults = distinct(parsed.error.issues).flatMap((issue) => describe(issue, { given, tool }));
  const [first] = faults as [Fault, ...Fault[]];
  throw new ToolError("INVALID_ARGUMENT", faults.slice(0, MAX_FAULTS).map((fault) => fault.message).join("; "), {
    details: {
      argument: first.argument,
      ...(first.received === undefined ? {} : { received: first.received }),
      ...(first.nearest === null ? {} : { nearest: first.nearest }),
      arguments: namesOf(tool),
      retry_hint: first.nearest === null
        ? `Call ${tool.name} again with ${first.argument} corrected.`
        : `Call ${tool.name} again with "${first.nearest}" instead of "${first.argument}".`,
    },
  });
}

/** Faults named in one message; more would bury the first. */
const MAX_FAULTS = 5;

/** One issue for each argument: the first kind of fault, and of bounds the narrowest, which comes last. */
function distinct(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const byPath = new Map<string, z.core.$ZodIssue>();
  for (const issue of issues) {
    const path = JSON.stringify(issue.path);
    const earlier = byPath.get(path);
    if (earlier === undefined || (earlier.code === issue.code && issue.code !== "unrecognized_keys")) {
      byPath.set(path, issue);
    } else if (issue.code === "unrecognized_keys") {
      byPath.set(`${path} names`, issue);
    }
  }
  return [...byPath.values()];
}

interface Fault {
  readonly argument: string;
  readonly message: string;
  readonly received?: unknown;
  readonly nearest: string | null;
}

interface Scene {
  readonly given: Record<string, unknown>;
  readonly tool: AnyTool;
}

function describe(issue: z.core.$ZodIssue, scene: Scene): Fault[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => unknownName([...path, key], scene));
  }
  const argument = spell(path);
  const received = valueAt(scene.given, issue.path);
  if (received === undefined) return [missing(argument, scene)];
  return [{
    argument,
    received: shortened(received),
    nearest: null,
    message: `arguments.${argument} ${rule(issue)}${got(received)}`,
  }];
}

function unknownName(path: string[], { tool, given }: Scene): Fault {
  const key = path.at(-1) as string;
  const known = path.length === 1 ? namesOf(tool) : nestedNames(tool, path);
  const slip = tool.slips?.[key] ?? COMMON_SLIPS[key];
  const nearest = slip !== undefined && known.includes(slip) ? slip : nearestName(key, known);
  const argument = spell(path);
  const hint = nearest === null
    ? (known.length === 0 ? "" : `; the tool takes ${known.join(", ")}`)
    : `; did you mean ${nearest}?`;
  return {
    argument,
    received: shortened(valueAt(given, path)),
    nearest,
    message: `arguments.${argument} is not a recognized argument${hint}`,
  };
}

function missing(argument: string, { tool, given }: Scene): Fault {
  const stray = Object.keys(given).find((key) => (tool.slips?.[key] ?? COMMON_SLIPS[key]) === argument);
  return {
    argument: stray ?? argument,
    nearest: stray === undefined ? null : argument,
    message: `arguments.${argument} is required`,
  };
}

/** The second half of the sentence, in the forms of contract 1.4. */
function rule(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${WORDS[issue.expected] ?? issue.expected}`;
    case "too_small":
      if (issue.origin === "string") return `is shorter than ${issue.minimum}`;
      return issue.origin === "array" ? `needs at least ${issue.minimum} items` : `must be >= ${issue.minimum}`;
    case "too_big":
      if (issue.origin === "string") return `is longer than ${issue.maximum}`;
      return issue.origin === "array" ? `holds more than ${issue.maximum} items` : `must be <= ${issue.maximum}`;
    case "invalid_value":
      return `must be one of ${JSON.stringify(issue.values)}`;
    default:
      return issue.message;
  }
}

const WORDS: Readonly<Record<string, string>> = {
  string: "a string",
  // No tool takes a fraction.
  number: "an integer",
  int: "an integer",
  boolean: "a boolean",
  array: "an array",
  object: "an object",
  record: "an object",
};

function got(received: unknown): string {
  const shown = shortened(received);
  // A part of an object is text already, and quoting it once more would only blur it.
  const isExcerpt = typeof shown === "string" && typeof received === "object";
  return `; got ${isExcerpt ? shown : JSON.stringify(shown) ?? String(received)}`;
}

/** Values in messages are evidence, not content: 60 characters show what was meant. */
function shortened(value: unknown): unknown {
  if (typeof value === "string") return value.length > 60 ? beginning(value) : value;
  // JSON has no word for what 1e999 becomes.
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object" || value === null) return value;
  const text = JSON.stringify(value);
  return text.length > 60 ? beginning(text) : value;
}

function beginning(text: string): string {
  return text.slice(0, 60).replace(/[\ud800-\udbff]$/, "") + "…";
}

/** `a.b[3].c`, as contract 1.4 spells paths. */
function spell(path: readonly string[]): string {
  return path.reduce(
    (text, part) => /^\d+$/.test(part) ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`,
    "",
  );
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((node, key) => (node as Record<PropertyKey, unknown> | undefined)?.[key], root);
}

function namesOf(tool: AnyTool): string[] {
  const shape = (tool.input as unknown as { shape?: Record<string, unknown> }).shape ?? {};
  return Object.keys(shape);
}

/** Known names of the nested object at `path`'s parent, as far as the schema shows them. */
function nestedNames(tool: AnyTool, path: readonly string[]): string[] {
  let node: unknown = tool.input;
  for (const part of path.slice(0, -1)) {
    const open = unwrap(node);
    node = /^\d+$/.test(part)
      ? (open as { element?: unknown }).element
      : (open as { shape?: Record<string, unknown> }).shape?.[part];
  }
  return Object.keys((unwrap(node) as { shape?: Record<string, unknown> } | undefined)?.shape ?? {});
}

function unwrap(node: unknown): unknown {
  let inner = node;
  for (let next = innerType(inner); next !== undefined; next = innerType(inner)) inner = next;
  return inner;
}

function innerType(node: unknown): unknown {
  return (node as { def?: { innerType?: unknown } } | undefined)?.def?.innerType;
}

function withoutNulls(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).filter(([, inner]) => inner !== null).map(([key, inner]) => [key, cleaned(inner)]),
  );
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  return typeof value === "object" && value !== null ? withoutNulls(value as Record<string, unknown>) : value;
}

/** Path of the first string that is not well-formed UTF-16, or null. */
function loneSurrogate(value: unknown, path: string): string | null {
  if (typeof value === "string") return value.isWellFormed() ? null : path;
  if (typeof value !== "object" || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const found = loneSurrogate(inner, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

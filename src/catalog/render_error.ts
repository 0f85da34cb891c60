/** A failure in its two forms: the structured value and the text (contract 1.3). */

import { renderAction } from "../base/render_action.ts";
import type { NextAction, ToolError } from "../base/tool_error.ts";
import { takePrefixWithin, utf8Length } from "../base/utf8.ts";
import type { Rendering } from "../tool/tool.ts";

/** UTF-8 bytes of a message, an advice or a call in text. */
const MESSAGE_BYTES = 4_096;
/** Candidate places shown in text for an ambiguous hunk. */
const SHOWN_CANDIDATES = 3;

/** The failure of a call of `tool`; every failure of `exec_command` has a status like its successes. */
export function errorValue(tool: string, error: ToolError): Record<string, unknown> {
  const { code, message, category, retryable, details, diagnostics, root } = error;
  return bounded({
    ok: false,
    error: { code, message, category, retryable, details },
    ...(tool === "exec_command" ? { status: "failed" } : {}),
    ...root,
    ...(code === "PERMISSION_REQUIRED" && root["permission_request"] === undefined &&
        details["permission"] !== undefined
      ? {
        permission_request: { tool_name: tool, permission: details["permission"], status: "required", retryable: true },
      }
      : {}),
    ...(diagnostics.length === 0 ? {} : { diagnostics }),
  });
}

/** Bytes of a failure as JSON: what a caller sent is echoed as evidence, never by the megabyte (O-6). */
const MAX_VALUE_BYTES = 64 * 1024;
/** Tried one after the other until the value fits; the last always does. */
const BOUNDS = [{ units: 4_096, items: 200 }, { units: 512, items: 50 }, { units: 64, items: 10 }] as const;

function bounded(value: Record<string, unknown>): Record<string, unknown> {
  let fitting = value;
  for (const bound of BOUNDS) {
    if (utf8Length(JSON.stringify(fitting)) <= MAX_VALUE_BYTES) break;
    fitting = shortened(value, bound) as Record<string, unknown>;
  }
  return fitting;
}

function shortened(value: unknown, bound: typeof BOUNDS[number]): unknown {
  if (typeof value === "string") {
    return value.length > bound.units ? `${value.slice(0, bound.units).replace(/[\ud800-\udbff]$/, "")}…` : value;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, bound.items).map((item) => shortened(item, bound));
  const entries = Object.entries(value).slice(0, bound.items)
    // A call that is not whole any more would do something else.
    .filter(([, inner]) =>
      !isAction(inner) || JSON.stringify(shortened(inner.arguments, bound)) === JSON.stringify(inner.arguments)
    );
  return Object.fromEntries(entries.map(([key, inner]) => [shortened(key, bound), shortened(inner, bound)]));
}

/** The text of a failure: code, category, advice and suggested calls first, evidence behind them. */
export function renderError(error: ToolError): Rendering {
  const { code, message, category, retryable, details, diagnostics } = error;
  const repeat = retryable ? "yes." : "no. Do not repeat this call unless what stopped it has changed.";
  const lines = [`${code}: ${takePrefixWithin(message, MESSAGE_BYTES)}`, `Category: ${category}. Retryable: ${repeat}`];
  if (typeof details["repeat_warning"] === "string") lines.push(details["repeat_warning"]);
  if (typeof details["retry_hint"] === "string") {
    lines.push(`Retry: ${takePrefixWithin(details["retry_hint"], MESSAGE_BYTES)}`);
  }
  for (const diagnostic of diagnostics) {
    const fix = diagnostic.suggested_fix ?? diagnostic.suggested_next_command;
    if (fix !== undefined) lines.push(`Suggested action: ${fix}`);
  }
  const action = details["next_action"];
  const next = isAction(action) ? `Next: ${renderAction(action)}` : "";
  return {
    head: lines.join("\n"),
    body: evidence(details),
    foot: utf8Length(next) > MESSAGE_BYTES ? "" : next,
  };
}

/** What a model needs to see to repair a patch, because most clients forward only text. */
function evidence(details: Readonly<Record<string, unknown>>): string {
  if (typeof details["nearby_text"] === "string") return details["nearby_text"];
  const candidates = details["candidates"];
  if (!Array.isArray(candidates)) return "";
  return candidates.slice(0, SHOWN_CANDIDATES)
    .map(({ line, text }: { line: number; text: string }) => `Candidate at line ${line}:\n${text}`).join("\n");
}

function isAction(value: unknown): value is NextAction {
  return typeof value === "object" && value !== null && typeof (value as NextAction).tool === "string";
}

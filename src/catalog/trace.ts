/** One JSON line per tool call for people who watch a server (`VISE_TRACE=1`; contract 10.2). Secrets never get in. */

import { isSecretName, withoutSecrets } from "../engine/environment/secret_names.ts";
import type { CallRecord } from "./catalog.ts";

/** Longer texts are content, not evidence. */
const MAX_STRING = 240;
/** Elements of a list, for the same reason. */
const MAX_ITEMS = 50;
/** Deeper values are content as well; no tool takes more. */
const MAX_DEPTH = 6;
const REDACTED = "[REDACTED]";

/** The trace line of a finished call, without its line end. */
export function traceLine({ tool, args, value, durationMs }: CallRecord, now: Date): string {
  const error = value["error"] as { code?: string } | undefined;
  return JSON.stringify({
    event: "tool_call",
    timestamp: now.toISOString(),
    tool,
    ok: value["ok"],
    status: value["status"],
    operation_outcome: value["operation_outcome"],
    error_code: error?.code,
    duration_ms: Math.round(durationMs * 10) / 10,
    command_id: value["command_id"],
    truncated: value["truncated"],
    args: redacted(args, 0),
  });
}

function redacted(value: unknown, depth: number): unknown {
  if (typeof value === "string") return shortened(withoutSecrets(value, REDACTED));
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return "…";
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => redacted(item, depth + 1));
    return value.length > MAX_ITEMS ? [...items, `… ${value.length - MAX_ITEMS} more`] : items;
  }
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, isSecretName(key) ? REDACTED : redacted(inner, depth + 1)]),
  );
}

function shortened(text: string): string {
  return text.length > MAX_STRING ? `${text.slice(0, MAX_STRING)}… (${text.length} characters)` : text;
}

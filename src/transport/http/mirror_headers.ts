/** Checks the headers that repeat parts of a stateless message (MCP 2026-07-28, Streamable HTTP; contract 2.7). */

import { Buffer } from "node:buffer";
import type { Params } from "../../protocol/message.ts";
import { HEADER_MISMATCH, ProtocolError } from "../../protocol/protocol_error.ts";
import { META_PREFIX } from "../../protocol/revisions.ts";

/** Characters of a base64-wrapped name. */
const MAX_WRAPPED_LENGTH = 8_192;

interface Mirrored {
  readonly method: string;
  readonly params: Params;
}

/** Headers that may appear once only. */
const MIRRORS = ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"] as const;

/** Refuses a mirrored header that was sent twice, whichever value a proxy would have read. @throws ProtocolError */
export function refuseDuplicates(headers: Headers): void {
  for (const header of MIRRORS) {
    const value = headers.get(header);
    if (value === null || !value.includes(",")) continue;
    const parts = value.split(",").map((part) => part.trim());
    if (header !== "Mcp-Name" || new Set(parts).size < parts.length) throw violation(header, "duplicate");
  }
}

/** Each mirrored header must be there and say what the message says. @throws ProtocolError */
export function checkMirrors(headers: Headers, { method, params }: Mirrored): void {
  const meta = params["_meta"] as Record<string, unknown> | undefined;
  const version = meta?.[META_PREFIX + "protocolVersion"];
  compare(headers, "MCP-Protocol-Version", typeof version === "string" ? version : null);
  compare(headers, "Mcp-Method", method);
  const name = mirroredName(method, params);
  if (name !== null) compare(headers, "Mcp-Name", name);
}

/** The parameter that `Mcp-Name` repeats, by method. */
const MIRRORED_KEYS: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

function mirroredName(method: string, params: Params): string | null {
  const key = MIRRORED_KEYS[method];
  const value = key === undefined ? null : params[key];
  return typeof value === "string" ? value : null;
}

function compare(headers: Headers, header: typeof MIRRORS[number], expected: string | null): void {
  const raw = headers.get(header);
  if (raw === null) throw violation(header, "missing");
  const value = header === "Mcp-Name" ? unwrapped(raw.trim()) : raw.trim();
  if (value !== expected) throw violation(header, "mismatch");
}

/** `=?base64?<payload>?=` carries names that a header cannot. */
function unwrapped(value: string): string {
  const payload = /^=\?base64\?(.*)\?=$/i.exec(value)?.[1];
  if (payload === undefined) return value;
  if (payload.length > MAX_WRAPPED_LENGTH) throw violation("Mcp-Name", "oversized", { max_length: MAX_WRAPPED_LENGTH });
  const bytes = Buffer.from(payload, "base64");
  // Buffer skips what is no base64; encoding again shows whether anything was skipped.
  if (bytes.toString("base64").replace(/=+$/, "") !== payload.replace(/=+$/, "")) {
    throw violation("Mcp-Name", "invalid_base64");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw violation("Mcp-Name", "invalid_base64");
  }
}

function violation(header: string, reason: string, more: Record<string, unknown> = {}): ProtocolError {
  return new ProtocolError(HEADER_MISMATCH, `Header ${header}: ${reason}`, { header, reason, ...more });
}

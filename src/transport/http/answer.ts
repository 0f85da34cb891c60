/** HTTP answers of this server: JSON, never cached. */

import { errorReply, type ProtocolError } from "../../protocol/protocol_error.ts";

const BASE_HEADERS = { "Content-Type": "application/json", "Cache-Control": "no-store" } as const;

/** Headers beside those every answer has, such as those of CORS. */
export type ExtraHeaders = Readonly<Record<string, string>>;

/** An answer whose body is already JSON text. */
export function jsonText(status: number, text: string, headers: ExtraHeaders = {}): Response {
  return new Response(text, { status, headers: { ...BASE_HEADERS, ...headers } });
}

/** An answer whose body is `value` as JSON. */
export function json(status: number, value: unknown, headers: ExtraHeaders = {}): Response {
  return jsonText(status, JSON.stringify(value), headers);
}

/** A JSON-RPC error as HTTP answer. `idText` is the id as sent, or `null`. */
export function rpcError(
  status: number,
  error: ProtocolError,
  { idText = "null", headers = {} }: { idText?: string; headers?: ExtraHeaders } = {},
): Response {
  return jsonText(status, errorReply(idText, error), headers);
}

/** An answer without a body. */
export function empty(status: number, headers: ExtraHeaders = {}): Response {
  return new Response(null, { status, headers: { "Cache-Control": "no-store", ...headers } });
}

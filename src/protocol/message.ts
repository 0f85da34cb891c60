/** JSON-RPC 2.0 messages: from one JSON text to a request, a notification, a response, or the fault to answer. */

import { INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, ProtocolError } from "./protocol_error.ts";
import { scanJson } from "./scan_json.ts";

/** `params` of a message; an empty object where there were none. */
export type Params = Readonly<Record<string, unknown>>;

/** A message that wants an answer (JSON-RPC 2.0 section 4). */
export interface RequestMessage {
  readonly kind: "request";
  /** JSON text of the id exactly as sent, so that integers above 2^53 return unchanged (O-11). `null` is executed but not answered. */
  readonly idText: string;
  readonly method: string;
  readonly params: Params;
}

/** A message without an id, which is never answered (JSON-RPC 2.0 section 4.1). */
export interface NotificationMessage {
  readonly kind: "notification";
  readonly method: string;
  readonly params: Params;
  /** Key (see `idKey`) of the request that a cancellation names; null where it names none. */
  readonly cancelledKey: string | null;
}

/** An answer to a request of ours (elicitation); anything else of this kind is ignored (O-18). */
export interface ResponseMessage {
  readonly kind: "response";
  readonly idText: string;
  readonly result: unknown;
  readonly error: unknown;
}

/** What cannot be served: the error to answer and under which id. */
export interface BadMessage {
  readonly kind: "bad";
  readonly idText: string;
  readonly error: ProtocolError;
}

/** What one JSON text can be. A batch is a `BadMessage`: MCP has none since 2025-06-18. */
export type Message = RequestMessage | NotificationMessage | ResponseMessage | BadMessage;

const STRICT_UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Parses bytes that should hold one JSON value. Null for blank input, which is ignored (contract 2.6). A leading BOM is dropped. */
export function parseMessage(bytes: Uint8Array): Message | null {
  let text: string;
  try {
    text = STRICT_UTF8.decode(bytes);
  } catch {
    return bad("null", new ProtocolError(PARSE_ERROR, "Parse error: the message is not valid UTF-8"));
  }
  if (text.trim() === "") return null;
  const scan = scanJson(text);
  if (scan.tooDeep) {
    return bad("null", new ProtocolError(PARSE_ERROR, "Parse error: the message nests deeper than 1000 levels"));
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return bad("null", new ProtocolError(PARSE_ERROR, "Parse error: the message is not valid JSON"));
  }
  return readEnvelope(value, { rawId: scan.idText, text });
}

/** One text for all spellings of one id: `"\u0061"` is `"a"` and `-0` is `0` to every JSON parser. `idText`: JSON of an id. */
export function idKey(idText: string): string {
  if (idText.startsWith('"')) return JSON.stringify(JSON.parse(idText));
  return idText === "-0" ? "0" : idText;
}

/** Checks the envelope in the order of contract 2.3. */
function readEnvelope(value: unknown, { rawId, text }: { rawId: string | null; text: string }): Message {
  if (!isObject(value)) return bad("null", new ProtocolError(INVALID_REQUEST, "Invalid Request"));
  const hasId = Object.hasOwn(value, "id");
  const idText = hasId && isId(value["id"], rawId) ? rawId as string : "null";
  if (value["jsonrpc"] !== "2.0") return bad(idText, invalid('jsonrpc must be "2.0"', "jsonrpc_version"));
  const method = value["method"];
  if (method === undefined && hasId && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"))) {
    return { kind: "response", idText, result: value["result"], error: value["error"] };
  }
  if (typeof method !== "string" || method === "") {
    return bad(idText, invalid("method must be a non-empty string", "method"));
  }
  if (hasId && !isId(value["id"], rawId)) return bad("null", invalid("id must be a string, an integer or null", "id"));
  const params = value["params"] ?? {};
  if (!hasId) {
    const cancelledKey = method === CANCELLED && isObject(params) ? namedRequest(params, text) : null;
    return { kind: "notification", method, params: isObject(params) ? params : {}, cancelledKey };
  }
  if (!isObject(params)) {
    return bad(
      idText,
      new ProtocolError(INVALID_PARAMS, "Invalid params: params must be an object", { reason: "params" }),
    );
  }
  return { kind: "request", idText, method, params };
}

const CANCELLED = "notifications/cancelled";

/** Key of `params.requestId`. An integer that a double cannot hold is looked up in the text, as ids are (O-11). */
function namedRequest(params: Params, text: string): string | null {
  const id = params["requestId"];
  if (typeof id === "string") return JSON.stringify(id);
  if (typeof id !== "number") return null;
  if (Number.isSafeInteger(id)) return String(id);
  const spelled = [...text.matchAll(/"requestId"\s*:\s*(-?\d+)/g)].map((match) => match[1] as string);
  return spelled.findLast((digits) => Number(digits) === id) ?? null;
}

function isId(id: unknown, rawId: string | null): boolean {
  if (rawId === null) return false;
  if (id === null || typeof id === "string") return true;
  // Judged on the text: 9007199254740993 is an integer although its double is not exact, 1.5 and 1e999 are not.
  return typeof id === "number" && /^-?\d+$/.test(rawId);
}

/** True for JSON objects: neither arrays nor null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(fact: string, reason: string): ProtocolError {
  return new ProtocolError(INVALID_REQUEST, `Invalid Request: ${fact}`, { reason });
}

function bad(idText: string, error: ProtocolError): BadMessage {
  return { kind: "bad", idText, error };
}

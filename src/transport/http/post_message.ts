/**
 * POST /mcp: one JSON-RPC message in, its answer out (contract 2.7).
 *
 * Order: media type → length → body → message → era → duplicate headers → mirrors → `_meta` → version → dispatch.
 */

import type { Dispatcher } from "../../protocol/dispatch.ts";
import type { Channel } from "../../protocol/channel.ts";
import { eraOf } from "../../protocol/era.ts";
import { InFlight } from "../../protocol/in_flight.ts";
import { type NotificationMessage, parseMessage, type RequestMessage } from "../../protocol/message.ts";
import {
  HEADER_MISMATCH,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  MISSING_CAPABILITY,
  PARSE_ERROR,
  ProtocolError,
  UNSUPPORTED_VERSION,
} from "../../protocol/protocol_error.ts";
import { readMeta } from "../../protocol/rev_2026_07_28/codec.ts";
import { ALL_REVISIONS } from "../../protocol/revisions.ts";
import { empty, type ExtraHeaders, jsonText, rpcError } from "./answer.ts";
import { openEventStream } from "./event_stream.ts";
import { checkMirrors, refuseDuplicates } from "./mirror_headers.ts";
import { MAX_BODY_BYTES, readBody } from "./read_body.ts";

/** What was found out about a request before its body is read. */
export interface PostScene {
  readonly dispatcher: Dispatcher;
  readonly principal: string;
  /** Headers of CORS, for every answer. */
  readonly headers: ExtraHeaders;
}

type Spoken = RequestMessage | NotificationMessage;

/** The answer as JSON, or as an event stream when the client takes one and the call reports progress. */
export async function postMessage(request: Request, scene: PostScene): Promise<Response> {
  const refusal = checkEntity(request);
  if (refusal !== null) return rpcError(refusal.status, refusal.error, { headers: scene.headers });
  const body = await readBody(request);
  if (body.kind !== "bytes") return refusedBody(body.kind, scene.headers);
  const message = parseMessage(body.bytes);
  if (message === null) {
    return rpcError(400, new ProtocolError(PARSE_ERROR, "Parse error: the body is empty"), { headers: scene.headers });
  }
  if (message.kind === "bad") return rpcError(400, message.error, { idText: message.idText, headers: scene.headers });
  // Nothing was ever asked over HTTP, so a response answers no question of ours (O-18).
  if (message.kind === "response") return empty(202, scene.headers);
  const idText = message.kind === "request" ? message.idText : "null";
  const versionHeader = request.headers.get("MCP-Protocol-Version")?.trim();
  try {
    const era = eraOf({ ...message, versionHeader });
    if (era === "stateless") checkStateless(request.headers, message);
    else checkHandshake(versionHeader);
  } catch (fault) {
    if (!(fault instanceof ProtocolError)) throw fault;
    return rpcError(statusOf(fault.code, "stateless"), fault, { idText, headers: scene.headers });
  }
  return await dispatch(message, { request, scene, versionHeader });
}

function checkEntity(request: Request): { status: number; error: ProtocolError } | null {
  const fault = (status: number, fact: string, data?: Record<string, unknown>) => ({
    status,
    error: new ProtocolError(INVALID_REQUEST, `Invalid Request: ${fact}`, data),
  });
  const type = request.headers.get("Content-Type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") return fault(415, "Content-Type must be application/json");
  const length = request.headers.get("Content-Length");
  if (length === null) return fault(411, "Content-Length is required");
  if (!/^\d+$/.test(length.trim())) return fault(400, "Content-Length must be a number");
  if (Number(length) > MAX_BODY_BYTES) return { ...fault(413, "the body is too large", { max_bytes: MAX_BODY_BYTES }) };
  return null;
}

function refusedBody(kind: "too_large" | "too_slow" | "broken", headers: ExtraHeaders): Response {
  const closing = { ...headers, Connection: "close" };
  if (kind === "too_large") {
    const error = new ProtocolError(INVALID_REQUEST, "Invalid Request: the body is too large", {
      max_bytes: MAX_BODY_BYTES,
    });
    return rpcError(413, error, { headers: closing });
  }
  const fact = kind === "too_slow" ? "the body did not arrive in time" : "the body was cut off";
  return rpcError(kind === "too_slow" ? 408 : 400, new ProtocolError(INVALID_REQUEST, `Invalid Request: ${fact}`), {
    headers: closing,
  });
}

/**
 * An envelope that is not whole comes first, then the mirrors, then a version that is not served (O-15).
 *
 * @throws ProtocolError
 */
function checkStateless(headers: Headers, message: Spoken): void {
  const fault = message.kind === "request" ? metaFault(message) : null;
  if (fault !== null && fault.code !== UNSUPPORTED_VERSION) throw fault;
  refuseDuplicates(headers);
  checkMirrors(headers, message);
  if (fault !== null) throw fault;
}

function metaFault({ method, params }: RequestMessage): ProtocolError | null {
  try {
    readMeta(params);
    return null;
  } catch (fault) {
    if (fault instanceof ProtocolError) return fault;
    throw new Error(`the envelope of ${method} could not be judged`, { cause: fault });
  }
}

/** @throws ProtocolError −32600 for a version nobody speaks; a missing header means 2025-11-25 */
function checkHandshake(versionHeader: string | undefined): void {
  if (versionHeader === undefined || ALL_REVISIONS.includes(versionHeader)) return;
  throw new ProtocolError(INVALID_REQUEST, `Invalid Request: unsupported protocol version ${versionHeader}`, {
    supported: ALL_REVISIONS,
    received: versionHeader,
  });
}

interface DispatchScene {
  readonly request: Request;
  readonly scene: PostScene;
  readonly versionHeader: string | undefined;
}

async function dispatch(message: Spoken, { request, scene, versionHeader }: DispatchScene): Promise<Response> {
  const streamed = message.kind === "request" && wantsStream(request, message);
  const stream = streamed ? openEventStream(scene.headers) : null;
  const channel: Channel = {
    principal: scene.principal,
    inFlight: new InFlight(),
    closed: stream === null ? request.signal : AbortSignal.any([request.signal, stream.closed]),
    send: stream === null ? null : stream.send,
    ...(versionHeader === undefined ? {} : { versionHeader }),
  };
  if (message.kind === "notification") {
    scene.dispatcher.notify(message, channel);
    return empty(202, scene.headers);
  }
  const answered = scene.dispatcher.request(message, channel);
  if (stream !== null) {
    answered.then((reply) => {
      if (reply !== null) stream.send(reply.text);
      stream.end();
    });
    return stream.response;
  }
  const reply = await answered;
  if (reply === null) return empty(202, scene.headers);
  const status = reply.errorCode === null ? 200 : statusOf(reply.errorCode, reply.era);
  return jsonText(status, reply.text, scene.headers);
}

/** Only a call that asked for progress gains from a stream; everything else is plain JSON. */
function wantsStream(request: Request, { method, params }: RequestMessage): boolean {
  const token = (params["_meta"] as { progressToken?: unknown } | undefined)?.progressToken;
  if (method !== "tools/call" || token === undefined) return false;
  return /(?:^|,)\s*text\/event-stream\s*(?:;|,|$)/i.test(request.headers.get("Accept") ?? "");
}

const STATELESS_STATUS: Readonly<Record<number, number>> = {
  [METHOD_NOT_FOUND]: 404,
  [INVALID_PARAMS]: 400,
  [INVALID_REQUEST]: 400,
  [HEADER_MISMATCH]: 400,
  [MISSING_CAPABILITY]: 400,
  [UNSUPPORTED_VERSION]: 400,
};

/** The handshake era always answers 200; the stateless one maps its errors (contract 2.7). */
function statusOf(code: number, era: "handshake" | "stateless"): number {
  return era === "handshake" ? 200 : STATELESS_STATUS[code] ?? 200;
}

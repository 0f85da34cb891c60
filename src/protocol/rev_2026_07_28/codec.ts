/**
 * Frozen codec of the stateless era (MCP 2026-07-28).
 *
 * Every request carries version and client capabilities in `_meta`; every result says its type and who answered.
 */

import { isObject, type Params } from "../message.ts";
import { INVALID_PARAMS, ProtocolError, UNSUPPORTED_VERSION } from "../protocol_error.ts";
import { META_PREFIX, STATELESS_REVISION } from "../revisions.ts";
import type { CallResult } from "../../catalog/envelope.ts";
import type { ServerInfo } from "../served.ts";
import { stringifyResult } from "../stringify_result.ts";
import type { InputRequired } from "./input_round.ts";

/** What `_meta` of a request said. */
export interface RequestMeta {
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly client: { readonly name?: string; readonly version?: string };
}

/** Characters kept of a client's name and version (contract 2.5). */
const MAX_CLIENT_FIELD = 200;

/** Reads the protocol's own `_meta` keys. @throws ProtocolError −32602 or −32022 (contract 2.5, O-15) */
export function readMeta(params: Params): RequestMeta {
  const meta = isObject(params["_meta"]) ? params["_meta"] : {};
  const version = meta[META_PREFIX + "protocolVersion"];
  if (typeof version !== "string") throw invalidMeta("protocolVersion", "must be a string", "protocol_version");
  if (version !== STATELESS_REVISION) {
    throw new ProtocolError(UNSUPPORTED_VERSION, `Unsupported protocol version: ${version}`, {
      supported: [STATELESS_REVISION],
      requested: version,
      received: version,
    });
  }
  const capabilities = meta[META_PREFIX + "clientCapabilities"];
  if (!isObject(capabilities)) throw invalidMeta("clientCapabilities", "must be an object", "client_capabilities");
  const client = meta[META_PREFIX + "clientInfo"];
  if (client !== undefined && !isObject(client)) throw invalidMeta("clientInfo", "must be an object", "client_info");
  return { capabilities, client: { ...keep(client, "name"), ...keep(client, "version") } };
}

function keep(client: Record<string, unknown> | undefined, key: "name" | "version"): Record<string, string> {
  const value = client?.[key];
  return typeof value === "string" ? { [key]: value.slice(0, MAX_CLIENT_FIELD) } : {};
}

function invalidMeta(key: string, fact: string, reason: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `Invalid params: _meta["${META_PREFIX}${key}"] ${fact}`, { reason });
}

interface DiscoverFacts {
  readonly info: ServerInfo;
  readonly instructions: string;
}

/** `ttlMs: 0`: nothing is promised about how long the answer holds; `private`: it belongs to this client only. */
const CACHE = { ttlMs: 0, cacheScope: "private" } as const;

/** JSON text of the result of `server/discover`. */
export function discoverResult({ info, instructions }: DiscoverFacts): string {
  return JSON.stringify({
    resultType: "complete",
    supportedVersions: [STATELESS_REVISION],
    capabilities: { tools: { listChanged: false } },
    instructions,
    ...CACHE,
    _meta: { [META_PREFIX + "serverInfo"]: info },
  });
}

/** JSON text of the result of `tools/list`; `toolsText` is the JSON array of the definitions. */
export function listResult(toolsText: string, info: ServerInfo): string {
  const rest = JSON.stringify({ ...CACHE, _meta: { [META_PREFIX + "serverInfo"]: info } });
  return `{"resultType":"complete","tools":${toolsText},${rest.slice(1)}`;
}

/** JSON text of the result of `tools/call` that needs no further round. */
export function callResult(result: CallResult, info: ServerInfo): string {
  return stringifyResult({ resultType: "complete", ...result, _meta: { [META_PREFIX + "serverInfo"]: info } });
}

/** Asks the client to collect answers and to send the same call again with them (multi round-trip request). */
export function inputRequiredResult({ requests, requestState }: InputRequired, info: ServerInfo): string {
  return JSON.stringify({
    resultType: "input_required",
    inputRequests: requests,
    requestState,
    _meta: { [META_PREFIX + "serverInfo"]: info },
  });
}

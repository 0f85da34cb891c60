/** Path and method → answer (the table of contract 2.7). */

import { isLoopbackBinding } from "../../base/loopback_host.ts";
import type { Config } from "../../config/config.ts";
import type { Dispatcher } from "../../protocol/dispatch.ts";
import { INVALID_REQUEST, METHOD_NOT_FOUND, ProtocolError } from "../../protocol/protocol_error.ts";
import type { Served } from "../../protocol/served.ts";
import { empty, type ExtraHeaders, json, rpcError } from "./answer.ts";
import type { Authorizer } from "./authorize.ts";
import { baseUrl } from "./base_url.ts";
import { corsHeaders, isHostAllowed, isOriginAllowed, type OriginRules } from "./origin.ts";
import { postMessage } from "./post_message.ts";
import { requestTarget } from "./request_target.ts";
import { serverCard } from "./server_card.ts";

/** Answers the paths of OAuth (contract 2.9); null for a path that is none of its own. */
export type OAuthRoutes = (
  path: string,
  request: Request,
  scene: { base: string; headers: ExtraHeaders },
) => Promise<Response | null>;

/** What the handler passes requests on to. */
export interface HandlerOptions {
  readonly config: Config;
  readonly served: Served;
  readonly dispatcher: Dispatcher;
  readonly authorizer: Authorizer;
  /** Null: no path of OAuth exists. */
  readonly oauth: OAuthRoutes | null;
  /** JSON text of the definitions with their real annotations, for the server card. */
  readonly trueListing: string;
}

/** Code of refusals by the transport itself (contract 2.5): no authorization, no such stream. */
const TRANSPORT_REFUSAL = -32000;

const CARD_PATHS: ReadonlySet<string> = new Set(["/.well-known/mcp.json", "/.well-known/mcp/server-card.json"]);
const OAUTH_PATHS: ReadonlySet<string> = new Set([
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-authorization-server",
  "/oauth/authorize",
  "/oauth/token",
  "/oauth/register",
]);

/** Returns the function that answers one request. It never rejects for anything a client sends. */
export function makeHandler(options: HandlerOptions): (request: Request) => Promise<Response> {
  const { http } = options.config;
  const rules: OriginRules = { ...http, boundToLoopback: isLoopbackBinding(http.host) };
  return async (request) => {
    const { path, authority } = requestTarget(request.url);
    const origin = request.headers.get("Origin");
    if (!isOriginAllowed(origin, rules)) return forbidden("Origin is not allowed");
    // HTTP/2 has no Host but an authority, which is that of the address (RFC 9113 section 8.3.1).
    const hosts = [request.headers.get("Host") ?? authority, authority];
    if (!hosts.every((host) => isHostAllowed(host, rules))) return forbidden("Host is not allowed");
    const headers = corsHeaders(origin);
    const base = baseUrl(request, http);
    if (request.method === "OPTIONS") return preflight(path, headers);
    if (path === "/mcp") return await atEndpoint(request, { ...options, headers, base });
    return withoutBodyOnHead(request, await elsewhere(path, request, { ...options, headers, base }));
  };
}

interface Scene extends HandlerOptions {
  readonly headers: ExtraHeaders;
  readonly base: string;
}

async function atEndpoint(request: Request, scene: Scene): Promise<Response> {
  const principal = await scene.authorizer.admit(request, scene.base);
  if (principal === null) {
    const headers = { ...scene.headers, "WWW-Authenticate": scene.authorizer.challenge(scene.base) };
    return withoutBodyOnHead(request, rpcError(401, new ProtocolError(TRANSPORT_REFUSAL, "Unauthorized"), { headers }));
  }
  if (request.method === "POST") {
    return await postMessage(request, { dispatcher: scene.dispatcher, principal, headers: scene.headers });
  }
  const code = request.method === "DELETE" ? METHOD_NOT_FOUND : TRANSPORT_REFUSAL;
  const error = new ProtocolError(code, `Method not allowed: ${request.method} /mcp`);
  return withoutBodyOnHead(request, rpcError(405, error, { headers: { ...scene.headers, Allow: "POST" } }));
}

async function elsewhere(path: string, request: Request, scene: Scene): Promise<Response> {
  const { headers } = scene;
  const reads = request.method === "GET" || request.method === "HEAD";
  if (reads && CARD_PATHS.has(path)) return json(200, serverCard(scene.served, scene), headers);
  if (reads && path === "/healthz") return json(200, { status: "ok" }, headers);
  if (OAUTH_PATHS.has(path)) {
    const answer = await scene.oauth?.(path, request, scene) ?? null;
    if (answer !== null) return answer;
  }
  if (request.method === "POST") {
    return rpcError(404, new ProtocolError(METHOD_NOT_FOUND, "Unknown endpoint"), { headers });
  }
  return json(404, { error: "Unknown endpoint" }, headers);
}

function preflight(path: string, headers: ExtraHeaders): Response {
  const known = path === "/mcp" || path === "/healthz" || CARD_PATHS.has(path) || OAUTH_PATHS.has(path);
  if (!known) return json(404, { error: "Unknown endpoint" }, headers);
  return empty(204, { ...headers, Allow: "GET, HEAD, POST, OPTIONS" });
}

function forbidden(fact: string): Response {
  return rpcError(403, new ProtocolError(INVALID_REQUEST, `Invalid Request: ${fact}`));
}

function withoutBodyOnHead(request: Request, response: Response): Response {
  return request.method === "HEAD"
    ? new Response(null, { status: response.status, headers: response.headers })
    : response;
}

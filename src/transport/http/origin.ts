/** Which web pages and which host names may talk to this server (contract 2.7; MCP Streamable HTTP, "Security warning"). */

import { isLoopbackHost } from "../../base/loopback_host.ts";

/** What of the configuration decides. */
export interface OriginRules {
  /** Exact origins beyond loopback that are let in. */
  readonly allowedOrigins: readonly string[];
  /** True when the listener is bound to loopback. */
  readonly boundToLoopback: boolean;
  /** A proxy in front has checked the host already. */
  readonly trustProxyHeaders: boolean;
  /** Public address of this server; null: it has none. */
  readonly serverUrl: string | null;
}

/** A request without an `Origin` comes from no web page and is allowed here; authentication decides about it. */
export function isOriginAllowed(origin: string | null, rules: OriginRules): boolean {
  if (origin === null) return true;
  const parsed = /^(https?):\/\/(\[[0-9a-fA-F:.]+\]|[^/?#@:[\]\s;]+)(?::(\d{1,5}))?\/?$/.exec(origin);
  if (parsed === null || Number(parsed[3] ?? 1) > 65_535 || Number(parsed[3] ?? 1) === 0) return false;
  return isLoopbackHost(parsed[2] as string) || rules.allowedOrigins.includes(origin.replace(/\/$/, ""));
}

/**
 * Security: a page of an attacker can point a name of its own at 127.0.0.1 (DNS rebinding); its requests then carry that
 * name as `Host`. A loopback listener therefore answers to loopback names only, unless a proxy or a public URL is configured.
 */
export function isHostAllowed(host: string, rules: OriginRules): boolean {
  if (!rules.boundToLoopback || rules.trustProxyHeaders || rules.serverUrl !== null) return true;
  const name = /^(\[[0-9a-fA-F:.]+\]|[^:]*)(?::\d+)?$/.exec(host.trim())?.[1];
  if (name === undefined) return false;
  return isLoopbackHost(name) ||
    rules.allowedOrigins.some((origin) => origin.replace(/^https?:\/\//, "") === host.trim());
}

/** CORS headers of an answer to an allowed origin; none for a request without one (Fetch standard, CORS protocol). */
export function corsHeaders(origin: string | null): Record<string, string> {
  if (origin === null) return {};
  return {
    "Access-Control-Allow-Origin": origin,
    "Vary": "Origin",
    "Access-Control-Allow-Methods": "GET, HEAD, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Accept, Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name",
  };
}

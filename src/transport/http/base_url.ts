/** The address under which clients know this server (contract 2.9). */

import type { HttpConfig } from "../../config/config.ts";
import { isLoopbackHost } from "../../base/loopback_host.ts";
import { requestTarget } from "./request_target.ts";

/** Configured public URL, else the forwarded one where a proxy is trusted, else the request's own host; without a trailing slash. */
export function baseUrl(request: Request, config: HttpConfig): string {
  if (config.serverUrl !== null) return config.serverUrl.replace(/\/+$/, "");
  const { host, scheme } = config.trustProxyHeaders ? forwarded(request.headers) : { host: null, scheme: null };
  const asked = request.headers.get("Host") ?? requestTarget(request.url).authority;
  const own = firstValid(host, asked) ?? `${config.host}:${config.port}`;
  const name = own.replace(/:\d+$/, "");
  const usual = config.tlsCert !== null || !isLoopbackHost(name) ? "https" : "http";
  return `${scheme ?? usual}://${own}`;
}

function forwarded(headers: Headers): { host: string | null; scheme: string | null } {
  const standard = headers.get("Forwarded");
  const field = (name: string) =>
    standard === null ? null : new RegExp(`(?:^|[;,\\s])${name}="?([^;,"\\s]+)`, "i").exec(standard)?.[1] ?? null;
  const scheme = (headers.get("X-Forwarded-Proto") ?? field("proto"))?.split(",", 1)[0]?.trim().toLowerCase() ?? null;
  return {
    host: headers.get("X-Forwarded-Host")?.split(",", 1)[0]?.trim() ?? field("host"),
    scheme: scheme === "http" || scheme === "https" ? scheme : null,
  };
}

/** Security: a host with user info, a path or spaces would let a caller put words of its own into redirects and metadata. */
function firstValid(...hosts: (string | null)[]): string | null {
  for (const host of hosts) {
    if (host === null || host === "" || /[\s/\\@?#]/.test(host)) continue;
    const port = /^(?:\[[0-9a-fA-F:.]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(host);
    if (port !== null && Number(port[1] ?? 1) >= 1 && Number(port[1] ?? 1) <= 65_535) return host;
  }
  return null;
}

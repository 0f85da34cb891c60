/** The HTTP listener: binds, logs one line a request, ends gracefully. */

import { readFileSync } from "node:fs";
import { randomId } from "../../base/random_id.ts";
import type { Config } from "../../config/config.ts";
import { ConfigError } from "../../config/setting.ts";
import { Dispatcher } from "../../protocol/dispatch.ts";
import type { Served } from "../../protocol/served.ts";
import { rpcError } from "./answer.ts";
import { makeAuthorizer } from "./authorize.ts";
import { makeHandler, type OAuthRoutes } from "./make_handler.ts";
import { requestTarget } from "./request_target.ts";
import { INTERNAL_ERROR, ProtocolError } from "../../protocol/protocol_error.ts";
import type { VerifyAccessToken } from "./authorize.ts";

/** Requests served at once; more are told to come again, so that a flood cannot fill the memory (1 MiB of body each). */
const MAX_CONCURRENT = 512;

/** What the listener serves and how. */
export interface HttpOptions {
  readonly config: Config;
  readonly served: Served;
  /** Definitions with their real annotations, for the server card. */
  readonly trueListing: string;
  readonly oauth: { readonly routes: OAuthRoutes; readonly verify: VerifyAccessToken } | null;
  /** Told where the server listens, once it does. */
  readonly onListen?: (url: string) => void;
}

/** A listener that accepts connections. */
export interface HttpServer {
  /** Resolves when the listener is closed and every answer was sent. */
  readonly finished: Promise<void>;
  /** Stops accepting and lets running requests end; those that are not there whole are given up. */
  close(): Promise<void>;
}

/**
 * Binds at once and serves until `close`.
 *
 * @throws ConfigError when the address cannot be bound or the TLS files cannot be read
 */
export function serveHttp({ config, served, trueListing, oauth, onListen }: HttpOptions): HttpServer {
  const { http } = config;
  const bearerToken = http.authToken ??
    (http.generateAuthToken && http.authMode !== "oauth" ? generatedToken(served) : null);
  const dispatcher = new Dispatcher(served);
  const handler = makeHandler({
    config,
    served,
    trueListing,
    dispatcher,
    authorizer: makeAuthorizer({ bearerToken, verifyAccessToken: oauth?.verify ?? null }),
    oauth: oauth?.routes ?? null,
  });
  let running = 0;
  const label = oauth !== null ? "OAuth" : bearerToken !== null ? "bearer token" : "no authentication";
  const server = listen(config, {
    onListen: (url) => {
      served.log(`listening on ${url}/mcp (${label})`);
      onListen?.(url);
    },
    handle: async (request, peer) => {
      const startedAt = performance.now();
      // An answer that is a stream has left its handler long before its request is done.
      if (Math.max(running, dispatcher.busy) >= MAX_CONCURRENT) return busy();
      running++;
      let status = 500;
      try {
        const response = await handler(request);
        status = response.status;
        return response;
      } catch (fault) {
        served.log(`internal error: ${fault instanceof Error ? fault.stack ?? fault.message : String(fault)}`);
        return rpcError(500, new ProtocolError(INTERNAL_ERROR, "Internal error"));
      } finally {
        running--;
        served.log(
          JSON.stringify({
            event: "http",
            peer,
            method: request.method,
            path: requestTarget(request.url).path,
            status,
            ms: Math.round(performance.now() - startedAt),
          }),
        );
      }
    },
  });
  return { finished: server.finished, close: () => closed(server, dispatcher) };
}

/** How long answers that were made may take to be sent once the listener closes. */
const FLUSH_MS = 500;

/** Requests that have not arrived whole are not waited for: whoever holds them open must not hold up the end. */
async function closed(server: Deno.HttpServer, dispatcher: Dispatcher): Promise<void> {
  const whole = server.shutdown();
  const served = dispatcher.idle().then(() => new Promise<void>((resolve) => setTimeout(resolve, FLUSH_MS)));
  await Promise.race([whole, served]);
}

interface Listening {
  readonly onListen: (url: string) => void;
  readonly handle: (request: Request, peer: string) => Promise<Response>;
}

function listen({ http }: Config, { onListen, handle }: Listening): Deno.HttpServer<Deno.NetAddr> {
  const tls = http.tlsCert === null || http.tlsKey === null
    ? {}
    : { cert: readPem(http.tlsCert), key: readPem(http.tlsKey) };
  const scheme = http.tlsCert === null ? "http" : "https";
  try {
    return Deno.serve(
      {
        hostname: http.host === "" ? "127.0.0.1" : http.host,
        port: http.port,
        onListen: ({ hostname, port }) =>
          onListen(`${scheme}://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`),
        ...tls,
      },
      (request, info) => handle(request, info.remoteAddr.hostname),
    );
  } catch (fault) {
    throw new ConfigError(
      `cannot listen on ${http.host}:${http.port}: ${fault instanceof Error ? fault.message : String(fault)}`,
    );
  }
}

function readPem(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (fault) {
    throw new ConfigError(`cannot read ${path}: ${fault instanceof Error ? fault.message : String(fault)}`);
  }
}

/** 256 bits, printed once: nobody else can know it. */
function generatedToken(served: Served): string {
  const token = randomId(256);
  served.log(`generated bearer token: ${token}`);
  return token;
}

function busy(): Response {
  return rpcError(503, new ProtocolError(INTERNAL_ERROR, "Too many requests at once; try again"), {
    headers: { "Retry-After": "1" },
  });
}

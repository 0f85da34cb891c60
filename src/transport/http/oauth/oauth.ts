/** OAuth 2.1 for this server: it is its own authorization server (MCP authorization; contract 2.9). */

import { randomBytes } from "node:crypto";
import type { HttpConfig } from "../../../config/config.ts";
import { ConfigError } from "../../../config/setting.ts";
import { json } from "../answer.ts";
import type { VerifyAccessToken } from "../authorize.ts";
import type { OAuthRoutes } from "../make_handler.ts";
import { readBody } from "../read_body.ts";
import { requestTarget } from "../request_target.ts";
import { AccessTokens } from "./access_tokens.ts";
import { acceptForm, type AuthorizeScene, showForm } from "./authorize_endpoint.ts";
import { AUTH_METHODS, OAuthClients, RegistrationError } from "./clients.ts";
import { AuthorizationCodes } from "./codes.ts";
import { faultPage } from "./pages.ts";
import { redirectUrisFault } from "./redirect_uri.ts";
import { exchangeCode } from "./token_endpoint.ts";

/** The paths of the authorization server, and the check of what it issued. */
export interface OAuth {
  readonly routes: OAuthRoutes;
  readonly verify: VerifyAccessToken;
}

/** Metadata of a client, and a form of at most a dozen fields: both are far smaller. */
const MAX_REGISTRATION_BYTES = 8_192;
const MAX_FORM_BYTES = 16_384;
/** Where a client that the operator configured without redirect URIs may be answered. */
const DEFAULT_REDIRECT = "http://127.0.0.1:3334/oauth/callback";

/**
 * The authorization server of one run.
 *
 * @param log told the password when it had to be generated
 * @throws ConfigError for redirect URIs that no client may have
 */
export function makeOAuth(config: HttpConfig["oauth"], log: (line: string) => void): OAuth {
  const clients = new OAuthClients();
  if (config.clientId !== null) {
    const redirectUris = config.redirectUris.length > 0 ? config.redirectUris : [DEFAULT_REDIRECT];
    const fault = redirectUrisFault(redirectUris);
    if (fault !== null) throw new ConfigError(`VISE_OAUTH_REDIRECT_URIS cannot be used: ${fault}`);
    clients.preregister({ id: config.clientId, secret: config.clientSecret, redirectUris });
  }
  const password = config.password ?? generatedPassword(log);
  const codes = new AuthorizationCodes();
  const tokens = new AccessTokens({ clients, secretHex: config.tokenSecret, lifeS: config.tokenTtlS });
  const routes: OAuthRoutes = async (path, request, { base, headers }) => {
    const scene: AuthorizeScene = { base, clients, codes, password };
    switch (`${request.method === "HEAD" ? "GET" : request.method} ${path}`) {
      case "GET /.well-known/oauth-protected-resource":
        return json(
          200,
          { resource: base, authorization_servers: [base], bearer_methods_supported: ["header"] },
          headers,
        );
      case "GET /.well-known/oauth-authorization-server":
        return json(200, serverMetadata(base), headers);
      case "POST /oauth/register":
        return await register(request, { clients, headers });
      case "GET /oauth/authorize":
        return showForm(requestTarget(request.url).query, scene);
      case "POST /oauth/authorize": {
        const body = await readForm(request);
        return body === null ? faultPage(400, "the form could not be read") : await acceptForm(body, scene);
      }
      case "POST /oauth/token": {
        const body = await readForm(request);
        if (body === null) return json(400, { error: "invalid_request" }, headers);
        return await exchangeCode(request, body, { base, clients, codes, tokens, headers });
      }
      default:
        return null;
    }
  };
  return { routes, verify: (token, base) => tokens.verify(token, base) };
}

function serverMetadata(base: string): Record<string, unknown> {
  return {
    issuer: base,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    registration_endpoint: `${base}/oauth/register`,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    authorization_response_iss_parameter_supported: true,
  };
}

async function register(
  request: Request,
  { clients, headers }: { clients: OAuthClients; headers: Readonly<Record<string, string>> },
): Promise<Response> {
  const length = request.headers.get("Content-Length");
  if (length === null) return json(411, { error: "invalid_client_metadata" }, headers);
  const body = await readBody(request, MAX_REGISTRATION_BYTES);
  if (body.kind === "too_large") return json(413, { error: "invalid_client_metadata" }, headers);
  if (body.kind !== "bytes") return json(400, { error: "invalid_client_metadata" }, headers);
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body.bytes));
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new SyntaxError("not an object");
    return json(201, clients.register(value as Record<string, unknown>), headers);
  } catch (fault) {
    if (fault instanceof RegistrationError) {
      return json(400, { error: fault.code, error_description: fault.message }, headers);
    }
    return json(
      400,
      { error: "invalid_client_metadata", error_description: "the body must be a JSON object" },
      headers,
    );
  }
}

async function readForm(request: Request): Promise<URLSearchParams | null> {
  const type = request.headers.get("Content-Type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded") return null;
  const body = await readBody(request, MAX_FORM_BYTES);
  return body.kind === "bytes" ? new URLSearchParams(new TextDecoder().decode(body.bytes)) : null;
}

function generatedPassword(log: (line: string) => void): string {
  const password = randomBytes(18).toString("base64url");
  log(`generated OAuth password: ${password}`);
  return password;
}

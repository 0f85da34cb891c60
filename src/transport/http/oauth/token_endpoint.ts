/** POST /oauth/token: a code becomes an access token (RFC 6749 section 4.1.3, RFC 7636; contract 2.9). */

import { Buffer } from "node:buffer";
import { json } from "../answer.ts";
import type { AccessTokens } from "./access_tokens.ts";
import { isSecretOf, type OAuthClient, type OAuthClients } from "./clients.ts";
import { type AuthorizationCodes, isVerifier, matchesChallenge } from "./codes.ts";

/** What the endpoint works with; `base` is the address of this server as the client sees it. */
export interface TokenScene {
  readonly base: string;
  readonly clients: OAuthClients;
  readonly codes: AuthorizationCodes;
  readonly tokens: AccessTokens;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A token for a code, or the error of RFC 6749 section 5.2. A code that was looked at is spent, whatever comes of it.
 */
export async function exchangeCode(request: Request, body: URLSearchParams, scene: TokenScene): Promise<Response> {
  for (const name of new Set(body.keys())) {
    if (body.getAll(name).length > 1) return fault(scene, 400, "invalid_request");
  }
  if (body.get("grant_type") !== "authorization_code") return fault(scene, 400, "unsupported_grant_type");
  const client = authenticate(request.headers.get("Authorization"), body, scene.clients);
  if (client === null) {
    // RFC 6749 section 5.2: the answer names the scheme the client may use.
    const headers = { ...scene.headers, "WWW-Authenticate": 'Basic realm="vise"' };
    return fault({ headers }, 401, "invalid_client");
  }
  const grant = scene.codes.redeem(body.get("code") ?? "");
  if (grant === null || grant.clientId !== client.id || grant.redirectUri !== body.get("redirect_uri")) {
    return fault(scene, 400, "invalid_grant");
  }
  const resource = body.get("resource");
  if (resource !== null && resource.replace(/\/$/, "") !== grant.resource) return fault(scene, 400, "invalid_target");
  if (grant.resource !== scene.base) return fault(scene, 400, "invalid_target");
  const verifier = body.get("code_verifier");
  if (!isVerifier(verifier) || !matchesChallenge(verifier, grant.challenge)) return fault(scene, 400, "invalid_grant");
  const token = await scene.tokens.issue(client.id, scene.base);
  return json(200, { access_token: token, token_type: "Bearer", expires_in: scene.tokens.lifeS }, {
    ...scene.headers,
    Pragma: "no-cache",
  });
}

/** The client, authenticated by exactly the method it registered with; null otherwise. */
function authenticate(authorization: string | null, body: URLSearchParams, clients: OAuthClients): OAuthClient | null {
  const basic = basicCredentials(authorization);
  const client = clients.find(basic?.id ?? body.get("client_id"));
  if (client === undefined) return null;
  const posted = body.get("client_secret");
  switch (client.authMethod) {
    case "client_secret_basic":
      return basic !== null && posted === null && isSecretOf(client, basic.secret) ? client : null;
    case "client_secret_post":
      return basic === null && posted !== null && isSecretOf(client, posted) ? client : null;
    case "none":
      return basic === null && posted === null ? client : null;
  }
}

/** RFC 6749 section 2.3.1: id and secret are form-encoded before they are joined. */
function basicCredentials(authorization: string | null): { id: string; secret: string } | null {
  const encoded = /^Basic +(\S+)$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return null;
  const [id, ...rest] = Buffer.from(encoded, "base64").toString().split(":");
  try {
    return { id: decodeURIComponent(id as string), secret: decodeURIComponent(rest.join(":")) };
  } catch {
    return { id: "", secret: "" };
  }
}

function fault({ headers }: Pick<TokenScene, "headers">, status: number, error: string): Response {
  return json(status, { error }, headers);
}

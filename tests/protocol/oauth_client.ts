/** What a client and its person do to get a token from the server under test. */

import { strictEqual } from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { HttpVise } from "../support/http_vise.ts";
import type { TempWorkspace } from "../support/temp_workspace.ts";

/** What the person types. */
export const PASSWORD = "correct horse";
/** Key of the access tokens, 32 bytes in hexadecimal. */
export const SECRET = "00".repeat(16) + "ff".repeat(16);
/** Where every client of these tests is answered. */
export const REDIRECT = "http://127.0.0.1:9999/callback";
/** The smallest call that needs a token. */
export const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
/** Headers of a form that is posted. */
export const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** A server in OAuth mode with password and secret. */
export async function start(ws: TempWorkspace, env: Record<string, string> = {}): Promise<HttpVise> {
  return await HttpVise.start(ws.root, {
    flags: ["--oauth-mode"],
    env: { VISE_OAUTH_PASSWORD: PASSWORD, VISE_OAUTH_TOKEN_SECRET: SECRET, ...env },
  });
}

/** Registers a client with `more` in its metadata. */
export async function register(
  vise: HttpVise,
  more: Record<string, unknown> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  return await vise.fetch("/oauth/register", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ redirect_uris: [REDIRECT], client_name: "Test", ...more }),
  });
}

/** A verifier and its S256 challenge (RFC 7636). */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** An authorization request that is right. */
export function authorizeParams(vise: HttpVise, clientId: unknown, challenge: string): Record<string, string> {
  return {
    response_type: "code",
    client_id: String(clientId),
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: "S256",
    resource: vise.origin,
    state: "s t/a&te",
  };
}

/** Posts the login page; a redirect is not followed. */
export async function login(vise: HttpVise, params: Record<string, string>, password = PASSWORD): Promise<Response> {
  return await fetch(vise.origin + "/oauth/authorize", {
    method: "POST",
    redirect: "manual",
    headers: FORM,
    body: new URLSearchParams({ ...params, password }),
  });
}

/** Logs in and takes the code out of the redirect. */
export async function codeFor(vise: HttpVise, clientId: unknown, challenge: string): Promise<string> {
  const response = await login(vise, authorizeParams(vise, clientId, challenge));
  await response.body?.cancel();
  strictEqual(response.status, 302);
  const target = new URL(response.headers.get("Location") as string);
  strictEqual(target.origin + target.pathname, REDIRECT);
  strictEqual(target.searchParams.get("state"), "s t/a&te");
  return target.searchParams.get("code") as string;
}

/** Asks for a token with the fields of RFC 6749 section 4.1.3. */
export async function exchange(
  vise: HttpVise,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, string> }> {
  return await vise.fetch("/oauth/token", {
    method: "POST",
    headers: { ...FORM, ...headers },
    body: new URLSearchParams({ grant_type: "authorization_code", redirect_uri: REDIRECT, ...fields }),
  });
}

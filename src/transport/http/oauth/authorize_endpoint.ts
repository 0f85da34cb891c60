/** GET and POST /oauth/authorize: a person allows a client by password (RFC 6749 section 4.1; contract 2.9). */

import { createHash, timingSafeEqual } from "node:crypto";
import type { AuthorizationCodes } from "./codes.ts";
import type { OAuthClient, OAuthClients } from "./clients.ts";
import { faultPage, passwordPage } from "./pages.ts";

/** What the endpoint works with; `base` is the address of this server as the client sees it. */
export interface AuthorizeScene {
  readonly base: string;
  readonly clients: OAuthClients;
  readonly codes: AuthorizationCodes;
  readonly password: string;
}

/** Parameters that travel through the form. */
const FIELDS = [
  "response_type",
  "client_id",
  "redirect_uri",
  "code_challenge",
  "code_challenge_method",
  "resource",
  "state",
] as const;
/** Slows guessing: one wrong password costs this much, on top of what the network costs. */
const WRONG_PASSWORD_DELAY_MS = 500;

/** The page that asks for the password; a page with the fault when the request is wrong, never a redirect. */
export function showForm(query: URLSearchParams, scene: AuthorizeScene): Response {
  const checked = check(query, scene);
  return typeof checked === "string" ? faultPage(400, checked) : passwordPage(200, form(query, checked));
}

/** Sends the browser back to the client with a code when the password is right; waits after a wrong one. */
export async function acceptForm(body: URLSearchParams, scene: AuthorizeScene): Promise<Response> {
  const checked = check(body, scene);
  if (typeof checked === "string") return faultPage(400, checked);
  if (!isPassword(body.get("password") ?? "", scene.password)) {
    await new Promise((resolve) => setTimeout(resolve, WRONG_PASSWORD_DELAY_MS));
    return passwordPage(401, { ...form(body, checked), fault: "Wrong password" });
  }
  const redirectUri = body.get("redirect_uri") as string;
  const code = scene.codes.issue({
    clientId: checked.id,
    redirectUri,
    challenge: body.get("code_challenge") as string,
    resource: scene.base,
  });
  const target = new URL(redirectUri);
  target.searchParams.set("code", code);
  const state = body.get("state");
  if (state !== null) target.searchParams.set("state", state);
  // Names the issuer, so that a client of several servers cannot be given a code of another one (RFC 9207).
  target.searchParams.set("iss", scene.base);
  return new Response(null, { status: 302, headers: { Location: target.href, "Cache-Control": "no-store" } });
}

/** The client, or what is wrong. Faults are shown here and never sent to an address that was not checked first. */
function check(query: URLSearchParams, { base, clients }: AuthorizeScene): OAuthClient | string {
  for (const field of FIELDS) if (query.getAll(field).length > 1) return `${field} must stand once only`;
  if (query.get("response_type") !== "code") return "response_type must be code";
  const client = clients.find(query.get("client_id"));
  if (client === undefined) return "client_id is not registered here";
  const redirectUri = query.get("redirect_uri");
  if (redirectUri === null || !client.redirectUris.includes(redirectUri)) {
    return "redirect_uri is not registered for this client";
  }
  if (query.get("code_challenge_method") !== "S256") return "code_challenge_method must be S256";
  if (!/^[A-Za-z0-9\-_]{43}$/.test(query.get("code_challenge") ?? "")) {
    return "code_challenge must be 43 base64url characters";
  }
  const resource = query.get("resource");
  if (resource === null || resource.replace(/\/$/, "") !== base) return `resource must be ${base}`;
  return client;
}

function form(query: URLSearchParams, client: OAuthClient): Parameters<typeof passwordPage>[1] {
  const fields = Object.fromEntries(FIELDS.flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value]];
  }));
  return {
    clientName: client.name ?? client.id,
    redirectHost: new URL(query.get("redirect_uri") as string).host,
    fields,
  };
}

function isPassword(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

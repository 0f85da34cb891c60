/** Registered OAuth clients, in memory (RFC 7591; contract 2.9). */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { redirectUrisFault } from "./redirect_uri.ts";

/** How a client may authenticate at the token endpoint (RFC 7591 section 2). */
export const AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"] as const;
/** One of `AUTH_METHODS`; `none` is a public client, which PKCE alone protects. */
export type AuthMethod = typeof AUTH_METHODS[number];

/** Anybody may register, so the number is bounded. */
const MAX_CLIENTS = 1_024;
/** UTF-16 units of a name that is shown to a person. */
const MAX_NAME_LENGTH = 200;

/** A client that may ask for codes. */
export interface OAuthClient {
  readonly id: string;
  readonly name: string | null;
  readonly redirectUris: readonly string[];
  readonly authMethod: AuthMethod;
  /** SHA-256 of the secret; null for a public client. */
  readonly secretDigest: Uint8Array | null;
}

/** A registration that is refused, with its code of RFC 7591 section 3.2.2. */
export class RegistrationError extends Error {
  override readonly name = "RegistrationError";
  readonly code: "invalid_redirect_uri" | "invalid_client_metadata";

  constructor(code: RegistrationError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** The clients of this process; at most `MAX_CLIENTS` may register. */
export class OAuthClients {
  readonly #clients = new Map<string, OAuthClient>();

  /** Undefined for an id that is not known any more. */
  find(id: string | null): OAuthClient | undefined {
    return id === null ? undefined : this.#clients.get(id);
  }

  /** A client that the operator configured; it is never crowded out. */
  preregister(client: { id: string; secret: string | null; redirectUris: readonly string[] }): void {
    this.#clients.set(client.id, {
      id: client.id,
      name: null,
      redirectUris: client.redirectUris,
      authMethod: client.secret === null ? "none" : "client_secret_post",
      secretDigest: client.secret === null ? null : digest(client.secret),
    });
  }

  /** Registers a client and returns the body of the answer. @throws RegistrationError */
  register(request: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const fault = redirectUrisFault(request["redirect_uris"]);
    if (fault !== null) throw new RegistrationError("invalid_redirect_uri", fault);
    if (this.#clients.size >= MAX_CLIENTS) {
      throw new RegistrationError("invalid_client_metadata", "too many clients are registered");
    }
    const grants = narrowed(request["grant_types"], "authorization_code", "grant_types");
    const responses = narrowed(request["response_types"], "code", "response_types");
    const method = request["token_endpoint_auth_method"] ?? "none";
    if (!AUTH_METHODS.includes(method as AuthMethod)) {
      throw new RegistrationError(
        "invalid_client_metadata",
        `token_endpoint_auth_method must be one of ${AUTH_METHODS.join(", ")}`,
      );
    }
    const name = request["client_name"];
    const id = randomBytes(16).toString("base64url");
    const secret = method === "none" ? null : randomBytes(32).toString("base64url");
    const redirectUris = request["redirect_uris"] as string[];
    this.#clients.set(id, {
      id,
      name: typeof name === "string" ? name.slice(0, MAX_NAME_LENGTH) : null,
      redirectUris,
      authMethod: method as AuthMethod,
      secretDigest: secret === null ? null : digest(secret),
    });
    return {
      client_id: id,
      client_id_issued_at: Math.floor(Date.now() / 1000),
      redirect_uris: redirectUris,
      grant_types: grants,
      response_types: responses,
      token_endpoint_auth_method: method,
      ...(typeof name === "string" ? { client_name: name.slice(0, MAX_NAME_LENGTH) } : {}),
      ...(secret === null ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
    };
  }
}

/** Security: constant time over digests, so timing tells nothing about the secret. */
export function isSecretOf(client: OAuthClient, secret: string): boolean {
  return client.secretDigest !== null && timingSafeEqual(client.secretDigest, digest(secret));
}

function digest(secret: string): Uint8Array {
  return createHash("sha256").update(secret).digest();
}

/** What is supported of what was asked for; asking for nothing that is supported is an error. */
function narrowed(asked: unknown, supported: string, field: string): string[] {
  if (asked === undefined) return [supported];
  if (Array.isArray(asked) && asked.includes(supported)) return [supported];
  throw new RegistrationError("invalid_client_metadata", `${field} must include ${supported}`);
}

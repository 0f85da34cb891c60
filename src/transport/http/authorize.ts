/** Decides who may use the server over HTTP (contract 2.8). */

import type { Buffer } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";

/** Who asks: a digest of the credential, so that grants can be bound to it without keeping it. Null: not admitted. */
export type Principal = string | null;

/** The one check before a message is read. `base` is the address of this server as the client sees it. */
export interface Authorizer {
  /** Value of `WWW-Authenticate` for a refusal. */
  challenge(base: string): string;
  /** Looks at the header `Authorization` only (RFC 6750 section 2.1). */
  admit(request: Request, base: string): Promise<Principal>;
}

/** Checks an OAuth access token; null when OAuth is off. */
export type VerifyAccessToken = (token: string, base: string) => Promise<boolean>;

/** Either, both or neither credential is accepted. */
export interface AuthorizerOptions {
  readonly bearerToken: string | null;
  readonly verifyAccessToken: VerifyAccessToken | null;
}

/** Admits everybody when neither a bearer token nor OAuth is configured. */
export function makeAuthorizer({ bearerToken, verifyAccessToken }: AuthorizerOptions): Authorizer {
  const expected = bearerToken === null ? null : digest(bearerToken);
  return {
    challenge: (base) =>
      verifyAccessToken === null
        ? 'Bearer realm="vise"'
        : `Bearer realm="vise", resource_metadata="${base}/.well-known/oauth-protected-resource"`,
    async admit(request, base) {
      if (expected === null && verifyAccessToken === null) return "";
      const given = /^Bearer +(\S+)$/i.exec(request.headers.get("Authorization")?.trim() ?? "")?.[1];
      if (given === undefined) return null;
      const presented = digest(given);
      // Security: digests have one length and are compared in constant time, so timing tells nothing about the token.
      if (expected !== null && timingSafeEqual(presented, expected)) return presented.toString("hex");
      if (verifyAccessToken !== null && await verifyAccessToken(given, base)) return presented.toString("hex");
      return null;
    },
  };
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

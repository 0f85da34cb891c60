/** Access tokens: HS256 JWTs that only this server issues and reads (RFC 7519; contract 2.9). */

import { randomBytes } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import type { OAuthClients } from "./clients.ts";

/** The key and the life of tokens. */
export interface AccessTokensOptions {
  readonly clients: OAuthClients;
  /** Hex of at least 32 bytes; null: random, so that a restart ends every token. */
  readonly secretHex: string | null;
  readonly lifeS: number;
}

/** Issues tokens and checks them; nothing is stored, so one cannot be revoked before it expires. */
export class AccessTokens {
  readonly #key: Uint8Array;
  readonly #clients: OAuthClients;
  /** Seconds from issue to expiry. */
  readonly lifeS: number;

  constructor({ clients, secretHex, lifeS }: AccessTokensOptions) {
    this.#clients = clients;
    this.#key = secretHex === null ? randomBytes(32) : Uint8Array.fromHex(secretHex);
    this.lifeS = lifeS;
  }

  /** A token for the client, with `base` as issuer and audience. */
  async issue(clientId: string, base: string): Promise<string> {
    return await new SignJWT({ client_id: clientId, scope: "mcp" })
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuer(base)
      .setAudience(base)
      .setSubject(clientId)
      .setIssuedAt()
      .setExpirationTime(`${this.lifeS}s`)
      .sign(this.#key);
  }

  /** True for a token of ours, for this address, that has not expired and whose client is still registered. */
  async verify(token: string, base: string): Promise<boolean> {
    try {
      // Security: the algorithm is named here, never taken from the token.
      const { payload } = await jwtVerify(token, this.#key, { algorithms: ["HS256"], issuer: base, audience: base });
      return typeof payload.sub === "string" && this.#clients.find(payload.sub) !== undefined;
    } catch {
      // Any fault of a token means the same to its bearer: not admitted.
      return false;
    }
  }
}

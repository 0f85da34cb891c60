/** Authorization codes: single use, short-lived, bound to client, redirect and PKCE challenge (RFC 6749 4.1.2, RFC 7636). */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** RFC 6749 recommends at most ten minutes; five are enough for a redirect. */
const LIFE_MS = 300_000;
/** A person logs in one client at a time; the oldest code gives way. */
const MAX_PENDING = 256;

/** What a code stands for; all of it is compared when it is redeemed. */
export interface CodeGrant {
  readonly clientId: string;
  readonly redirectUri: string;
  /** S256 challenge, 43 characters. */
  readonly challenge: string;
  /** The server the token will be good for (RFC 8707). */
  readonly resource: string;
}

/** The codes of this process that were not redeemed yet. */
export class AuthorizationCodes {
  readonly #now: () => number;
  readonly #pending = new Map<string, CodeGrant & { readonly expiresAt: number }>();

  /** `now`: milliseconds of a clock that is never set back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A code of 32 random bytes, good for `LIFE_MS`. */
  issue(grant: CodeGrant): string {
    const code = randomBytes(32).toString("base64url");
    this.#pending.set(code, { ...grant, expiresAt: this.#now() + LIFE_MS });
    if (this.#pending.size > MAX_PENDING) this.#pending.delete(this.#pending.keys().next().value as string);
    return code;
  }

  /** Takes the code away whatever happens next: a code that failed once can never be tried again. */
  redeem(code: string): CodeGrant | null {
    const grant = this.#pending.get(code);
    this.#pending.delete(code);
    return grant === undefined || grant.expiresAt < this.#now() ? null : grant;
  }
}

/** RFC 7636 section 4.1: 43 to 128 unreserved characters. */
export function isVerifier(text: string | null): text is string {
  return text !== null && /^[A-Za-z0-9\-._~]{43,128}$/.test(text);
}

/** RFC 7636 section 4.6, method S256. */
export function matchesChallenge(verifier: string, challenge: string): boolean {
  const computed = createHash("sha256").update(verifier, "ascii").digest("base64url");
  return computed.length === challenge.length &&
    timingSafeEqual(new TextEncoder().encode(computed), new TextEncoder().encode(challenge));
}

/** The signed token that ties the second round of an input-required call to the first (O-16). */

import { Buffer } from "node:buffer";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { fingerprint } from "../../base/fingerprint.ts";

/** How long the client may take to ask its user. Five minutes: a person must read the question. */
const LIFE_MS = 300_000;

/** What a state is valid for; all of it is signed. */
export interface StateSubject {
  readonly tool: string;
  readonly args: unknown;
  readonly principal: string;
}

export class RequestStates {
  readonly #key = randomBytes(32);
  /** Nonces that were used, until they would have expired anyway. */
  readonly #used = new Map<string, number>();

  issue(subject: StateSubject, question: string): string {
    const payload = JSON.stringify({ n: randomBytes(16).toString("base64url"), e: Date.now() + LIFE_MS, q: question });
    const encoded = Buffer.from(payload).toString("base64url");
    return `${encoded}.${this.#sign(encoded, subject)}`;
  }

  /** The question the state was issued for, or null when it is forged, expired, used before, or meant for another call. */
  redeem(state: string, subject: StateSubject): string | null {
    const [encoded, signature, ...rest] = state.split(".");
    if (encoded === undefined || signature === undefined || rest.length > 0) return null;
    const expected = Buffer.from(this.#sign(encoded, subject));
    const given = Buffer.from(signature);
    // Security: constant time, so that a client cannot find a signature byte by byte.
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    const { n, e, q } = JSON.parse(Buffer.from(encoded, "base64url").toString()) as { n: string; e: number; q: string };
    const now = Date.now();
    for (const [nonce, expiresAt] of this.#used) if (expiresAt < now) this.#used.delete(nonce);
    if (e < now || this.#used.has(n)) return null;
    this.#used.set(n, e);
    return q;
  }

  #sign(encoded: string, subject: StateSubject): string {
    const signed = JSON.stringify([encoded, subject.tool, fingerprint(subject.args), subject.principal]);
    return createHmac("sha256", this.#key).update(signed).digest("base64url");
  }
}

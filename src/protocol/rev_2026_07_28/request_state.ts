/** The signed token that carries the answers of earlier rounds through the client (O-16). */

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

/** Answers by question key, as the client sent them. */
export type Answers = Readonly<Record<string, unknown>>;

interface Payload {
  readonly nonce: string;
  readonly expiresAt: number;
  readonly answers: Answers;
}

/** Issues and redeems states of this process; each is good once, for `LIFE_MS`. */
export class RequestStates {
  readonly #now: () => number;
  readonly #key = randomBytes(32);
  /** Nonces that were used, until they would have expired anyway. */
  readonly #used = new Map<string, number>();

  /** `now`: milliseconds of a clock that nobody can set back, or a used state would be valid again. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A state for `answers`, bound to the call of `subject`. */
  issue(subject: StateSubject, answers: Answers): string {
    const payload: Payload = {
      nonce: randomBytes(16).toString("base64url"),
      expiresAt: this.#now() + LIFE_MS,
      answers,
    };
    const encoded = Buffer.from(JSON.stringify(payload)).toString("base64url");
    return `${encoded}.${this.#sign(encoded, subject)}`;
  }

  /** The answers the state carries, or null when it is forged, expired, used before, or meant for another call. */
  redeem(state: string, subject: StateSubject): Answers | null {
    const [encoded, signature, ...rest] = state.split(".");
    if (encoded === undefined || signature === undefined || rest.length > 0) return null;
    const expected = Buffer.from(this.#sign(encoded, subject));
    const given = Buffer.from(signature);
    // Security: constant time, so that a client cannot find a signature byte by byte.
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    const { nonce, expiresAt, answers } = JSON.parse(Buffer.from(encoded, "base64url").toString()) as Payload;
    const now = this.#now();
    for (const [used, until] of this.#used) if (until < now) this.#used.delete(used);
    if (expiresAt < now || this.#used.has(nonce)) return null;
    this.#used.set(nonce, expiresAt);
    return answers;
  }

  #sign(encoded: string, subject: StateSubject): string {
    const signed = JSON.stringify([encoded, subject.tool, fingerprint(subject.args), subject.principal]);
    return createHmac("sha256", this.#key).update(signed).digest("base64url");
  }
}

/** Permissions that the user gave for a while (O-16). They live in memory only and are gone at restart. */

import { randomId } from "../../base/random_id.ts";
import type { GatePermission } from "./classify_command.ts";

/** Whether a grant serves the next matching call or every one until it expires. */
export type GrantScope = "once" | "session";

/** What can be asked for and granted: the gates, and `long_timeout`, which no gate asks for. */
export type GrantablePermission = Exclude<GatePermission, "filesystem_escape">;

/** A permission that was given; it ends by itself. */
export interface Grant {
  readonly id: string;
  readonly permission: GrantablePermission;
  readonly scope: GrantScope;
  /** The only command it holds for; null: any. */
  readonly command: string | null;
  /** Who asked (a digest of the token over HTTP); nobody else can use it. */
  readonly principal: string;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

/** What happened to a grant, for the trace. Holds no command text. */
export interface GrantEvent {
  readonly event: "grant_given" | "grant_used";
  readonly grant_id: string;
  readonly permission: string;
  readonly scope: GrantScope;
  readonly command_bound: boolean;
  readonly expires_at: string;
}

/** A grant as `server_info` shows it: no command text, no principal. */
export interface GrantSummary {
  readonly grant_id: string;
  readonly permission: string;
  readonly scope: GrantScope;
  readonly command_bound: boolean;
  readonly expires_at: string;
}

/** Grants kept at once; the oldest gives way. Every one was confirmed by a person, so this is never reached in practice. */
const MAX_GRANTS = 256;
/** Enough that an id cannot be guessed; it is shown to the model only for reference. */
const GRANT_ID_BITS = 96;

/** Clock and listener. */
export interface GrantStoreOptions {
  /** Milliseconds since the epoch, of a clock that runs on evenly: setting the system's clock back must not prolong a grant. */
  readonly now?: () => number;
  readonly onEvent?: (event: GrantEvent) => void;
}

/** Holds at most `MAX_GRANTS`; the oldest one makes room. */
export class GrantStore {
  readonly #now: () => number;
  readonly #onEvent: (event: GrantEvent) => void;
  readonly #grants = new Map<string, Grant>();

  constructor(options: GrantStoreOptions = {}) {
    this.#now = options.now ?? (() => performance.timeOrigin + performance.now());
    this.#onEvent = options.onEvent ?? (() => {});
  }

  /** Adds a grant that lasts `ttlSeconds`. */
  give(grant: Omit<Grant, "id" | "expiresAtMs">, ttlSeconds: number): Grant {
    this.#prune();
    const oldest = this.#grants.keys().next();
    if (this.#grants.size >= MAX_GRANTS && !oldest.done) this.#grants.delete(oldest.value);
    const given: Grant = {
      ...grant,
      id: randomId(GRANT_ID_BITS),
      expiresAtMs: Math.floor(this.#now()) + ttlSeconds * 1000,
    };
    this.#grants.set(given.id, given);
    this.#onEvent({ event: "grant_given", ...summary(given) });
    return given;
  }

  /** A live grant of `permission` for this command and principal; those bound to the command and for once come first. */
  find(permission: GatePermission, by: { readonly command: string; readonly principal: string }): Grant | null {
    const { command, principal } = by;
    this.#prune();
    const fitting = [...this.#grants.values()].filter((grant) => {
      return grant.permission === permission && grant.principal === principal &&
        (grant.command === null || grant.command === command);
    });
    return fitting.sort((a, b) => narrowness(b) - narrowness(a))[0] ?? null;
  }

  /** Notes that a command ran by `grant`; one for a single call is gone after it. */
  use(grant: Grant): void {
    if (grant.scope === "once") this.#grants.delete(grant.id);
    this.#onEvent({ event: "grant_used", ...summary(grant) });
  }

  /** Live grants, oldest first. */
  list(): GrantSummary[] {
    this.#prune();
    return [...this.#grants.values()].map(summary);
  }

  #prune(): void {
    const now = this.#now();
    for (const grant of this.#grants.values()) if (grant.expiresAtMs <= now) this.#grants.delete(grant.id);
  }
}

function narrowness(grant: Grant): number {
  return (grant.command === null ? 0 : 2) + (grant.scope === "once" ? 1 : 0);
}

function summary(grant: Grant): GrantSummary {
  return {
    grant_id: grant.id,
    permission: grant.permission,
    scope: grant.scope,
    command_bound: grant.command !== null,
    expires_at: new Date(grant.expiresAtMs).toISOString(),
  };
}

/** Decides whether a message belongs to the handshake era or to the stateless one (O-15). */

import { isObject, type Params } from "./message.ts";
import { META_PREFIX, STATELESS_REVISION } from "./revisions.ts";

/** `handshake`: begun by `initialize`; `stateless`: every request says its version itself. */
export type Era = "handshake" | "stateless";

/** What of a message tells its era. */
export interface EraHints {
  readonly method: string;
  readonly params: Params;
  /** Value of the HTTP header `MCP-Protocol-Version`; absent on stdio. */
  readonly versionHeader?: string | undefined;
}

/** Stateless if the header says so, the method exists only there, or `_meta` holds any key of the protocol's own prefix. */
export function eraOf({ method, params, versionHeader }: EraHints): Era {
  if (versionHeader === STATELESS_REVISION || method === "server/discover") return "stateless";
  const meta = params["_meta"];
  if (!isObject(meta)) return "handshake";
  return Object.keys(meta).some((key) => key.startsWith(META_PREFIX)) ? "stateless" : "handshake";
}

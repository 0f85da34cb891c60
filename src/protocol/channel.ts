/** The connection a message came from, as the protocol room sees it. */

import type { InFlight } from "./in_flight.ts";
import type { Ask } from "./served.ts";

/** One per connection on stdio, one per request over HTTP. */
export interface Channel {
  /** Digest of the credential over HTTP, empty on stdio. */
  readonly principal: string;
  /** HTTP header `MCP-Protocol-Version`; absent on stdio. */
  readonly versionHeader?: string;
  readonly inFlight: InFlight;
  /** Aborted when the connection is gone. */
  readonly closed: AbortSignal;
  /** Sends a message ahead of the answer (progress); null where the transport cannot. */
  readonly send: ((text: string) => void) | null;
  /** Told what the client declared at `initialize`; stdio remembers it for its one connection. */
  onInitialize?(declaresElicitation: boolean): void;
  /** Asks the user in the handshake era; undefined where the client cannot be asked. */
  readonly ask?: Ask | undefined;
}

/** What the protocol room knows of the product: a list of tools, a way to call one, and a few words about itself. */

import type { CallOptions } from "../catalog/catalog.ts";
import type { CallResult } from "../catalog/envelope.ts";
import type { Params } from "./message.ts";

/** `serverInfo` (MCP, "Implementation"). */
export interface ServerInfo {
  readonly name: string;
  /** Name for people. */
  readonly title: string;
  readonly version: string;
}

/** Requests to the client by key: what it must do or ask before a call can go on. */
export type ClientRequests = Readonly<
  Record<string, { readonly method: string; readonly params: Record<string, unknown> }>
>;

/** What a call needs in either era. */
export interface ServedCallOptions extends CallOptions {
  /** Asks the client in the stateless era and resolves with its answers by key; absent elsewhere. */
  readonly input?: (requests: ClientRequests) => Promise<Readonly<Record<string, unknown>>>;
}

/** Asks the user behind the client; the answer of a person or the word that there was none. */
export type Ask = NonNullable<CallOptions["elicit"]>;
/** What the person did with the question. */
export type ElicitAnswer = Awaited<ReturnType<Ask>>;

/** The tools, known by name only. */
export interface ServedCatalog {
  /** JSON text of the array of definitions, made at build time. */
  listText(): string;
  /** Names of the offered tools; a call of another one is `INVALID_PARAMS`. */
  names(): readonly string[];
  /** Rejects with nothing but a `ProtocolError`: a fault inside a tool is an `INTERNAL_ERROR` result. */
  call(name: string, args: Params, options: ServedCallOptions): Promise<CallResult>;
}

/** One product, served to any number of connections. */
export interface Served {
  readonly info: ServerInfo;
  readonly catalog: ServedCatalog;
  /** Text for `instructions`; bounded, refreshed when project files change. */
  instructions(): Promise<string>;
  /** One line for people on standard error. */
  log(line: string): void;
}

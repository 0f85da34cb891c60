/**
 * Frozen codec of the handshake era (MCP 2025-11-25 and 2025-06-18, which differ in nothing that is used here).
 *
 * Order of events: `initialize` → answer → `notifications/initialized` → requests. Nothing enforces it: no state is kept.
 */

import type { Params } from "../message.ts";
import { HANDSHAKE_REVISIONS } from "../revisions.ts";
import type { CallResult } from "../../catalog/envelope.ts";
import type { ServerInfo } from "../served.ts";
import { showsForms } from "../shows_forms.ts";
import { stringifyResult } from "../stringify_result.ts";

/** What the answer to `initialize` is made from. */
export interface InitializeFacts {
  /** `protocolVersion` as the client sent it, whatever it is. */
  readonly requested: unknown;
  readonly info: ServerInfo;
  readonly instructions: string;
}

/** The requested revision if it has a handshake, else the newest that has one; never an error (contract 2.4). */
export function negotiate(requested: unknown): string {
  return HANDSHAKE_REVISIONS.find((revision) => revision === requested) ?? HANDSHAKE_REVISIONS[0];
}

/** JSON text of the result of `initialize`; another revision is offered where the requested one is unknown. */
export function initializeResult({ requested, info, instructions }: InitializeFacts): string {
  return JSON.stringify({
    protocolVersion: negotiate(requested),
    capabilities: { tools: { listChanged: false } },
    serverInfo: info,
    instructions,
  });
}

/** Whether the client that sent these `initialize` params can show a form to its user. */
export function declaresElicitation(params: Params): boolean {
  return showsForms(params["capabilities"]);
}

/** JSON text of the result of `tools/list`; `toolsText` is the JSON array of the definitions. */
export function listResult(toolsText: string): string {
  return `{"tools":${toolsText}}`;
}

/** JSON text of the result of `tools/call`. */
export function callResult(result: CallResult): string {
  return stringifyResult(result);
}

/** What a client can show to its user (MCP 2025-11-25 and 2026-07-28, ClientCapabilities). */

import { isObject, type Params } from "./message.ts";

/** Whether these capabilities include questions by form: `elicitation` without a mode means forms, one with `url` alone does not. */
export function showsForms(capabilities: unknown): boolean {
  const elicitation = (isObject(capabilities) ? capabilities as Params : {})["elicitation"];
  return isObject(elicitation) && (isObject(elicitation["form"]) || !Object.hasOwn(elicitation, "url"));
}

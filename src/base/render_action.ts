/** How a suggested call looks inside text (contract 1.1). */

import type { NextAction } from "./tool_error.ts";

/** `tool(key=<JSON>, key=<JSON>)`: arguments in object order, JSON compact, non-ASCII kept. */
export function renderAction(action: NextAction): string {
  const args = Object.entries(action.arguments).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `${action.tool}(${args.join(", ")})`;
}

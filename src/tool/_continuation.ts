/** The call that goes on where an answer ended. */

import type { NextAction } from "../base/tool_error.ts";

/** What differs between the call that was made and the one that goes on. */
export interface ContinuationOptions {
  /** Values that need not be repeated. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Where to go on, and what else differs from the arguments that were given. */
  readonly next: Readonly<Record<string, unknown>>;
}

/** `given` in the caller's own spelling without empty lists and what is the default anyway, then `next`. */
export function continuation(
  tool: string,
  given: Readonly<Record<string, unknown>>,
  { defaults, next }: ContinuationOptions,
): NextAction {
  const kept = Object.entries(given).filter(([name, value]) =>
    value !== undefined && value !== defaults[name] && !(Array.isArray(value) && value.length === 0)
  );
  return { tool, arguments: { ...Object.fromEntries(kept), ...next } };
}

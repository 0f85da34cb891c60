/** Progress notifications of one request (MCP utilities/progress; O-14). */

/** Shortest time between two notifications: at most 4 a second. */
const MIN_INTERVAL_MS = 250;

/** Reports how far a call is, in its own unit; `total` where the end is known. */
export type Progress = (progress: number, message?: string, total?: number) => void;

/**
 * A reporter that sends at most 4 notifications a second, each with a larger `progress` than the one before
 * (the specification demands growth). Undefined when the caller gave no usable token.
 */
export function progressReporter(meta: unknown, send: ((text: string) => void) | null): Progress | undefined {
  const token = (meta as { progressToken?: unknown } | null | undefined)?.progressToken;
  if (send === null || (typeof token !== "string" && typeof token !== "number")) return undefined;
  let sentAt = -Infinity;
  let highest = -Infinity;
  return (progress, message, total) => {
    const at = performance.now();
    if (progress <= highest || at - sentAt < MIN_INTERVAL_MS) return;
    sentAt = at;
    highest = progress;
    const params = {
      progressToken: token,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    };
    send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params }));
  };
}

/** Reads a request body within its limits. */

/** Bytes of a message over HTTP (contract 2.7). */
export const MAX_BODY_BYTES = 1_048_576;
/** A whole body must arrive within this time: a client that sends a byte a minute must not hold memory for hours. */
const BODY_LIMIT_MS = 30_000;

/** The whole body, or why there is none: over the size, not there in time, or the connection broke. */
export type Body =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "too_large" }
  | { readonly kind: "too_slow" }
  | { readonly kind: "broken" };

/** Reads at most `maxBytes`, within `BODY_LIMIT_MS`; what follows is not read. */
export async function readBody(request: Request, maxBytes: number = MAX_BODY_BYTES): Promise<Body> {
  if (request.body === null) return { kind: "bytes", bytes: new Uint8Array(0) };
  const reader = request.body.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => (timer = setTimeout(() => resolve("late"), BODY_LIMIT_MS)));
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const next = await Promise.race([reader.read(), late]);
      if (next === "late") return { kind: "too_slow" };
      if (next.done) break;
      length += next.value.length;
      if (length > maxBytes) return { kind: "too_large" };
      parts.push(next.value);
    }
  } catch {
    // The client went away in the middle of its message; there is nobody to answer.
    return { kind: "broken" };
  } finally {
    clearTimeout(timer);
    // Stops reading what is left of a refused body; a fault of a stream that is given up tells nothing.
    reader.cancel().catch(() => {});
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return { kind: "bytes", bytes };
}

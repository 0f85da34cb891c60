/** JSON text of results that may carry a picture. */

import { randomId } from "../base/random_id.ts";

/** Shorter data is not worth a second look. */
const LONG_DATA = 64 * 1024;

/**
 * JSON of `result`, as JSON.stringify makes it. The base64 of a picture is put in behind its back: megabytes that need
 * no escaping (RFC 4648 section 4) would keep every other request waiting while they are looked through.
 */
export function stringifyResult(result: object): string {
  const { content } = result as { readonly content?: unknown };
  const [first] = Array.isArray(content) ? content : [];
  const data = first?.type === "image" ? first.data : undefined;
  if (typeof data !== "string" || data.length < LONG_DATA) return JSON.stringify(result);
  const place = randomId(128);
  const text = JSON.stringify({ ...result, content: [{ ...first, data: place }, ...(content as unknown[]).slice(1)] });
  const at = text.indexOf(place);
  return text.slice(0, at) + data + text.slice(at + place.length);
}

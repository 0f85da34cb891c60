/** Which addresses a client may be sent back to (RFC 6749 section 3.1.2, RFC 8252 section 7.3; contract 2.9). */

import { isLoopbackHost } from "../../../base/loopback_host.ts";

/** Anybody may register, so what is kept of each is bounded. */
const MAX_URIS = 10;
const MAX_URI_LENGTH = 2_048;

/** What is wrong with a list of redirect URIs, or null when it may be registered. */
export function redirectUrisFault(uris: unknown): string | null {
  if (!Array.isArray(uris) || uris.length < 1 || uris.length > MAX_URIS) {
    return `redirect_uris must be an array of 1 to ${MAX_URIS}`;
  }
  if (new Set(uris).size < uris.length) return "redirect_uris must be unique";
  for (const uri of uris) {
    const fault = redirectUriFault(uri);
    if (fault !== null) return fault;
  }
  return null;
}

function redirectUriFault(uri: unknown): string | null {
  if (typeof uri !== "string" || uri.length > MAX_URI_LENGTH) {
    return `a redirect URI must be text of at most ${MAX_URI_LENGTH} characters`;
  }
  // Security: what a browser would strip or fold must not hide in a URI that is later compared letter by letter.
  if (!/^[\x21-\x7e]+$/.test(uri) || uri.includes("\\")) return "a redirect URI must be printable ASCII";
  let url: URL;
  try {
    url = new URL(uri);
  } catch {
    return "a redirect URI must be absolute";
  }
  if (uri.includes("#")) return "a redirect URI must have no fragment";
  if (url.username !== "" || url.password !== "") return "a redirect URI must have no user info";
  if (url.protocol === "https:") return null;
  return url.protocol === "http:" && isLoopbackHost(url.hostname)
    ? null
    : "a redirect URI must use https, or http on loopback";
}

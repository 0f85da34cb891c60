/** Names nobody can guess. */

/** URL-safe random text of `bits` bits (a multiple of 8), base64url without padding (RFC 4648 section 5). */
export function randomId(bits: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(bits / 8));
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

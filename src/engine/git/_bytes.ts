/** Byte runs that arrive in pieces. */

/** One run of all `parts`; the part itself when there is only one. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0] as Uint8Array;
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** Fields that each end with NUL, as text; bytes that are not UTF-8 become U+FFFD. A last field without its NUL is left out. */
export function splitNulTerminated(bytes: Uint8Array): string[] {
  const end = bytes.lastIndexOf(0);
  return end < 0 ? [] : DECODER.decode(bytes.subarray(0, end)).split("\0");
}

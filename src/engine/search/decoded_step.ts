/** One step of decoding UTF-8 as the platform's decoder does it (WHATWG Encoding, "UTF-8 decoder"). */

/** How far one step goes in both forms of the text. */
export interface DecodedStep {
  /** Bytes taken: 1–4. */
  readonly bytes: number;
  /** UTF-16 units given: 2 for a character beyond U+FFFF, else 1. An invalid run gives one U+FFFD. */
  readonly units: 1 | 2;
}

/** The step at `at`, which is inside `bytes`. */
export function decodedStep(bytes: Uint8Array, at: number): DecodedStep {
  const first = bytes[at] as number;
  if (first < 0x80) return ONE;
  const needed = continuationBytes(first);
  let taken = 1;
  for (; taken <= needed; taken++) {
    const byte = bytes[at + taken] ?? 0;
    const low = taken > 1 ? 0x80 : LOWEST_SECOND[first] ?? 0x80;
    const high = taken > 1 ? 0xbf : HIGHEST_SECOND[first] ?? 0xbf;
    if (byte < low || byte > high) break;
  }
  return { bytes: taken, units: taken === 4 ? 2 : 1 };
}

/** Characters that the first `length` bytes of `bytes` decode to. */
export function decodedCharacters(bytes: Uint8Array, length: number): number {
  let count = 0;
  for (let at = 0; at < length; count++) at += decodedStep(bytes, at).bytes;
  return count;
}

/** Bytes that must follow `first`; 0 where it starts nothing. */
function continuationBytes(first: number): number {
  if (first >= 0xc2 && first <= 0xdf) return 1;
  if (first >= 0xe0 && first <= 0xef) return 2;
  return first >= 0xf0 && first <= 0xf4 ? 3 : 0;
}

const ONE: DecodedStep = { bytes: 1, units: 1 };
/** Second bytes that are narrower than 80–BF (RFC 3629 section 4). */
const LOWEST_SECOND: Readonly<Record<number, number>> = { 0xe0: 0xa0, 0xf0: 0x90 };
const HIGHEST_SECOND: Readonly<Record<number, number>> = { 0xed: 0x9f, 0xf4: 0x8f };

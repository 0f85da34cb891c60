/** Cutting UTF-8 without splitting a character (RFC 3629 section 3). */

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** UTF-8 bytes of `text`; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return ENCODER.encode(text);
}

/** Text of `bytes`, invalid sequences as U+FFFD, a leading BOM kept. */
export function decodeUtf8(bytes: Uint8Array): string {
  return DECODER.decode(bytes);
}

/** Number of UTF-8 bytes of `text`. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) {
      length += 1;
    } else if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))) {
      length += 2;
      i++;
    } else {
      length += 2;
    }
  }
  return length;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** True for a byte that continues a sequence (10xxxxxx). */
export function isContinuationByte(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** Largest `end <= limit` that does not lie inside a sequence of `bytes`. */
export function characterBoundaryBefore(bytes: Uint8Array, limit: number): number {
  if (limit >= bytes.length) return bytes.length;
  let end = limit;
  // A sequence has at most 3 continuation bytes; past that the bytes are not UTF-8 and any cut is as good as another.
  for (let back = 0; back < 3 && end > 0 && isContinuationByte(bytes[end] as number); back++) end--;
  return isContinuationByte(bytes[end] as number) ? limit : end;
}

/** Smallest `start >= offset` that does not lie inside a sequence of `bytes`. */
export function characterBoundaryAfter(bytes: Uint8Array, offset: number): number {
  let start = offset;
  for (let on = 0; on < 3 && start < bytes.length && isContinuationByte(bytes[start] as number); on++) start++;
  return start < bytes.length && isContinuationByte(bytes[start] as number) ? offset : start;
}

/** Longest prefix of at most `limitBytes` that ends between two characters. Empty if the first one does not fit. */
export function takeWholeCharacters(bytes: Uint8Array, limitBytes: number): Uint8Array {
  return bytes.subarray(0, characterBoundaryBefore(bytes, limitBytes));
}

/** Longest prefix of `text` whose UTF-8 form has at most `limitBytes` bytes. */
export function takePrefixWithin(text: string, limitBytes: number): string {
  if (text.length * 3 <= limitBytes) return text;
  const bytes = ENCODER.encode(text);
  return bytes.length <= limitBytes ? text : DECODER.decode(takeWholeCharacters(bytes, limitBytes));
}

/** Longest suffix of `text` whose UTF-8 form has at most `limitBytes` bytes. */
export function takeSuffixWithin(text: string, limitBytes: number): string {
  if (text.length * 3 <= limitBytes) return text;
  const bytes = ENCODER.encode(text);
  if (bytes.length <= limitBytes) return text;
  return DECODER.decode(bytes.subarray(characterBoundaryAfter(bytes, bytes.length - limitBytes)));
}

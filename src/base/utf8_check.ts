/** Checks a stream of bytes for valid UTF-8 (RFC 3629) without decoding it. */

import { isUtf8 } from "node:buffer";
import { isContinuationByte } from "./utf8.ts";

/** Takes one stream, chunk by chunk; a sequence may be cut anywhere between two chunks. */
export class Utf8Check {
  /** Bytes before the next one to come. */
  #position = 0;
  /** Start of a sequence whose rest has not come yet. */
  #pending = new Uint8Array(0);
  #firstBad: number | null = null;

  /** Offset of the first byte that starts no valid sequence; null as long as there is none. */
  get firstBad(): number | null {
    return this.#firstBad;
  }

  /** Takes the next bytes; false once the stream is invalid. */
  push(chunk: Uint8Array): boolean {
    if (this.#firstBad !== null) return false;
    let rest = chunk;
    if (this.#pending.length > 0) {
      const missing = sequenceLength(this.#pending[0] as number) - this.#pending.length;
      const joined = new Uint8Array([...this.#pending, ...chunk.subarray(0, missing)]);
      if (joined.length < this.#pending.length + missing && isPossibleStart(joined)) {
        this.#pending = joined;
        this.#position += chunk.length;
        return true;
      }
      if (!isUtf8(joined)) return this.#fail(this.#position - this.#pending.length);
      this.#pending = new Uint8Array(0);
      this.#position += missing;
      rest = chunk.subarray(missing);
    }
    const complete = rest.length - unfinishedLength(rest);
    const checked = rest.subarray(0, complete);
    if (!isUtf8(checked)) return this.#fail(this.#position + firstInvalid(checked));
    this.#pending = rest.slice(complete);
    this.#position += rest.length;
    return true;
  }

  /** Ends the stream: a sequence cut off at the end is invalid. */
  finish(): boolean {
    if (this.#firstBad !== null) return false;
    return this.#pending.length === 0 || this.#fail(this.#position - this.#pending.length);
  }

  #fail(offset: number): false {
    this.#firstBad = offset;
    return false;
  }
}

/** Bytes of the sequence that `lead` starts; 1 for what starts none. */
function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

/** Length of a sequence at the end of `bytes` that more bytes may complete. */
function unfinishedLength(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number;
    if (isContinuationByte(byte)) continue;
    return byte < 0xf5 && sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

/** True where some continuation makes `bytes`, one cut sequence, valid: the lowest and the highest one are tried. */
function isPossibleStart(bytes: Uint8Array): boolean {
  const missing = sequenceLength(bytes[0] as number) - bytes.length;
  return [0x80, 0x90, 0xbf].some((fill) => isUtf8(new Uint8Array([...bytes, ...new Array(missing).fill(fill)])));
}

/** Offset of the first invalid sequence of `bytes`, which holds one: halving over prefixes cut at sequence starts. */
function firstInvalid(bytes: Uint8Array): number {
  let valid = 0;
  let end = bytes.length;
  while (end - valid > 8) {
    let middle = valid + ((end - valid) >> 1);
    while (middle > valid && isContinuationByte(bytes[middle] as number)) middle--;
    if (middle === valid) break;
    if (isUtf8(bytes.subarray(valid, middle))) valid = middle;
    else end = middle;
  }
  while (valid < bytes.length) {
    const length = sequenceLength(bytes[valid] as number);
    if (valid + length > bytes.length || !isUtf8(bytes.subarray(valid, valid + length))) return valid;
    valid += length;
  }
  return valid;
}

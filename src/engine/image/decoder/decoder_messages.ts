/**
 * What goes between the server and the decoder.
 *
 * Over pipes a message is: length of the header and of the payload (two little-endian uint32), the header as JSON, the
 * payload. The server sends a picture and its limits, the decoder one reply; then the next picture may come.
 */

import { decodeUtf8, encodeUtf8 } from "../../../base/utf8.ts";
import type { ImageFaultKind } from "../image_fault.ts";
import type { ImageFormat } from "../sniff_image.ts";

/** What the sent picture must keep to. */
export interface PictureLimits {
  readonly maxBytes: number;
  readonly maxWidth: number;
  readonly maxHeight: number;
  /** False: never scaled. */
  readonly autoResize: boolean;
}

/** Header of a picture that is sent; the payload is the file. */
export interface PictureRequest {
  readonly format: ImageFormat;
  readonly limits: PictureLimits;
}

/** Facts of the picture in the file; width and height as it is to be seen. */
export interface PictureFacts {
  readonly width: number;
  readonly height: number;
  /** Exif orientation of the file, 1–8. */
  readonly orientation: number;
  /** Frames of an animation, pages of a TIFF. */
  readonly frames: number;
  /** Bytes behind the end of the picture. */
  readonly trailingBytes: number;
}

/** Kinds in which pictures are sent. */
export type SentFormat = "png" | "jpeg" | "gif" | "webp";

/** Header of a reply. */
export type PictureReply =
  /** The first `bytes` of the file are to be sent as they are; no payload. */
  | { readonly kind: "unchanged"; readonly facts: PictureFacts; readonly bytes: number }
  /** The payload is to be sent. */
  | {
    readonly kind: "converted";
    readonly facts: PictureFacts;
    readonly format: SentFormat;
    readonly width: number;
    readonly height: number;
    /** Quality 1–100 where the format has one. */
    readonly quality: number | null;
  }
  /** Whatever was tried is larger than the limit; `bytes` and size of the smallest attempt. */
  | {
    readonly kind: "too_many_bytes";
    readonly facts: PictureFacts;
    readonly bytes: number;
    readonly width: number;
    readonly height: number;
    readonly resizeAttempted: boolean;
  }
  | { readonly kind: "fault"; readonly fault: ImageFaultKind; readonly message: string };

/** A header with its bytes. */
export interface Message<H> {
  readonly header: H;
  readonly payload: Uint8Array;
}

/** Bytes before the header. */
const PREFIX_BYTES = 8;
/** Largest header and payload that are believed; the largest file is 64 MiB. */
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_PAYLOAD_BYTES = 256 * 1024 * 1024;

/** Prefix and header of a message, to be followed by its payload of `payloadBytes`. */
export function encodeMessageHead(header: unknown, payloadBytes: number): Uint8Array<ArrayBuffer> {
  const json = encodeUtf8(JSON.stringify(header));
  const out = new Uint8Array(PREFIX_BYTES + json.length);
  const view = new DataView(out.buffer);
  view.setUint32(0, json.length, true);
  view.setUint32(4, payloadBytes, true);
  out.set(json, PREFIX_BYTES);
  return out;
}

/** Puts a message together from pieces of any size. */
export class MessageReader<H> {
  readonly #prefix = new Uint8Array(PREFIX_BYTES);
  #header: Uint8Array | null = null;
  #payload = new Uint8Array(0);
  #filled = 0;

  /** Takes the next piece; the message once it is complete, else null. @throws RangeError when the lengths are absurd */
  take(piece: Uint8Array): Message<H> | null {
    let rest = piece;
    while (rest.length > 0) {
      const target = this.#target();
      const count = Math.min(rest.length, target.room.length - target.filled);
      target.room.set(rest.subarray(0, count), target.filled);
      this.#filled += count;
      rest = rest.subarray(count);
      if (this.#header === null && this.#filled === PREFIX_BYTES) this.#open();
      if (this.#header !== null && this.#filled === this.#total()) {
        return { header: JSON.parse(decodeUtf8(this.#header)) as H, payload: this.#payload };
      }
    }
    return null;
  }

  #target(): { room: Uint8Array; filled: number } {
    if (this.#header === null) return { room: this.#prefix, filled: this.#filled };
    const afterPrefix = this.#filled - PREFIX_BYTES;
    if (afterPrefix < this.#header.length) return { room: this.#header, filled: afterPrefix };
    return { room: this.#payload, filled: afterPrefix - this.#header.length };
  }

  #open(): void {
    const view = new DataView(this.#prefix.buffer);
    const headerBytes = view.getUint32(0, true);
    const payloadBytes = view.getUint32(4, true);
    if (headerBytes === 0 || headerBytes > MAX_HEADER_BYTES || payloadBytes > MAX_PAYLOAD_BYTES) {
      throw new RangeError(`a message of ${headerBytes} and ${payloadBytes} bytes`);
    }
    this.#header = new Uint8Array(headerBytes);
    this.#payload = new Uint8Array(payloadBytes);
  }

  #total(): number {
    return PREFIX_BYTES + (this.#header?.length ?? 0) + this.#payload.length;
  }
}

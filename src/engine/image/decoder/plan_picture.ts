/** Decides what is done with a picture before anything is decoded. */

import type { ImageHeader } from "../header/image_header.ts";
import type { PictureFacts, PictureLimits, SentFormat } from "./decoder_messages.ts";

/** What becomes of a picture. */
export type PicturePlan =
  /** Sent as it is, once it has been decoded to its end. */
  | { readonly kind: "pass" }
  /** Scaled (or not), turned upright and encoded again; width and height upright. */
  | { readonly kind: "convert"; readonly width: number; readonly height: number; readonly format: SentFormat }
  /** Too many bytes, and scaling is not allowed. */
  | { readonly kind: "refuse" };

/** Facts of the picture as it is to be seen. */
export function pictureFacts(header: ImageHeader, fileBytes: number): PictureFacts {
  const turned = header.orientation >= 5;
  return {
    width: turned ? header.height : header.width,
    height: turned ? header.width : header.height,
    orientation: header.orientation,
    frames: header.frames,
    trailingBytes: fileBytes - header.endOffset,
  };
}

/** Longest side that WebP can state (RFC 9649 section 2.5). */
const MAX_WEBP_SIDE = 16_383;

/** PNG stays PNG and JPEG stays JPEG, others become WebP (contract 3.20), or PNG where WebP has no such size. */
export function planPicture(header: ImageHeader, facts: PictureFacts, limits: PictureLimits): PicturePlan {
  const { width, height } = facts;
  const tooManyBytes = header.endOffset > limits.maxBytes;
  const tooLarge = width > limits.maxWidth || height > limits.maxHeight;
  const mustConvert = header.format === "bmp" || header.format === "tiff" || header.orientation !== 1 ||
    header.unusualColour !== null;
  const scales = limits.autoResize && (tooLarge || tooManyBytes);
  if (scales || mustConvert) {
    const size = scales ? fit(facts, limits) : { width, height };
    return { kind: "convert", ...size, format: sentFormat(header.format, size) };
  }
  return tooManyBytes ? { kind: "refuse" } : { kind: "pass" };
}

function sentFormat(format: ImageHeader["format"], { width, height }: { width: number; height: number }): SentFormat {
  if (format === "png" || format === "jpeg") return format;
  return width > MAX_WEBP_SIDE || height > MAX_WEBP_SIDE ? "png" : "webp";
}

/** Largest size of the same shape within the box, never larger than the picture, both sides at least 1. */
function fit(
  { width, height }: { width: number; height: number },
  { maxWidth, maxHeight }: { maxWidth: number; maxHeight: number },
): { width: number; height: number } {
  const scale = Math.min(1, maxWidth / width, maxHeight / height);
  return {
    width: Math.max(1, Math.min(maxWidth, Math.round(width * scale))),
    height: Math.max(1, Math.min(maxHeight, Math.round(height * scale))),
  };
}

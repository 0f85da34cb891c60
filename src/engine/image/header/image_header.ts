/** What the header of a picture says. */

import type { ImageFormat } from "../sniff_image.ts";

/** Facts read without decoding any pixel. */
export interface ImageHeader {
  readonly format: ImageFormat;
  /** Pixels as stored, before the orientation is applied. */
  readonly width: number;
  readonly height: number;
  /** Exif orientation 1–8 (Exif 2.32 section 4.6.4, tag 0x0112); 1 when absent or out of range. */
  readonly orientation: number;
  /** Pictures in an animation, 1 for a still one. */
  readonly frames: number;
  /** Offset behind the end marker; bytes from there on belong to no picture. */
  readonly endOffset: number;
  /** Colours that not every viewer reads, and so are always converted. */
  readonly unusualColour: "cmyk" | null;
}

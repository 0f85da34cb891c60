/** Reads and checks the header of any picture that is decoded. */

import { readBmpHeader } from "./header/bmp_header.ts";
import { readGifHeader } from "./header/gif_header.ts";
import type { ImageHeader } from "./header/image_header.ts";
import { readJpegHeader, readJpegSize } from "./header/jpeg_header.ts";
import { readPngHeader, readPngSize } from "./header/png_header.ts";
import { readTiffHeader } from "./header/tiff_header.ts";
import { readWebpHeader } from "./header/webp_header.ts";
import { ImageFault } from "./image_fault.ts";
import type { ImageFormat } from "./sniff_image.ts";

/** Pixels of the largest picture that is decoded (O-47): 64 megapixels, 256 MB as RGBA. */
const MAX_PIXELS = 64_000_000;

/** Longest side that is decoded: the most that JPEG can state, and more than any screen or camera makes. */
const MAX_SIDE = 65_535;

const READERS: Readonly<Record<ImageFormat, (bytes: Uint8Array) => ImageHeader>> = {
  png: readPngHeader,
  jpeg: readJpegHeader,
  gif: readGifHeader,
  webp: readWebpHeader,
  bmp: readBmpHeader,
  tiff: readTiffHeader,
};

/**
 * Facts about the picture in `bytes`, its structure walked to the end marker.
 *
 * Security: the size limits come first, so that a decompression bomb is refused by its header alone.
 * @throws ImageFault
 */
export function readImageHeader(bytes: Uint8Array, format: ImageFormat): ImageHeader {
  if (format === "png") requireDecodableSize(readPngSize(bytes));
  if (format === "jpeg") requireDecodableSize(readJpegSize(bytes));
  const header = READERS[format](bytes);
  requireDecodableSize(header);
  return header;
}

function requireDecodableSize({ width, height }: { width: number; height: number }): void {
  if (width === 0 || height === 0) throw new ImageFault("corrupt", `its size is ${width}×${height} pixels`);
  if (width > MAX_SIDE || height > MAX_SIDE) {
    throw new ImageFault("too_large", `its size is ${width}×${height} pixels, at most ${MAX_SIDE} a side are shown`);
  }
  if (width * height > MAX_PIXELS) {
    throw new ImageFault(
      "too_large",
      `its size is ${width}×${height} pixels, at most ${MAX_PIXELS / 1e6} megapixels are shown`,
    );
  }
}

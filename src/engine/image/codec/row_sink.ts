/** Where decoders put pixels, row by row, so that no picture is ever held at full size. */

/** 1: grey, 3: RGB, 4: RGBA (not premultiplied); 8 bits each. */
export type Channels = 1 | 3 | 4;

/** Takes the rows of one picture from top to bottom. */
export interface RowSink {
  /** Takes the next row of `width × channels` bytes; the array may be reused by the caller afterwards. */
  row(pixels: Uint8Array | Uint8ClampedArray): void;
}

/** Decoded pixels, rows without padding. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly channels: Channels;
  readonly data: Uint8Array | Uint8ClampedArray;
}

/** Forms of the formats that cameras and old programs write, and that no encoder here makes: built byte by byte. */

import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { crc32, deflateSync } from "node:zlib";
import {
  convert,
  difference,
  joinBytes,
  magickMissing,
  referencePixels,
  sampleRaster,
} from "../../../../tests/support/sample_images.ts";
import { ImageFault } from "../image_fault.ts";
import { readImageHeader } from "../read_image_header.ts";
import { decodeBmp } from "./decode_bmp.ts";
import { decodeJpeg } from "./decode_jpeg.ts";
import { decodePng } from "./decode_png.ts";
import { encodeJpeg } from "./encode_jpeg.ts";
import { encodePng } from "./encode_png.ts";
import type { Channels, Raster, RowSink } from "./row_sink.ts";

const missing = magickMissing();
const needsMagick = missing === null ? "" : ` (${missing})`;

/** Keeps the rows that a decoder gives out. */
class Rows {
  readonly rows: number[][] = [];
  shape = { width: 0, height: 0, channels: 0 };

  readonly open = (shape: { width: number; height: number; channels: Channels }): RowSink => {
    this.shape = shape;
    return { row: (pixels) => void this.rows.push([...pixels.subarray(0, shape.width * shape.channels)]) };
  };

  get raster(): Raster {
    const { width, height, channels } = this.shape;
    return { width, height, channels: channels as Channels, data: Uint8Array.from(this.rows.flat()) };
  }
}

function u32be(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

function u32le(value: number): Uint8Array {
  return u32be(value).reverse();
}

function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

interface PngParts {
  readonly width: number;
  readonly depth: number;
  readonly colourType: number;
  readonly transparency?: readonly number[];
  /** Bytes of each row without its filter byte. */
  readonly rows: readonly (readonly number[])[];
}

function png({ width, depth, colourType, transparency, rows }: PngParts): Uint8Array {
  const chunk = (type: string, data: Uint8Array) => {
    const body = joinBytes([ascii(type), data]);
    return joinBytes([u32be(data.length), body, u32be(crc32(body))]);
  };
  return joinBytes([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk("IHDR", joinBytes([u32be(width), u32be(rows.length), Uint8Array.of(depth, colourType, 0, 0, 0)])),
    ...(transparency === undefined ? [] : [chunk("tRNS", Uint8Array.from(transparency))]),
    chunk("IDAT", new Uint8Array(deflateSync(Uint8Array.from(rows.flatMap((row) => [0, ...row]))))),
    chunk("IEND", new Uint8Array(0)),
  ]);
}

async function pngRows(parts: PngParts): Promise<number[][]> {
  const rows = new Rows();
  await decodePng(png(parts), rows.open);
  return rows.rows;
}

Deno.test("a PNG with one transparent colour is clear exactly where all bits of it are met", async () => {
  deepStrictEqual(
    await pngRows({
      width: 3,
      depth: 16,
      colourType: 2,
      transparency: [0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc],
      rows: [[...[0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc], ...[0x12, 0x34, 0x56, 0x78, 0x9a, 0xbd], ...[
        0,
        0,
        255,
        0,
        1,
        2,
      ]]],
    }),
    [[0x12, 0x56, 0x9a, 0, 0x12, 0x56, 0x9a, 255, 0, 255, 1, 255]],
  );
  const grey = { width: 2, colourType: 0, transparency: [0, 7] };
  deepStrictEqual(await pngRows({ ...grey, depth: 8, rows: [[7, 8]] }), [[7, 7, 7, 0, 8, 8, 8, 255]]);
  deepStrictEqual(await pngRows({ ...grey, depth: 4, rows: [[0x78]] }), [[119, 119, 119, 0, 136, 136, 136, 255]]);
  deepStrictEqual(await pngRows({ width: 2, depth: 2, colourType: 0, transparency: [0, 3], rows: [[0b11010000]] }), [
    [255, 255, 255, 0, 85, 85, 85, 255],
  ]);
});

/** A BMP of `bits` with run lengths; `rows` from the bottom up is what the codes mean. */
function runLengthBmp(
  bits: 4 | 8,
  { width, height, codes }: { width: number; height: number; codes: number[] },
): Uint8Array {
  const colours = 1 << bits;
  const palette = Array.from({ length: colours }, (_, i) => [i, i, i, 0]).flat();
  const start = 54 + palette.length;
  const header = joinBytes([
    ...[ascii("BM"), u32le(start + codes.length), u32le(0), u32le(start), u32le(40), u32le(width), u32le(height)],
    ...[Uint8Array.of(1, 0, bits, 0), u32le(bits === 8 ? 1 : 2), u32le(codes.length), u32le(0), u32le(0)],
    ...[u32le(colours), u32le(0)],
  ]);
  return joinBytes([header, Uint8Array.from(palette), Uint8Array.from(codes)]);
}

function bmpRows(bytes: Uint8Array): number[][] {
  const rows = new Rows();
  decodeBmp(bytes, rows.open);
  // The palette is grey, so one sample of each pixel tells its index.
  return rows.rows.map((row) => row.filter((_, i) => i % rows.shape.channels === 0));
}

Deno.test("a BMP with run lengths of 8 bits is read with its runs, plain stretches, jumps and ends", () => {
  const codes = [
    ...[3, 9, 0, 3, 1, 2, 3, 0, 0, 0], // Three nines, then 1 2 3 as they are with a byte of padding; end of line.
    ...[0, 2, 2, 1, 2, 7], // Two to the right and one up, then two sevens.
    ...[9, 5, 0, 1], // Runs over the edge are cut; end of picture.
  ];
  deepStrictEqual(bmpRows(runLengthBmp(8, { width: 6, height: 4, codes })), [
    [0, 0, 0, 0, 0, 0],
    [0, 0, 7, 7, 5, 5],
    [0, 0, 0, 0, 0, 0],
    [9, 9, 9, 1, 2, 3],
  ]);
});

Deno.test("a BMP with run lengths of 4 bits is read half byte by half byte", () => {
  const codes = [...[5, 0xa1, 0, 3, 0x23, 0x40, 0, 0], ...[0, 4, 0x56, 0x78, 0, 1]];
  deepStrictEqual(bmpRows(runLengthBmp(4, { width: 8, height: 2, codes })), [
    [5, 6, 7, 8, 0, 0, 0, 0],
    [10, 1, 10, 1, 10, 2, 3, 4],
  ]);
  const cut = runLengthBmp(8, { width: 6, height: 2, codes: [0, 200, 1, 2] });
  throws(() => bmpRows(cut), (fault) => fault instanceof ImageFault && /truncated/.test(fault.message));
});

interface JpegParts {
  /** Everything in front of SOS. */
  readonly head: Uint8Array;
  /** SOS and its header. */
  readonly scanHeader: Uint8Array;
  readonly scan: Uint8Array;
}

function splitJpeg(bytes: Uint8Array): JpegParts {
  let at = 2;
  while (bytes[at + 1] !== 0xda) at += 2 + (bytes[at + 2]! << 8 | bytes[at + 3]!);
  const end = at + 2 + (bytes[at + 2]! << 8 | bytes[at + 3]!);
  return { head: bytes.slice(0, at), scanHeader: bytes.slice(at, end), scan: bytes.slice(end, -2) };
}

function withWidth(head: Uint8Array, width: number): Uint8Array {
  const out = head.slice();
  let at = 2;
  while (out[at + 1] !== 0xc0) at += 2 + (out[at + 2]! << 8 | out[at + 3]!);
  out[at + 7] = width >> 8;
  out[at + 8] = width & 255;
  return out;
}

const END = Uint8Array.of(0xff, 0xd9);

/** Two grey or coloured squares side by side, a restart marker between them: a scan forgets everything there. */
function restarting(channels: 1 | 3, marker = 0xd0): { bytes: Uint8Array; side: number; squares: Uint8Array[] } {
  const side = channels === 1 ? 8 : 16;
  const squares = [40, 200].map((level) =>
    encodeJpeg({ width: side, height: side, channels, data: new Uint8Array(side * side * channels).fill(level) }, 90)
  );
  const [left, right] = squares.map(splitJpeg) as [JpegParts, JpegParts];
  const interval = Uint8Array.of(0xff, 0xdd, 0, 4, 0, 1);
  const scan = [left.scan, Uint8Array.of(0xff, marker), right.scan];
  return { bytes: joinBytes([withWidth(left.head, side * 2), interval, left.scanHeader, ...scan, END]), side, squares };
}

Deno.test("a JPEG with restart markers starts anew behind each", () => {
  for (const channels of [1, 3] as const) {
    const { bytes, side, squares } = restarting(channels);
    const whole = new Rows();
    decodeJpeg(bytes, 8, whole.open);
    const halves = squares.map((square) => {
      const rows = new Rows();
      decodeJpeg(square, 8, rows.open);
      return rows.rows;
    });
    strictEqual(whole.rows.length, side);
    for (const [y, row] of whole.rows.entries()) deepStrictEqual(row, [...halves[0]![y]!, ...halves[1]![y]!]);
  }
});

Deno.test("a JPEG whose restart marker is another or missing is a named fault", () => {
  for (const marker of [0xd1, 0xd9, 0x00]) {
    throws(
      () => decodeJpeg(restarting(1, marker).bytes, 8, new Rows().open),
      (fault) => fault instanceof ImageFault && fault.kind === "corrupt",
      String(marker),
    );
  }
});

/** The same JPEG with an Adobe segment that names the colour transform (Adobe Technical Note 5116). */
function withTransform(jpeg: Uint8Array, transform: number): Uint8Array {
  const at = jpeg.findIndex((byte, i) => byte === 0xff && jpeg[i + 1] === 0xee);
  if (at >= 0) {
    const out = jpeg.slice();
    out[at + 15] = transform;
    return out;
  }
  const adobe = joinBytes([
    Uint8Array.of(0xff, 0xee, 0, 14),
    ascii("Adobe"),
    Uint8Array.of(0, 100, 0, 0, 0, 0, transform),
  ]);
  // In place of the JFIF segment, which says that the components are YCbCr.
  return joinBytes([jpeg.subarray(0, 2), adobe, jpeg.subarray(4 + (jpeg[4]! << 8 | jpeg[5]!))]);
}

Deno.test({
  name:
    `a JPEG that says its three components are red, green and blue, or its four are inks, is shown so${needsMagick}`,
  ignore: missing !== null,
  fn() {
    const source = encodePng(sampleRaster(48, 32));
    const plain = convert(source, ["-sampling-factor", "1x1", "-quality", "95"], "jpg");
    const inks = convert(source, ["-colorspace", "CMYK", "-sampling-factor", "1x1", "-quality", "95"], "jpg");
    for (const bytes of [withTransform(plain, 0), inks, withTransform(inks, 0), withTransform(inks, 2)]) {
      const rows = new Rows();
      decodeJpeg(bytes, 8, rows.open);
      const { mean } = difference(rows.raster, referencePixels(bytes));
      ok(mean < 6, String(mean));
    }
  },
});

function webp(...chunks: readonly (readonly [string, Uint8Array])[]): Uint8Array {
  const body = joinBytes(
    chunks.map(([type, data]) => joinBytes([ascii(type), u32le(data.length), data, new Uint8Array(data.length & 1)])),
  );
  return joinBytes([ascii("RIFF"), u32le(body.length + 4), ascii("WEBP"), body]);
}

/** Exif data of one entry: the orientation. */
function exif(orientation: number, order: "II" | "MM"): Uint8Array {
  const big = [0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0];
  const little = [42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0];
  return joinBytes([ascii(order), Uint8Array.from(order === "MM" ? big : little)]);
}

Deno.test("the header of a WebP is read in all three forms, with the orientation of its Exif data", () => {
  const lossless = Uint8Array.of(0x2f, ...u32le(99 | 49 << 14));
  const lossy = Uint8Array.of(0, 0, 0, 0x9d, 0x01, 0x2a, 100, 0x40, 50, 0x80);
  const extended = Uint8Array.of(8, 0, 0, 0, 99, 0, 0, 49, 0, 0);
  const forms: [Uint8Array, number, number][] = [
    [webp(["VP8L", lossless]), 1, 1],
    [webp(["VP8 ", lossy]), 1, 1],
    [webp(["VP8X", extended], ["VP8L", lossless], ["EXIF", exif(6, "MM")]), 6, 1],
    [webp(["VP8X", extended], ["EXIF", joinBytes([ascii("Exif\0\0"), exif(3, "II")])], ["VP8 ", lossy]), 3, 1],
    [webp(["VP8X", extended], ["ANMF", lossy], ["ANMF", lossy], ["EXIF", exif(9, "MM")]), 1, 2],
    [webp(["VP8X", extended], ["VP8L", lossless], ["EXIF", ascii("no Exif at all")]), 1, 1],
    [webp(["VP8X", extended], ["VP8L", lossless], ["EXIF", ascii("MM\0*")]), 1, 1],
  ];
  for (const [bytes, orientation, frames] of forms) {
    const { width, height, ...facts } = readImageHeader(bytes, "webp");
    deepStrictEqual([width, height, facts.orientation, facts.frames], [100, 50, orientation, frames]);
  }
  const damaged: [Uint8Array, RegExp][] = [
    [webp(["VP8L", Uint8Array.of(0x2e, 0, 0, 0, 0)]), /signature/],
    [webp(["VP8 ", new Uint8Array(10)]), /start code/],
    [webp(["JUNK", new Uint8Array(10)]), /no picture/],
    [webp(["VP8X", extended]), /no picture/],
    [webp(["VP8L", lossless]).subarray(0, 22), /./],
  ];
  for (const [bytes, words] of damaged) {
    throws(() => readImageHeader(bytes, "webp"), (fault) => fault instanceof ImageFault && words.test(fault.message));
  }
});

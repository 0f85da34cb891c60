import { deepStrictEqual, ok, rejects, strictEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import {
  convert,
  difference,
  magickMissing,
  ORIENTED_JPEG,
  rawPng,
  referencePixels,
  sampleRaster,
} from "../../../../tests/support/sample_images.ts";
import { ImageFault } from "../image_fault.ts";
import { decodeBmp } from "./decode_bmp.ts";
import { decodeJpeg } from "./decode_jpeg.ts";
import { decodePng } from "./decode_png.ts";
import { decodeOther } from "./decode_other.ts";
import { encodeJpeg } from "./encode_jpeg.ts";
import { encodePng } from "./encode_png.ts";
import { encodeWebp } from "./encode_webp.ts";
import type { BlockSize } from "./inverse_dct.ts";
import { orientRaster } from "./orient_raster.ts";
import { Resampler } from "./resample.ts";
import type { Channels, Raster } from "./row_sink.ts";

const missing = magickMissing();
if (missing !== null) console.warn(`pixel comparisons are ignored: ${missing}`);

function pixelTest(name: string, run: () => void | Promise<void>): void {
  Deno.test({ name, ignore: missing !== null, fn: run });
}

class Opener {
  sink: Resampler | undefined;
  readonly #to: { width: number; height: number } | null;

  constructor(to: { width: number; height: number } | null = null) {
    this.#to = to;
  }

  readonly open = (shape: { width: number; height: number; channels: Channels }): Resampler => {
    const to = this.#to ?? shape;
    return this.sink = new Resampler({
      fromWidth: shape.width,
      fromHeight: shape.height,
      width: to.width,
      height: to.height,
      channels: shape.channels,
    });
  };

  get raster(): Raster {
    return this.sink!.raster;
  }
}

async function decodedPng(bytes: Uint8Array, to: { width: number; height: number } | null = null): Promise<Raster> {
  const opener = new Opener(to);
  await decodePng(bytes, opener.open);
  return opener.raster;
}

function decodedJpeg(bytes: Uint8Array, size: BlockSize = 8): Raster {
  const opener = new Opener();
  decodeJpeg(bytes, size, opener.open);
  return opener.raster;
}

const SOURCE = encodePng(sampleRaster(203, 151));
const SOURCE_ALPHA = encodePng(sampleRaster(203, 151, 4));

const PNG_KINDS: readonly [string, Uint8Array, string[], string][] = [
  ["RGB", SOURCE, [], "png24"],
  ["RGBA", SOURCE_ALPHA, [], "png32"],
  ["interlaced RGBA", SOURCE_ALPHA, ["-interlace", "PNG"], "png32"],
  ["palette of 256", SOURCE, ["-colors", "200"], "png8"],
  ["palette of 4, interlaced", SOURCE, ["-colors", "4", "-interlace", "PNG"], "png8"],
  ["grey", SOURCE, ["-colorspace", "Gray"], "png"],
  ["grey with alpha", SOURCE_ALPHA, ["-colorspace", "Gray"], "png"],
  ["black and white", SOURCE, ["-monochrome"], "png"],
  ["black and white, interlaced", SOURCE, ["-monochrome", "-interlace", "PNG"], "png"],
  ["16 bits RGB", SOURCE, ["-depth", "16"], "png48"],
  ["16 bits RGBA", SOURCE_ALPHA, ["-depth", "16"], "png64"],
];

for (const [name, source, args, to] of PNG_KINDS) {
  pixelTest(`decodePng() reads ${name} as another program does`, async () => {
    const bytes = convert(source, args, to);
    const { mean, most } = difference(await decodedPng(bytes), referencePixels(bytes));
    ok(mean < 0.6 && most <= 2, `mean ${mean}, most ${most}`);
  });
}

const JPEG_KINDS: readonly [string, string[]][] = [
  ["4:4:4", ["-sampling-factor", "1x1"]],
  ["4:2:0", ["-sampling-factor", "2x2"]],
  ["4:2:2", ["-sampling-factor", "2x1"]],
  ["4:4:0", ["-sampling-factor", "1x2"]],
  ["4:1:1", ["-sampling-factor", "4x1"]],
  ["grey", ["-colorspace", "Gray"]],
  ["progressive 4:4:4", ["-interlace", "JPEG", "-sampling-factor", "1x1"]],
  ["progressive 4:2:0", ["-interlace", "JPEG", "-sampling-factor", "2x2"]],
  ["progressive grey", ["-interlace", "JPEG", "-colorspace", "Gray"]],
  ["restart intervals", ["-define", "jpeg:restart-interval=3"]],
  ["RGB without conversion", ["-colorspace", "RGB", "-define", "jpeg:colorspace=RGB"]],
];

for (const [name, args] of JPEG_KINDS) {
  pixelTest(`decodeJpeg() reads ${name} as another program does, at full and at half size`, () => {
    const bytes = convert(SOURCE, [...args, "-quality", "92"], "jpeg");
    const full = difference(decodedJpeg(bytes), referencePixels(bytes));
    ok(full.mean < 1.2, `mean ${full.mean}, most ${full.most}`);
    const half = decodedJpeg(bytes, 4);
    strictEqual(`${half.width}x${half.height}`, "102x76");
    const scaled = difference(half, referencePixels(bytes, ["-filter", "box", "-resize", "102x76!"]));
    ok(scaled.mean < 3, `mean ${scaled.mean}, most ${scaled.most}`);
  });
}

pixelTest("decodeJpeg() turns CMYK into the RGB that another program shows", () => {
  const bytes = convert(SOURCE, ["-colorspace", "CMYK", "-quality", "95"], "jpeg");
  const { mean } = difference(decodedJpeg(bytes), referencePixels(bytes));
  ok(mean < 2, `mean ${mean}`);
});

pixelTest("encodePng() and encodeJpeg() write what another program reads back", () => {
  for (const channels of [1, 3, 4] as const) {
    const raster = sampleRaster(67, 45, channels);
    strictEqual(difference(raster, referencePixels(encodePng(raster))).most, 0);
    if (channels === 4) continue;
    const { mean } = difference(raster, referencePixels(encodeJpeg(raster, 90)));
    ok(mean < 2.5, `${channels} channels: mean ${mean}`);
  }
});

pixelTest("Resampler scales like the same filter of another program", async () => {
  for (const channels of [1, 3, 4] as const) {
    const bytes = encodePng(sampleRaster(203, 151, channels));
    const scaled = await decodedPng(bytes, { width: 80, height: 60 });
    const { mean } = difference(scaled, referencePixels(bytes, ["-filter", "triangle", "-resize", "80x60!"]));
    ok(mean < 1.5, `${channels} channels: mean ${mean}`);
  }
});

const OTHER_KINDS: readonly [string, "gif" | "webp" | "tiff", string[]][] = [
  ["GIF", "gif", []],
  ["interlaced GIF", "gif", ["-interlace", "GIF"]],
  ["TIFF", "tiff", []],
  ["TIFF with LZW", "tiff", ["-compress", "LZW"]],
  ["TIFF of 16 bits", "tiff", ["-depth", "16"]],
  ["TIFF with a palette", "tiff", ["-colors", "200", "-type", "Palette"]],
  ["grey TIFF", "tiff", ["-colorspace", "Gray"]],
  ["lossless WebP", "webp", ["-define", "webp:lossless=true"]],
];

for (const [name, format, args] of OTHER_KINDS) {
  pixelTest(`decodeOther() reads ${name} as another program does`, async () => {
    const bytes = convert(SOURCE, args, format);
    const opener = new Opener();
    await decodeOther(bytes, format, opener.open);
    const { mean } = difference(opener.raster, referencePixels(bytes));
    ok(mean < 0.5, `mean ${mean}`);
  });
}

const BMP_KINDS: readonly [string, Uint8Array, string[], string][] = [
  ["24 bits", SOURCE, [], "bmp3"],
  ["the oldest header", SOURCE, [], "bmp2"],
  ["32 bits with alpha", SOURCE_ALPHA, [], "bmp"],
  ["a palette of 256", SOURCE, ["-colors", "200", "-compress", "None"], "bmp3"],
  ["a palette of 16", SOURCE, ["-colors", "16", "-type", "Palette", "-compress", "None"], "bmp3"],
  ["run lengths", SOURCE, ["-colors", "200", "-compress", "RLE"], "bmp3"],
  ["black and white", SOURCE, ["-monochrome"], "bmp3"],
  ["16 bits", SOURCE, ["-define", "bmp:subtype=RGB565"], "bmp"],
];

for (const [name, source, args, to] of BMP_KINDS) {
  pixelTest(`decodeBmp() reads ${name} as another program does`, () => {
    const bytes = convert(source, args, to);
    const opener = new Opener();
    decodeBmp(bytes, opener.open);
    const { mean, most } = difference(opener.raster, referencePixels(bytes));
    ok(mean < 0.5 && most <= 8, `mean ${mean}, most ${most}`);
  });
}

Deno.test("encodeWebp() keeps colours and alpha within the loss of its quality", async () => {
  for (const channels of [1, 3, 4] as const) {
    const raster = sampleRaster(80, 60, channels);
    const opener = new Opener();
    await decodeOther(await encodeWebp(raster, 90), "webp", opener.open);
    const { mean } = difference(raster, opener.raster.data as Uint8Array);
    ok(mean < 3, `${channels} channels: mean ${mean}`);
  }
});

Deno.test("encodePng() and decodePng() give back the same pixels for any small picture", async () => {
  const raster = fc.record({
    width: fc.integer({ min: 1, max: 20 }),
    height: fc.integer({ min: 1, max: 20 }),
    channels: fc.constantFrom<Channels>(1, 3, 4),
  }).chain(({ width, height, channels }) =>
    fc.uint8Array({ minLength: width * height * channels, maxLength: width * height * channels })
      .map((data): Raster => ({ width, height, channels, data }))
  );
  await fc.assert(
    fc.asyncProperty(raster, async (original) => {
      const { width, height, channels, data } = await decodedPng(encodePng(original));
      deepStrictEqual({ width, height, channels, data: [...data] }, { ...original, data: [...original.data] });
    }),
    { numRuns: 60 },
  );
});

Deno.test("encodeJpeg() writes sizes that are no multiple of a block, and decodeJpeg() reads them", () => {
  for (const [width, height] of [[1, 1], [7, 9], [8, 8], [15, 17], [33, 16]] as const) {
    for (const channels of [1, 3] as const) {
      const decoded = decodedJpeg(encodeJpeg(sampleRaster(width, height, channels), 85));
      deepStrictEqual([decoded.width, decoded.height, decoded.channels], [width, height, channels]);
    }
  }
});

Deno.test("a flat picture keeps its colour through JPEG, scaling and every block size", () => {
  const data = new Uint8Array(64 * 48 * 3).map((_, i) => [30, 120, 220][i % 3]!);
  const bytes = encodeJpeg({ width: 64, height: 48, channels: 3, data }, 95);
  for (const size of [1, 2, 4, 8] as const) {
    const { width, height, data: pixels } = decodedJpeg(bytes, size);
    deepStrictEqual([width, height], [8 * size, 6 * size]);
    ok(pixels.every((value, i) => Math.abs(value - [30, 120, 220][i % 3]!) <= 3), `size ${size}`);
  }
});

Deno.test("Resampler leaves a flat picture flat at any size, edges and alpha included", () => {
  const size = fc.integer({ min: 1, max: 60 });
  fc.assert(fc.property(size, size, size, size, (fromWidth, fromHeight, toWidth, toHeight) => {
    const width = Math.min(fromWidth, toWidth);
    const height = Math.min(fromHeight, toHeight);
    const resampler = new Resampler({ fromWidth, fromHeight, width, height, channels: 4 });
    const row = new Uint8Array(fromWidth * 4).map((_, i) => [10, 200, 90, 128][i % 4]!);
    for (let y = 0; y < fromHeight; y++) resampler.row(row);
    ok(resampler.raster.data.every((value, i) => Math.abs(value - [10, 200, 90, 128][i % 4]!) <= 1));
  }));
});

Deno.test("Resampler gives transparent pixels no say in the colour", () => {
  const resampler = new Resampler({ fromWidth: 2, fromHeight: 1, width: 1, height: 1, channels: 4 });
  resampler.row(Uint8Array.of(255, 0, 0, 255, 0, 0, 255, 0));
  const [red, green, blue, alpha] = resampler.raster.data;
  deepStrictEqual([red, green, blue], [255, 0, 0]);
  ok(alpha! >= 127 && alpha! <= 128);
});

Deno.test("orientRaster() turns the eight orientations as Exif draws them", () => {
  // Stored rows ab, cd, ef.
  const data = Uint8Array.from("abcdef", (character) => character.charCodeAt(0));
  const rows = (orientation: number) => {
    const { width, data: out } = orientRaster({ width: 2, height: 3, channels: 1, data }, orientation);
    return String.fromCharCode(...out).match(new RegExp(`.{${width}}`, "g"))!.join(" ");
  };
  deepStrictEqual([1, 2, 3, 4, 5, 6, 7, 8].map(rows), [
    "ab cd ef",
    "ba dc fe",
    "fe dc ba",
    "ef cd ab",
    "ace bdf",
    "eca fdb",
    "fdb eca",
    "bdf ace",
  ]);
});

Deno.test("a JPEG cut anywhere in its scan is a named fault, with and without pixels", () => {
  const whole = encodeJpeg(sampleRaster(64, 64), 85);
  for (let length = whole.length - 3; length > 700; length -= 97) {
    const cut = Uint8Array.from([...whole.subarray(0, length), 0xff, 0xd9]);
    throws(() => decodedJpeg(cut), ImageFault);
    throws(() => decodeJpeg(cut, 8, null), ImageFault);
  }
});

Deno.test("a PNG whose rows are too few is a named fault", async () => {
  await rejects(decodedPng(rawPng({ width: 100, height: 100 })), ImageFault);
});

Deno.test("the smallest oriented JPEG decodes to its black and white halves", () => {
  const { width, height, data } = decodedJpeg(ORIENTED_JPEG);
  deepStrictEqual([width, height], [16, 8]);
  ok(data[0]! < 10 && data[15]! > 245);
});

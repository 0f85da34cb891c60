import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  animatedGif,
  convert,
  joinBytes,
  magickMissing,
  ORIENTED_JPEG,
  PROGRESSIVE_JPEG,
  rawPng,
  sampleRaster,
  withRightChecksums,
} from "../../../../tests/support/sample_images.ts";
import { encodeWebp } from "../codec/encode_webp.ts";
import { encodeJpeg } from "../codec/encode_jpeg.ts";
import { encodePng } from "../codec/encode_png.ts";
import { ImageFault } from "../image_fault.ts";
import { readImageHeader } from "../read_image_header.ts";
import { sniffImage } from "../sniff_image.ts";
import type { ImageFormat } from "../sniff_image.ts";
import type { PictureLimits, PictureReply } from "./decoder_messages.ts";
import { renderPicture } from "./render_picture.ts";

const LIMITS: PictureLimits = { maxBytes: 5_242_880, maxWidth: 2_000, maxHeight: 2_000, autoResize: true };

/** Larger ones are left out of the random damage: they are decoded right, but each takes a second. */
const MAX_FUZZED_PIXELS = 250_000;

async function shown(bytes: Uint8Array, limits: Partial<PictureLimits> = {}) {
  const format = sniffImage(bytes) as ImageFormat;
  const { header, payload } = await renderPicture({
    header: { format, limits: { ...LIMITS, ...limits } },
    payload: bytes,
  });
  return { reply: header, payload };
}

async function sentSize(bytes: Uint8Array, limits: Partial<PictureLimits> = {}): Promise<string> {
  const { reply } = await shown(bytes, limits);
  return reply.kind === "converted" ? `${reply.format} ${reply.width}x${reply.height}` : describe(reply);
}

function describe(reply: PictureReply): string {
  return reply.kind === "fault" ? `${reply.fault}: ${reply.message}` : reply.kind;
}

Deno.test("a picture within the limits is sent unchanged", async () => {
  for (const bytes of [encodePng(sampleRaster(30, 20)), encodeJpeg(sampleRaster(30, 20), 85), animatedGif(3, 40)]) {
    const { reply } = await shown(bytes);
    strictEqual(describe(reply), "unchanged");
    strictEqual(reply.kind === "unchanged" && reply.bytes, bytes.length);
  }
});

Deno.test("a picture that is too large is scaled into the box, PNG and JPEG in their own kind, others as WebP", async () => {
  const box = { maxWidth: 50, maxHeight: 40 };
  strictEqual(await sentSize(encodePng(sampleRaster(300, 100, 4)), box), "png 50x17");
  strictEqual(await sentSize(encodeJpeg(sampleRaster(100, 300), 85), box), "jpeg 13x40");
  strictEqual(await sentSize(await encodeWebp(sampleRaster(100, 100), 85), box), "webp 40x40");
  strictEqual(await sentSize(animatedGif(5, 100), box), "webp 40x40");
});

Deno.test("both sides stay at least 1 and nothing is scaled up", async () => {
  strictEqual(await sentSize(encodePng(sampleRaster(9000, 10)), { maxWidth: 100 }), "png 100x1");
  strictEqual(await sentSize(encodeJpeg(sampleRaster(3, 900), 85), { maxHeight: 10 }), "jpeg 1x10");
  strictEqual(await sentSize(encodePng(sampleRaster(10, 10))), "unchanged");
});

Deno.test("an oriented picture is sent upright, and its box is the upright one", async () => {
  const { reply } = await shown(ORIENTED_JPEG);
  ok(reply.kind === "converted");
  deepStrictEqual([reply.format, reply.width, reply.height], ["jpeg", 8, 16]);
  deepStrictEqual([reply.facts.width, reply.facts.height, reply.facts.orientation], [8, 16, 6]);
  strictEqual(await sentSize(ORIENTED_JPEG, { maxHeight: 8 }), "jpeg 4x8");
});

Deno.test("quality falls until the picture fits, and what never fits is not sent", async () => {
  const noisy = sampleRaster(200, 200);
  for (let i = 0; i < noisy.data.length; i++) noisy.data[i]! ^= (i * 2654435761) >>> 26;
  const source = encodeJpeg(noisy, 98);
  const wanted = encodeJpeg(noisy, 65).length;
  const { reply, payload } = await shown(source, { maxBytes: wanted + 400 });
  ok(reply.kind === "converted" && reply.quality !== null && reply.quality < 85, describe(reply));
  ok(payload.length <= wanted + 400);
  const refused = await shown(source, { maxBytes: 1_024 });
  ok(refused.reply.kind === "too_many_bytes" && refused.reply.resizeAttempted);
  strictEqual(refused.payload.length, 0);
});

Deno.test("without auto_resize nothing is scaled and too many bytes are refused at once", async () => {
  const bytes = encodePng(sampleRaster(300, 200));
  strictEqual(await sentSize(bytes, { maxWidth: 10, autoResize: false }), "unchanged");
  const { reply } = await shown(bytes, { maxBytes: 100, autoResize: false });
  ok(reply.kind === "too_many_bytes" && !reply.resizeAttempted);
});

Deno.test("bytes behind the end of a picture are not sent", async () => {
  const png = encodePng(sampleRaster(30, 20));
  const { reply } = await shown(joinBytes([png, new Uint8Array(12_000_000)]));
  ok(reply.kind === "unchanged");
  deepStrictEqual([reply.bytes, reply.facts.trailingBytes], [png.length, 12_000_000]);
});

Deno.test("frames of an animation are counted", async () => {
  const { reply } = await shown(animatedGif(300, 500));
  ok(reply.kind === "unchanged");
  strictEqual(reply.facts.frames, 300);
});

Deno.test("decompression bombs are refused by their header", async () => {
  strictEqual(
    await sentSize(rawPng({ width: 60_000, height: 60_000 })),
    "too_large: its size is 60000×60000 pixels, at most 64 megapixels are shown",
  );
  strictEqual(
    await sentSize(rawPng({ width: 2_147_483_647, height: 1 })),
    "too_large: its size is 2147483647×1 pixels, at most 65535 a side are shown",
  );
  ok((await sentSize(rawPng({ width: 0, height: 5 }))).startsWith("corrupt: "));
});

Deno.test("a BMP is converted even when it would fit", async () => {
  strictEqual(await sentSize(bitmap(3, 2)), "webp 3x2");
});

const missing = magickMissing();
if (missing !== null) console.warn(`the TIFF and CMYK tests are ignored: ${missing}`);

Deno.test({
  name: "a TIFF and a CMYK JPEG are converted even when they would fit",
  ignore: missing !== null,
  async fn() {
    const source = encodePng(sampleRaster(30, 20));
    strictEqual(await sentSize(convert(source, [], "tiff")), "webp 30x20");
    strictEqual(await sentSize(convert(source, ["-colorspace", "CMYK"], "jpeg")), "jpeg 30x20");
  },
});

const SAMPLES: Readonly<Record<string, Uint8Array>> = {
  "progressive jpeg": PROGRESSIVE_JPEG,
  png: encodePng(sampleRaster(24, 18, 4)),
  jpeg: encodeJpeg(sampleRaster(40, 30), 85),
  "oriented jpeg": ORIENTED_JPEG,
  gif: animatedGif(2, 20),
  webp: await encodeWebp(sampleRaster(24, 18, 4), 85),
  bmp: bitmap(7, 5),
};

for (const [name, bytes] of Object.entries(SAMPLES)) {
  Deno.test(`every truncation of a ${name} is a named fault`, async () => {
    for (let length = 0; length < bytes.length; length += Math.max(1, Math.floor(bytes.length / 150))) {
      const cut = bytes.slice(0, length);
      const format = sniffImage(cut);
      if (format === null) continue;
      const { header, payload } = await renderPicture({
        header: { format: format as ImageFormat, limits: LIMITS },
        payload: cut,
      });
      strictEqual(header.kind, "fault", `${length} of ${bytes.length} bytes`);
      strictEqual(payload.length, 0);
    }
  });

  Deno.test(`flipped bytes of a ${name} give a picture or a named fault, never a crash`, async () => {
    const flip = fc.record({ at: fc.nat(bytes.length - 1), to: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(flip, { minLength: 1, maxLength: 6 }), async (flips) => {
        const changed = bytes.slice();
        for (const { at, to } of flips) changed[at] = to;
        const format = sniffImage(bytes) as ImageFormat;
        const limits = { ...LIMITS, maxWidth: 10, maxHeight: 10 };
        const payload = format === "png" ? withRightChecksums(changed) : changed;
        if (statedPixels(payload, format) > MAX_FUZZED_PIXELS) return;
        const { header } = await renderPicture({ header: { format, limits }, payload });
        ok(["fault", "converted", "unchanged", "too_many_bytes"].includes(header.kind));
      }),
      { numRuns: 150 },
    );
  });
}

/** Size by the header alone; 0 when that is a fault already. */
function statedPixels(bytes: Uint8Array, format: ImageFormat): number {
  try {
    const { width, height } = readImageHeader(bytes, format);
    return width * height;
  } catch (fault) {
    if (fault instanceof ImageFault) return 0;
    throw fault;
  }
}

/** A BMP of 24 bits and one colour. */
function bitmap(width: number, height: number): Uint8Array {
  const stride = Math.ceil(width * 3 / 4) * 4;
  const out = new Uint8Array(54 + stride * height).fill(90, 54);
  const view = new DataView(out.buffer);
  out.set([0x42, 0x4d]);
  view.setUint32(2, out.length, true);
  view.setUint32(10, 54, true);
  view.setUint32(14, 40, true);
  view.setInt32(18, width, true);
  view.setInt32(22, height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 24, true);
  return out;
}

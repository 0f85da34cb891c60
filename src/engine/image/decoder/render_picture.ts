/** The work of the decoder: one file in, one picture to send out. */

import { decodeBmp } from "../codec/decode_bmp.ts";
import { decodeJpeg, jpegReduction } from "../codec/decode_jpeg.ts";
import { decodePng } from "../codec/decode_png.ts";
import { encodeJpeg } from "../codec/encode_jpeg.ts";
import { encodePng } from "../codec/encode_png.ts";
import { orientRaster, withoutIdleAlpha } from "../codec/orient_raster.ts";
import { giveBack } from "../codec/give_back.ts";
import { Resampler } from "../codec/resample.ts";
import type { Channels, Raster, RowSink } from "../codec/row_sink.ts";
import type { ImageHeader } from "../header/image_header.ts";
import { ImageFault } from "../image_fault.ts";
import { readImageHeader } from "../read_image_header.ts";
import type { Message, PictureReply, PictureRequest, SentFormat } from "./decoder_messages.ts";
import { pictureFacts, planPicture } from "./plan_picture.ts";

/** Tried in this order until the picture fits (contract 3.20). */
const QUALITIES = [85, 75, 65, 55] as const;

const NO_BYTES = new Uint8Array(0);
const NO_SINK: RowSink = { row: () => undefined };

/** Checks, scales and encodes the picture in `payload`; `inputRead` is called once that is not needed any more. Never rejects for what the file holds: that is a reply of kind `fault`. */
export async function renderPicture(
  { header: request, payload }: Message<PictureRequest>,
  inputRead: () => void = () => undefined,
): Promise<Message<PictureReply>> {
  try {
    return await render(request, { bytes: payload, inputRead });
  } catch (fault) {
    if (fault instanceof ImageFault) {
      return { header: { kind: "fault", fault: fault.kind, message: fault.message }, payload: NO_BYTES };
    }
    // Memory that the system refuses is a property of the picture too.
    if (fault instanceof RangeError) {
      return { header: { kind: "fault", fault: "too_large", message: fault.message }, payload: NO_BYTES };
    }
    throw fault;
  }
}

async function render(
  request: PictureRequest,
  { bytes, inputRead }: { bytes: Uint8Array; inputRead: () => void },
): Promise<Message<PictureReply>> {
  const { limits } = request;
  const header = readImageHeader(bytes, request.format);
  const facts = pictureFacts(header, bytes.length);
  const plan = planPicture(header, facts, limits);
  const picture = bytes.subarray(0, header.endOffset);
  if (plan.kind === "refuse") {
    const { width, height } = facts;
    const reply = {
      kind: "too_many_bytes",
      facts,
      bytes: picture.length,
      width,
      height,
      resizeAttempted: false,
    } as const;
    return { header: reply, payload: NO_BYTES };
  }
  if (plan.kind === "pass") {
    await decode(picture, header, () => NO_SINK, null);
    return { header: { kind: "unchanged", facts, bytes: picture.length }, payload: NO_BYTES };
  }
  const raster = await scaledRaster(picture, header, plan);
  inputRead();
  const sent = await encode(raster, plan.format, limits.maxBytes);
  giveBack(raster.data);
  const { width, height } = raster;
  if (sent.bytes.length > limits.maxBytes) {
    const attempt = { bytes: sent.bytes.length, width, height, resizeAttempted: limits.autoResize };
    return { header: { kind: "too_many_bytes", facts, ...attempt }, payload: NO_BYTES };
  }
  const { format, quality } = sent;
  return { header: { kind: "converted", facts, format, width, height, quality }, payload: sent.bytes };
}

/** The picture upright, at `width × height`. */
async function scaledRaster(
  bytes: Uint8Array,
  header: ImageHeader,
  { width, height }: { width: number; height: number },
): Promise<Raster> {
  const turned = header.orientation >= 5;
  const target = turned ? { width: height, height: width } : { width, height };
  let resampler: Resampler | undefined;
  await decode(bytes, header, (shape) => {
    if (shape.width < target.width || shape.height < target.height) {
      throw new ImageFault("corrupt", "the header states another size than the data");
    }
    const { channels } = shape;
    return resampler = new Resampler({ fromWidth: shape.width, fromHeight: shape.height, ...target, channels });
  }, target);
  if (resampler === undefined) throw new ImageFault("corrupt", "the data holds no picture");
  const stored = resampler.raster;
  const upright = orientRaster(stored, header.orientation);
  if (upright.data !== stored.data) giveBack(stored.data);
  const plain = withoutIdleAlpha(upright);
  if (plain.data !== upright.data) giveBack(upright.data);
  return plain;
}

type Open = (shape: { width: number; height: number; channels: Channels }) => RowSink;

/** Decodes to its end; with a `target` not larger than needed for it, without one only to prove that it can be done. */
async function decode(
  bytes: Uint8Array,
  header: ImageHeader,
  open: Open,
  target: { width: number; height: number } | null,
): Promise<void> {
  if (header.format === "png") {
    await decodePng(bytes, open);
  } else if (header.format === "jpeg") {
    if (target === null) decodeJpeg(bytes, 8, null);
    else decodeJpeg(bytes, jpegReduction(header, target), open);
  } else if (header.format === "bmp") {
    decodeBmp(bytes, open);
  } else {
    const { decodeOther } = await import("../codec/decode_other.ts");
    await decodeOther(bytes, header.format, open);
  }
}

interface Encoded {
  readonly bytes: Uint8Array;
  readonly format: SentFormat;
  readonly quality: number | null;
}

/** PNG has one form; JPEG and WebP fall in quality until they fit. */
async function encode(raster: Raster, format: SentFormat, maxBytes: number): Promise<Encoded> {
  if (format === "png") return { bytes: encodePng(raster), format, quality: null };
  let smallest: Encoded | undefined;
  for (const quality of QUALITIES) {
    const bytes = format === "jpeg" ? encodeJpeg(raster, quality) : await encodeLossyWebp(raster, quality);
    smallest = { bytes, format, quality };
    if (bytes.length <= maxBytes) break;
  }
  return smallest!;
}

async function encodeLossyWebp(raster: Raster, quality: number): Promise<Uint8Array> {
  const { encodeWebp } = await import("../codec/encode_webp.ts");
  return await encodeWebp(raster, quality);
}

/** Tool `view_image`: one picture of the workspace, within the limits of what a model can take. */

import { Buffer } from "node:buffer";
import * as s from "../schema/schema.ts";
import { defineTool, READ_ONLY } from "./tool.ts";

/** 5 MiB: the most that clients commonly accept for one image. */
const DEFAULT_MAX_BYTES = 5_242_880;
/** Twice that, for clients that accept more. */
const MAX_MAX_BYTES = 10_485_760;
/** Below 1 KiB nothing but an icon would be left of a picture. */
const MIN_MAX_BYTES = 1_024;
/** Models scale larger pictures down themselves. */
const DEFAULT_MAX_SIDE = 2_000;
/** Bounds the work of encoding: models look at far smaller pictures. */
const MAX_MAX_SIDE = 10_000;

const input = s.object({
  path: s.string({ minLength: 1 }),
  max_bytes: s.withDefault(s.integer({ min: MIN_MAX_BYTES, max: MAX_MAX_BYTES }), DEFAULT_MAX_BYTES),
  max_width: s.withDefault(s.integer({ min: 1, max: MAX_MAX_SIDE }), DEFAULT_MAX_SIDE),
  max_height: s.withDefault(s.integer({ min: 1, max: MAX_MAX_SIDE }), DEFAULT_MAX_SIDE),
  auto_resize: s.withDefault(s.boolean(), true),
});

type Input = s.Infer<typeof input>;

const output = s.openObject({
  path: s.optional(s.string()),
  mime_type: s.optional(s.string()),
  bytes: s.optional(s.integer()),
  width: s.optional(s.integer()),
  height: s.optional(s.integer()),
  resized: s.optional(s.boolean()),
  orientation: s.optional(s.integer()),
  frames: s.optional(s.integer()),
  original: s.optional(s.openObject({
    bytes: s.integer(),
    width: s.integer(),
    height: s.integer(),
    mime_type: s.string(),
  })),
  warnings: s.optional(s.array(s.string())),
});

/** Key of the image data: a symbol, so that it is in the image block and nowhere else in the result. */
const DATA: unique symbol = Symbol("image data");

type Output = {
  path: string;
  mime_type: string;
  bytes: number;
  width: number;
  height: number;
  resized: boolean;
  orientation: number;
  frames: number;
  original: { bytes: number; width: number; height: number; mime_type: string };
  warnings: string[];
  [DATA]?: Uint8Array;
};

/** Reads only; decodes apart from the server, because pictures come from anywhere. */
export const viewImage = defineTool<Input, Output>({
  name: "view_image",
  title: "View image",
  description: "Show a PNG, JPEG, GIF, WebP, BMP or TIFF file as an image, scaled down to fit.",
  annotations: READ_ONLY,
  input,
  output,
  slips: { file_path: "path", file: "path", image: "path", image_path: "path", filename: "path" },

  async run(args, { engines, signal }) {
    const image = await engines.image();
    const view = await image.view(args.path, {
      maxBytes: args.max_bytes,
      maxWidth: args.max_width,
      maxHeight: args.max_height,
      autoResize: args.auto_resize,
    }, signal);
    return {
      path: view.path,
      mime_type: view.mimeType,
      bytes: view.bytes.length,
      width: view.width,
      height: view.height,
      resized: view.resized,
      orientation: view.orientation,
      frames: view.frames,
      original: {
        bytes: view.original.bytes,
        width: view.original.width,
        height: view.original.height,
        mime_type: view.original.mimeType,
      },
      warnings: [...view.warnings],
      [DATA]: view.bytes,
    };
  },

  render(out) {
    const { original } = out;
    const before = `${original.mime_type}, ${original.width}×${original.height}, ${original.bytes} bytes`;
    const changed = out.bytes !== original.bytes;
    return {
      head: `Image: ${out.path} (${out.mime_type}, ${out.width}×${out.height})`,
      body: changed ? `Sent ${out.bytes} bytes; the file is ${before}.` : `${out.bytes} bytes, unchanged.`,
      foot: out.warnings.map((warning) => `Warning: ${warning}`).join("\n"),
      ...(out[DATA] === undefined ? {} : { image: { data: toBase64(out[DATA]), mimeType: out.mime_type } }),
    };
  },
});

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}

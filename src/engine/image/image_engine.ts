/** Shows one picture of the workspace to a model: the file is checked, scaled where needed, and never sent when damaged. */

import { extname } from "node:path";
import { type NextAction, ToolError } from "../../base/tool_error.ts";
import { shown } from "../workspace/path_spelling.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { DecoderGone } from "./decoder/decoder_link.ts";
import type { PictureFacts, PictureLimits, PictureReply, SentFormat } from "./decoder/decoder_messages.ts";
import { DecodeTimeout, type ImageDecoder } from "./decoder/image_decoder.ts";
import { readImageFile } from "./read_image_file.ts";
import { EXTENSIONS, type ImageFormat, MIME_TYPES, type RefusedFormat, sniffImage } from "./sniff_image.ts";

/** The picture as the model gets it, and what became of the file's own. */
export interface PictureView {
  /** Resolved, workspace-relative. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** Pixels of what is sent, upright. */
  readonly width: number;
  readonly height: number;
  readonly resized: boolean;
  /** Exif orientation 1–8 found in the file; what is sent is upright. */
  readonly orientation: number;
  /** Pictures in the file: frames of an animation, pages of a TIFF. */
  readonly frames: number;
  /** The file as it is, before it was turned upright. */
  readonly original: {
    readonly bytes: number;
    readonly width: number;
    readonly height: number;
    readonly mimeType: string;
  };
  readonly warnings: readonly string[];
}

/** What the engine works with; it closes the decoder. */
export interface ImageEngineParts {
  readonly workspace: Workspace;
  readonly decoder: ImageDecoder;
}

/** One per run; its decoder starts with the first picture. */
export class ImageEngine {
  readonly #parts: ImageEngineParts;

  constructor(parts: ImageEngineParts) {
    this.#parts = parts;
  }

  /** The picture at `path` within `limits`. @throws ToolError when it is none, damaged, or too large */
  async view(path: string, limits: PictureLimits, signal: AbortSignal): Promise<PictureView> {
    const file = await readImageFile(this.#parts.workspace, path, signal);
    const format = sniffImage(file.bytes);
    if (!isDecoded(format)) throw refused(path, format, file.bytes.length);
    const { header: reply, payload } = await this.#decode(path, { format, limits, bytes: file.bytes, signal });
    if (reply.kind === "fault") throw damaged(path, format, reply);
    const { facts } = reply;
    const original = {
      bytes: file.bytes.length,
      width: facts.width,
      height: facts.height,
      mimeType: MIME_TYPES[format],
    };
    if (reply.kind === "too_many_bytes") throw tooLarge(path, limits, { reply, format });
    const sent = reply.kind === "unchanged"
      ? {
        bytes: file.bytes.subarray(0, reply.bytes),
        format: format as SentFormat,
        width: facts.width,
        height: facts.height,
      }
      : { bytes: payload, format: reply.format, width: reply.width, height: reply.height };
    return {
      path: file.path,
      bytes: sent.bytes,
      mimeType: MIME_TYPES[sent.format],
      width: sent.width,
      height: sent.height,
      resized: sent.width !== facts.width || sent.height !== facts.height,
      orientation: facts.orientation,
      frames: facts.frames,
      original,
      warnings: [...nameWarnings(file.path, format), ...replyWarnings(reply, format)],
    };
  }

  /** Ends the decoder; settles once it is gone. */
  close(): Promise<void> {
    return this.#parts.decoder.close();
  }

  async #decode(
    path: string,
    { format, limits, bytes, signal }: {
      format: ImageFormat;
      limits: PictureLimits;
      bytes: Uint8Array;
      signal: AbortSignal;
    },
  ) {
    try {
      return await this.#parts.decoder.decode({ header: { format, limits }, payload: bytes }, signal);
    } catch (fault) {
      if (fault instanceof DecodeTimeout) {
        throw new ToolError("UNSUPPORTED_MEDIA", `Cannot show ${shown(path)}: ${fault.message}`, {
          details: { path, reason: "time_limit", limit_ms: fault.limitMs, retry_hint: CONVERT_HINT },
          cause: fault,
        });
      }
      if (fault instanceof DecoderGone) {
        throw new ToolError("UNSUPPORTED_MEDIA", `Cannot show ${shown(path)}: the decoder ended (${fault.message})`, {
          details: { path, reason: "decoder_ended", retry_hint: CONVERT_HINT },
          cause: fault,
        });
      }
      throw fault;
    }
  }
}

const CONVERT_HINT = "Convert it to a PNG or JPEG of moderate size with a command, then view that file.";

function isDecoded(format: ImageFormat | RefusedFormat | null): format is ImageFormat {
  return format !== null && format in MIME_TYPES;
}

/** What to do with a kind of file that is not decoded. */
const ADVICE: Readonly<Record<RefusedFormat, { what: string; hint: string; readable?: boolean }>> = {
  svg: { what: "SVG, a drawing in text form", hint: "Read its text with read_file.", readable: true },
  avif: { what: "AVIF", hint: CONVERT_HINT },
  heic: { what: "HEIC", hint: CONVERT_HINT },
  jxl: { what: "JPEG XL", hint: CONVERT_HINT },
  jp2: { what: "JPEG 2000", hint: CONVERT_HINT },
  psd: { what: "a Photoshop document", hint: CONVERT_HINT },
  ico: { what: "an icon file", hint: CONVERT_HINT },
  pdf: {
    what: "a PDF document",
    hint: "Turn the page you need into a PNG with a command (such as pdftoppm), then view that.",
  },
  bigtiff: { what: "BigTIFF", hint: CONVERT_HINT },
};

function refused(path: string, format: RefusedFormat | null, bytes: number): ToolError {
  if (format === null) {
    const fact = bytes === 0 ? "the file is empty" : "its first bytes are not those of any image format";
    const next_action: NextAction = { tool: "read_file", arguments: { path } };
    return new ToolError("BINARY_FILE", `Cannot show ${shown(path)}: ${fact}`, {
      details: { path, bytes, retry_hint: "If it is text, read it with read_file.", next_action },
    });
  }
  const { what, hint, readable } = ADVICE[format];
  const next = readable === true ? { next_action: { tool: "read_file", arguments: { path } } } : {};
  return new ToolError(
    "UNSUPPORTED_MEDIA",
    `Cannot show ${shown(path)}: it is ${what}, not a raster image that is decoded`,
    {
      details: { path, format, supported: Object.keys(MIME_TYPES), retry_hint: hint, ...next },
    },
  );
}

function damaged(path: string, format: ImageFormat, reply: PictureReply & { kind: "fault" }): ToolError {
  const hint = reply.fault === "truncated" || reply.fault === "corrupt"
    ? "The file is incomplete or damaged: make or fetch it again. Nothing was sent."
    : CONVERT_HINT;
  return new ToolError("UNSUPPORTED_MEDIA", `Cannot show ${shown(path)}: ${reply.message}`, {
    details: { path, format, reason: reply.fault, retry_hint: hint },
  });
}

/** Sides are shrunk by the root of the excess, and some more, because details do not shrink with the area. */
const SHRINK_MARGIN = 0.85;

function tooLarge(
  path: string,
  limits: PictureLimits,
  { reply, format }: { reply: PictureReply & { kind: "too_many_bytes" }; format: ImageFormat },
): ToolError {
  const { bytes, width, height, resizeAttempted, facts } = reply;
  const shrink = SHRINK_MARGIN * Math.sqrt(limits.maxBytes / bytes);
  const next_action: NextAction = {
    tool: "view_image",
    arguments: {
      path,
      max_bytes: limits.maxBytes,
      max_width: Math.max(1, Math.floor(width * shrink)),
      max_height: Math.max(1, Math.floor(height * shrink)),
    },
  };
  const fact = `${bytes} bytes at ${width}×${height}, more than max_bytes ${limits.maxBytes}`;
  return new ToolError("OUTPUT_TOO_LARGE", `Cannot show ${shown(path)}: ${fact}`, {
    details: {
      path,
      bytes,
      max_bytes: limits.maxBytes,
      resize_attempted: resizeAttempted,
      original: { width: facts.width, height: facts.height, mime_type: MIME_TYPES[format] },
      warnings: [],
      retry_hint: resizeAttempted
        ? "Ask for a smaller width and height, or raise max_bytes."
        : "Leave auto_resize on, or raise max_bytes.",
      next_action,
    },
  });
}

function nameWarnings(path: string, format: ImageFormat): string[] {
  const extension = extname(path).slice(1).toLowerCase();
  if (extension === "" || EXTENSIONS[format].includes(extension)) return [];
  return [`The name ends in .${extension}, but the content is ${MIME_TYPES[format]}.`];
}

function replyWarnings(reply: PictureReply & { facts: PictureFacts }, format: ImageFormat): string[] {
  const { facts } = reply;
  const warnings: string[] = [];
  if (facts.frames > 1) {
    const what = format === "tiff" ? "pages" : "frames";
    warnings.push(
      reply.kind === "unchanged"
        ? `Animation of ${facts.frames} frames, sent unchanged; many viewers show only the first.`
        : `Only the first of ${facts.frames} ${what} is shown.`,
    );
  }
  if (facts.trailingBytes > 0) warnings.push(`${facts.trailingBytes} bytes behind the end of the image were left out.`);
  if (reply.kind !== "converted") return warnings;
  if (facts.orientation !== 1) warnings.push(`Turned upright (Exif orientation ${facts.orientation}).`);
  if (reply.format !== format) {
    const quality = reply.quality === null ? "" : ` of quality ${reply.quality}`;
    warnings.push(`Converted from ${MIME_TYPES[format]} to ${MIME_TYPES[reply.format]}${quality}.`);
  }
  return warnings;
}

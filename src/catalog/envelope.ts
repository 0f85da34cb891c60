/** The result of a call in its wire form (contract 1.1). */

import type { ImageBlock, Rendering, ToolResult } from "../tool/tool.ts";
import { boundText } from "./bound_text.ts";

/** The result of `tools/call` (MCP, "CallToolResult"). */
export interface CallResult {
  readonly content: readonly Record<string, unknown>[];
  /** Absent where structured values are switched off. */
  readonly structuredContent?: Record<string, unknown>;
  readonly isError: boolean;
}

/** What a result is put together from. */
export interface EnvelopeParts {
  /** Structured value with its boolean `ok`. */
  readonly value: ToolResult | Record<string, unknown>;
  readonly rendering: Rendering;
  /** False leaves the structured value out (O-5). */
  readonly structured: boolean;
}

/** One text block, an image block before it where there is one, and the structured value beside them. */
export function envelope({ value, rendering, structured }: EnvelopeParts): CallResult {
  const { text, shortened } = boundText(rendering);
  const content = [...imageBlocks(rendering.image), { type: "text", text }];
  const isError = value["ok"] === false;
  if (!structured) return { content, isError };
  return { content, structuredContent: shortened ? { ...value, text_truncated: true } : value, isError };
}

function imageBlocks(image: ImageBlock | undefined): Record<string, unknown>[] {
  return image === undefined ? [] : [{ type: "image", data: image.data, mimeType: image.mimeType }];
}

/** Fits a rendering into the byte limit without cutting its head or foot (contract 1.2). */

import { fitLinesFromStart } from "../base/fit_text.ts";
import { utf8Length } from "../base/utf8.ts";
import type { Rendering } from "../tool/tool.ts";

/** UTF-8 bytes of the text of one result: about 4,000 tokens, which every known client passes on whole. */
const TEXT_BOUND_BYTES = 16_384;

/** Room for the general notice line. */
const NOTICE_BYTES = 160;

/** Text within `TEXT_BOUND_BYTES`, and whether that cost a part of it. */
export interface BoundText {
  readonly text: string;
  readonly shortened: boolean;
}

/** Joins head, body and foot; when they are too long, only the body is shortened. */
export function boundText(rendering: Rendering): BoundText {
  const whole = join(rendering);
  if (utf8Length(whole) <= TEXT_BOUND_BYTES) return { text: whole, shortened: false };
  const fixed = utf8Length(join({ ...rendering, body: "" })) + 2;
  const budget = Math.max(0, TEXT_BOUND_BYTES - fixed);
  if (rendering.shorten !== undefined) {
    const text = join({ ...rendering, ...rendering.shorten(budget) });
    return { text: clamp(text), shortened: true };
  }
  const body = rendering.body ?? "";
  const fitted = fitLinesFromStart(body, budget - NOTICE_BYTES);
  const hidden = utf8Length(body) - fitted.bytes;
  const notice = `… ${hidden} more bytes are only in the structured value; narrow the call to see them.`;
  const kept = fitted.text.endsWith("\n") || fitted.text === "" ? fitted.text : fitted.text + "\n";
  return { text: clamp(join({ ...rendering, body: kept + notice })), shortened: true };
}

/** Parts joined by LF; a part that already ends in LF gets no second one. */
function join({ head, body, foot }: Rendering): string {
  let text = "";
  for (const part of [head, body, foot]) {
    if (part === undefined || part === "") continue;
    text += text === "" || text.endsWith("\n") ? part : "\n" + part;
  }
  return text;
}

/** The last fence: whatever a tool's own shortening does, the model never gets more than the bound. */
function clamp(text: string): string {
  return utf8Length(text) <= TEXT_BOUND_BYTES ? text : fitLinesFromStart(text, TEXT_BOUND_BYTES).text;
}

/** What `list_dir` and `list_files` have in common: a page of entries, what was left out, and how to go on. */

import { renderAction } from "../base/render_action.ts";
import type { NextAction } from "../base/tool_error.ts";
import * as s from "../schema/schema.ts";
import { joinLines, pageText, warningLines } from "./_text_parts.ts";
import type { Rendering } from "./tool.ts";

/** Bytes of entries in the structured value unless more than usual were asked for (O-6). */
export const MAX_ENTRIES_BYTES = 62_000;

/** Arguments: what is left out unless asked for. */
export const INCLUDE_ARGUMENTS = {
  include_hidden: s.withDefault(s.boolean(), false),
  include_ignored: s.withDefault(s.boolean(), false),
};

/** Output fields behind the entries. */
export const PAGE_FIELDS = {
  total_is_exact: s.optional(s.boolean()),
  hidden_left_out: s.optional(s.integer()),
  ignored_left_out: s.optional(s.integer()),
};

/** The fields that both tools answer besides their entries. */
export type ListPage = {
  path: string;
  offset: number;
  total_is_exact: boolean;
  hidden_left_out: number;
  ignored_left_out: number;
  truncated: boolean;
  warnings?: string[];
  next_action?: NextAction;
};

/** How one of the two tools words its page. */
export interface ListRendering {
  /** `entries` or `files`. */
  readonly noun: string;
  /** One line for each entry of the page. */
  readonly lines: readonly string[];
  readonly total: number;
  /** Introduces what was left out. */
  readonly leftOut: string;
  /** A warning that the line about the rest of the list repeats. */
  readonly limitWarning: string;
  /** The call that goes on at an entry. */
  readonly continued: (offset: number) => NextAction;
}

/** The page as text. */
export function renderList(out: ListPage, list: ListRendering): Rendering {
  const { noun, lines } = list;
  const truncation = (shown: number, next: NextAction) => {
    const total = out.total_is_exact ? `${list.total}` : `at least ${list.total}`;
    const range = `${noun} ${out.offset + 1}-${out.offset + shown} of ${total}`;
    return `… results truncated; ${range}; continue with ${renderAction(next)}`;
  };
  const tail = out.truncated && out.next_action !== undefined ? truncation(lines.length, out.next_action) : "";
  const rest = joinLines(
    leftOutLine(out, list.leftOut),
    warningLines(out.warnings?.filter((one) => one !== list.limitWarning)),
  );
  return pageText({
    body: lines.length > 0 ? lines.join("\n") : emptyLine(out, list),
    tail,
    rest,
    notice: (shown) => truncation(shown, list.continued(out.offset + shown)),
  });
}

function emptyLine(out: ListPage, { noun, total }: ListRendering): string {
  return out.offset > 0 && total > 0
    ? `No ${noun} found at offset ${out.offset}: there are ${total}.`
    : `No ${noun} found.`;
}

function leftOutLine(out: ListPage, words: string): string {
  const parts = [
    ...(out.hidden_left_out > 0 ? [`${out.hidden_left_out} hidden (include_hidden)`] : []),
    ...(out.ignored_left_out > 0 ? [`${out.ignored_left_out} ignored (include_ignored)`] : []),
  ];
  return parts.length === 0 ? "" : `${words}: ${parts.join(", ")}.`;
}

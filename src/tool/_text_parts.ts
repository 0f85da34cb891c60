/** Pieces from which tools put their texts together. */

import { fitLinesFromStart } from "../base/fit_text.ts";
import { utf8Length } from "../base/utf8.ts";
import type { Rendering } from "./tool.ts";

/** A `shorten` that keeps whole lines of `body` from the start; `notice` gets how many are shown. */
export function keepingFirstLines(
  body: string,
  notice: (shownLines: number) => string,
): (budgetBytes: number) => Pick<Rendering, "body"> {
  return (budgetBytes) => {
    // The notice names a number that is only known afterwards; its longest form has the largest number.
    const reserve = utf8Length(notice(Number.MAX_SAFE_INTEGER)) + 2;
    const fitted = fitLinesFromStart(body, budgetBytes - reserve);
    const kept = fitted.text.endsWith("\n") || fitted.text === "" ? fitted.text : fitted.text + "\n";
    // A first line that is cut counts as shown, else the call that goes on would come back to it.
    return { body: kept + notice(Math.max(1, fitted.wholeLines)) };
  };
}

/** The lines of one page and what is said below them. */
export interface LinePage {
  readonly body: string;
  /** Says that the page is not the last, and names the call behind it; empty on the last. */
  readonly tail: string;
  /** Whatever else is said. */
  readonly rest: string;
  /** Stands in place of `tail` where the text shows only the first lines of the page. */
  readonly notice: (shownLines: number) => string;
}

/** A page as text: whichever part of it is shown, one call is named, the one that goes on behind that part. */
export function pageText({ body, tail, rest, notice }: LinePage): Pick<Rendering, "body" | "foot" | "shorten"> {
  return {
    body,
    foot: joinLines(tail, rest),
    shorten: (budgetBytes) => ({
      ...keepingFirstLines(body, notice)(budgetBytes + utf8Length(tail)),
      foot: rest,
    }),
  };
}

/** Non-empty parts, one a line. */
export function joinLines(...parts: (string | false | undefined)[]): string {
  return parts.filter((part) => typeof part === "string" && part !== "").join("\n");
}

/** Warning lines, each on its own; at most 20 of 300 characters (contract 1.2). */
export function warningLines(warnings: readonly string[] | undefined): string {
  return (warnings ?? []).slice(0, 20).map((warning) => `Warning: ${warning.slice(0, 300)}`).join("\n");
}

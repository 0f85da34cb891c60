/** What became of a hunk that was looked for. */

import type { HunkLine } from "./parsed_patch.ts";
import type { IndentMapping } from "./reindent.ts";

/** How exactly the old lines of a hunk can be taken, the strictest first. */
export const GRADES = ["exact", "trailing_ws", "indent"] as const;
/** How exactly they had to be taken. */
export type Grade = (typeof GRADES)[number];

/** A hunk with its place. */
export interface PlacedHunk {
  readonly kind: "placed";
  readonly hunkIndex: number;
  /** The hunk as it was matched: without bare empty lines at its end if it needed that. */
  readonly lines: readonly HunkLine[];
  /** First old line (0-based) and how many of the file's lines the hunk names. */
  readonly start: number;
  readonly oldCount: number;
  readonly grade: Grade;
  /** Only for the indentation grade. */
  readonly indents: IndentMapping | null;
  readonly warnings: readonly string[];
}

/** A hunk whose result is in the file already. */
export interface SkippedHunk {
  readonly kind: "already_applied";
  readonly hunkIndex: number;
  /** First line of the result in the file, 0-based. */
  readonly start: number;
}

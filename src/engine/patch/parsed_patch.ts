/** The patch as it was understood; its grammar stands in `parse_patch.ts`. */

/** What a line of a hunk says of the file's line. */
export type HunkLineKind = "context" | "removed" | "added";

/** One line of a hunk. */
export interface HunkLine {
  readonly kind: HunkLineKind;
  /** Without the sign in front and without a terminator. */
  readonly text: string;
  /** True for an empty line of the patch, which stands for an empty context line. */
  readonly isBare: boolean;
}

/** Lines of a file that stand together, and what becomes of them. */
export interface Hunk {
  /** Line of the patch where it starts, counted from 1. */
  readonly patchLine: number;
  /** Outermost first; empty when the headers name no scope. */
  readonly scopes: readonly string[];
  readonly lines: readonly HunkLine[];
  /** Whether the last line must be the last one of the file. */
  readonly atEndOfFile: boolean;
}

/** What the patch does with one file; `patchLine` is the line of its marker, counted from 1. */
export type PatchOperation =
  | { readonly kind: "add"; readonly path: string; readonly patchLine: number; readonly lines: readonly string[] }
  | { readonly kind: "delete"; readonly path: string; readonly patchLine: number }
  | {
    readonly kind: "update";
    readonly path: string;
    readonly patchLine: number;
    readonly moveTo: string | null;
    readonly hunks: readonly Hunk[];
  };

/** A patch text that was understood. */
export interface ParsedPatch {
  readonly operations: readonly PatchOperation[];
  /** What was accepted though the grammar does not have it, for the result's warnings. */
  readonly notes: readonly string[];
}

/** Lines that the hunk expects in the file. */
export function oldLinesOf(lines: readonly HunkLine[]): string[] {
  return lines.filter((line) => line.kind !== "added").map((line) => line.text);
}

/** Lines that the hunk leaves in the file. */
export function newLinesOf(lines: readonly HunkLine[]): string[] {
  return lines.filter((line) => line.kind !== "removed").map((line) => line.text);
}

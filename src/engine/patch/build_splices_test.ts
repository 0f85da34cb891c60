import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { ToolError } from "../../base/tool_error.ts";
import { buildSplices, rangesOf } from "./build_splices.ts";
import type { PlacedHunk } from "./placed_hunk.ts";
import type { HunkLine } from "./parsed_patch.ts";
import type { Splice, TextLines } from "./text_lines.ts";

const KINDS = { " ": "context", "-": "removed", "+": "added" } as const;

function textOf(lines: readonly string[]): TextLines {
  return { hasBom: false, lines, crlf: null };
}

const FILE = textOf(["a", "b", "c", "d", "e", "f"]);

interface Placed {
  readonly at: number;
  readonly lines: readonly string[];
  readonly indents?: Record<string, string>;
}

function placedHunks(hunks: readonly Placed[]): PlacedHunk[] {
  return hunks.map(({ at, lines, indents }, hunkIndex) => ({
    kind: "placed",
    hunkIndex,
    lines: lines.map((line): HunkLine => {
      return { kind: KINDS[line.charAt(0) as keyof typeof KINDS], text: line.slice(1), isBare: false };
    }),
    start: at,
    oldCount: lines.filter((line) => !line.startsWith("+")).length,
    grade: indents === undefined ? "exact" : "indent",
    indents: indents === undefined ? null : { known: new Map(Object.entries(indents)) },
    warnings: [],
  }));
}

function splices(...hunks: Placed[]): Splice[] {
  return buildSplices(FILE, placedHunks(hunks), { path: "f" });
}

/** `start-end:lines`, a kept line as its index, a new one as its text with what it replaces. */
function shown(list: readonly Splice[]): string {
  return list.map(({ start, end, lines }) => {
    const texts = lines.map((line) =>
      line.kind === "kept" ? `=${line.oldIndex}` : `${line.text}<${line.replaces ?? ""}`
    );
    return `${start}-${end}:${texts.join(",")}`;
  }).join(" ");
}

function overlapOf(...hunks: Placed[]): readonly number[] {
  try {
    splices(...hunks);
  } catch (error) {
    ok(error instanceof ToolError);
    const indexes = error.details["hunk_indexes"] as number[];
    strictEqual(error.code, "PATCH_HUNKS_OVERLAP");
    strictEqual(error.message, `Cannot patch f: hunks ${indexes.join(" and ")} change the same lines`);
    deepStrictEqual(error.details, {
      path: "f",
      hunk_indexes: indexes,
      retry_hint: "Join the two hunks into one, or put the second into another *** Update File block for the same path",
    });
    return indexes;
  }
  return [];
}

Deno.test("a splice is the changed part of a hunk, its context left out", () => {
  strictEqual(shown(splices({ at: 0, lines: [" a", "-b", "+B", " c"] })), "1-2:B<1");
  strictEqual(shown(splices({ at: 0, lines: [" a", "+x", " b"] })), "1-1:x<");
  strictEqual(shown(splices({ at: 0, lines: [" a", "-b", " c"] })), "1-2:");
  strictEqual(shown(splices({ at: 1, lines: ["-b", "-c", "+x", " d", "+y", " e"] })), "1-4:x<1,=3,y<");
  strictEqual(shown(splices({ at: 1, lines: ["+x", "-b", "+y", "-c", "+z", " d"] })), "1-3:x<1,y<2,z<");
  strictEqual(shown(splices({ at: 0, lines: ["-a", "+x", " b", "-c", "+y"] })), "0-3:x<0,=1,y<2");
  strictEqual(shown(splices({ at: 0, lines: [" a", " b"] })), "");
  strictEqual(shown(splices({ at: 0, lines: [" a", " b", "+x"] })), "2-2:x<");
  deepStrictEqual(splices({ at: 1, lines: ["-b", "+B"] }), [
    { start: 1, end: 2, lines: [{ kind: "new", text: "B", replaces: 1 }] },
  ]);
});

Deno.test("added lines are re-indented where the hunk was matched by indentation", () => {
  const hunk = { at: 0, lines: [" a", "+  x", "+    y"], indents: { "": "", "  ": "\t" } };
  strictEqual(shown(splices(hunk)), "1-1:\tx<,\t\ty<");
  const file = textOf(["\tA", "b", "   c"]);
  const deeper = buildSplices(file, placedHunks([{ at: 0, lines: [" A", "+  x"], indents: { "": "\t" } }]), {
    path: "f",
  });
  strictEqual(shown(deeper), "1-1:\t\tx<");
});

Deno.test("splices are sorted by place, insertions at one place in the order of their hunks", () => {
  const insert = (text: string): Placed => ({ at: 2, lines: [`+${text}`] });
  strictEqual(shown(splices({ at: 4, lines: ["-e"] }, { at: 0, lines: ["-a"] })), "0-1: 4-5:");
  strictEqual(shown(splices(insert("x"), insert("y"), { at: 2, lines: ["-c"] })), "2-2:x< 2-2:y< 2-3:");
  strictEqual(shown(splices({ at: 2, lines: ["-c"] }, insert("x"))), "2-2:x< 2-3:");
  strictEqual(shown(splices(insert("x"), { at: 1, lines: ["-b"] })), "1-2: 2-2:x<");
});

Deno.test("hunks may share context, and one may insert at the edge of another", () => {
  deepStrictEqual(overlapOf({ at: 0, lines: ["-a", " b"] }, { at: 1, lines: [" b", "-c"] }), []);
  deepStrictEqual(overlapOf({ at: 0, lines: [" a", "+x"] }, { at: 1, lines: ["+y", " b"] }), []);
  deepStrictEqual(overlapOf({ at: 1, lines: ["-b"] }, { at: 1, lines: ["+x"] }), []);
  deepStrictEqual(overlapOf({ at: 1, lines: ["-b"] }, { at: 2, lines: ["+x"] }), []);
  deepStrictEqual(overlapOf({ at: 0, lines: [" a", " b", " c"] }, { at: 1, lines: ["-b"] }), []);
});

Deno.test("a hunk must not change what another changes or names", () => {
  deepStrictEqual(overlapOf({ at: 1, lines: ["-b"] }, { at: 1, lines: ["-b"] }), [0, 1]);
  deepStrictEqual(overlapOf({ at: 2, lines: ["-c"] }, { at: 0, lines: ["-a", "-b", "-c"] }), [0, 1]);
  deepStrictEqual(overlapOf({ at: 0, lines: ["-a", " b"] }, { at: 1, lines: ["-b"] }), [0, 1]);
  deepStrictEqual(overlapOf({ at: 0, lines: [" a", " b", "-c"] }, { at: 1, lines: ["+x"] }), [0, 1]);
  deepStrictEqual(overlapOf({ at: 1, lines: ["-b", "-c"] }, { at: 2, lines: ["+x"] }), [0, 1]);
  deepStrictEqual(overlapOf({ at: 5, lines: ["-f"] }, { at: 0, lines: ["-a"] }, { at: 3, lines: [" d", " e", "-f"] }), [
    0,
    2,
  ]);
  deepStrictEqual(overlapOf({ at: 0, lines: ["-a", " b", " c", " d"] }, { at: 2, lines: ["-c"] }), [0, 1]);
});

function ranges(file: readonly string[], ...list: Splice[]): string {
  return rangesOf(textOf(file), list).map(({ startLine, endLine, addedLines, removedLines }) => {
    return `${startLine}-${endLine} +${addedLines} -${removedLines}`;
  }).join(", ");
}

const added = (...texts: string[]) => texts.map((text) => ({ kind: "new", text, replaces: null } as const));
const kept = (oldIndex: number) => ({ kind: "kept", oldIndex } as const);

Deno.test("ranges are the changed lines of the new file", () => {
  const file = ["a", "b", "c", "d"];
  strictEqual(ranges(file, { start: 1, end: 2, lines: added("x", "y") }), "2-3 +2 -1");
  strictEqual(ranges(file, { start: 1, end: 3, lines: [] }), "2-1 +0 -2");
  strictEqual(ranges(file, { start: 4, end: 4, lines: added("x") }), "5-5 +1 -0");
  strictEqual(
    ranges(file, { start: 0, end: 1, lines: [] }, { start: 2, end: 3, lines: added("x", "y", "z") }),
    "1-0 +0 -1, 2-4 +3 -1",
  );
  strictEqual(ranges(file, { start: 0, end: 4, lines: [...added("x"), kept(1), ...added("y"), kept(3)] }), "1-3 +2 -2");
});

Deno.test("equal lines at both ends of a splice are no change", () => {
  const file = ["a", "b", "a", "b"];
  strictEqual(ranges(file, { start: 0, end: 3, lines: added("a", "x", "a") }), "2-2 +1 -1");
  strictEqual(ranges(file, { start: 0, end: 2, lines: added("a", "b") }), "");
  strictEqual(ranges(file, { start: 0, end: 2, lines: added("a", "b", "a", "b") }), "3-4 +2 -0");
  strictEqual(ranges(file, { start: 0, end: 4, lines: added("a", "b") }), "3-2 +0 -2");
  strictEqual(
    ranges(file, { start: 0, end: 2, lines: added("a", "b") }, { start: 3, end: 4, lines: added("x") }),
    "4-4 +1 -1",
  );
  strictEqual(ranges(file, { start: 0, end: 3, lines: [kept(0), ...added("y"), kept(1), kept(2)] }), "2-2 +1 -0");
});

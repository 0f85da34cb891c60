import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { Hunk, HunkLine } from "./parsed_patch.ts";
import { ambiguous, notFound } from "./placement_failure.ts";
import type { TextLines } from "./text_lines.ts";

const KINDS = { " ": "context", "-": "removed", "+": "added" } as const;

function hunkOf(lines: readonly string[], scopes: readonly string[] = []): Hunk {
  const parts = lines.map((line): HunkLine => {
    return { kind: KINDS[line.charAt(0) as keyof typeof KINDS], text: line.slice(1), isBare: false };
  });
  return { patchLine: 7, scopes, lines: parts, atEndOfFile: false };
}

function textOf(lines: readonly string[]): TextLines {
  return { hasBom: false, lines: [...lines, ""], crlf: null };
}

const NUMBERED = Array.from({ length: 100 }, (_, index) => `l${index + 1}`);
const shownLines = (from: number, to: number, lines: readonly string[] = NUMBERED): string => {
  return lines.slice(from - 1, to).map((line, index) => `${from + index}: ${line}`).join("\n");
};

Deno.test("a hunk without any place in sight shows the start of the file", () => {
  const error = notFound({ path: "f", text: textOf(NUMBERED), hunk: hunkOf(["-x"]), hunkIndex: 2, nearest: null });
  strictEqual(error.code, "PATCH_CONTEXT_NOT_FOUND");
  strictEqual(error.message, "Cannot patch f: the lines of hunk 2 (patch line 7) do not occur in it");
  deepStrictEqual(error.details, {
    path: "f",
    hunk_index: 2,
    match_count: 0,
    match_quality: null,
    total_lines: 100,
    nearby_text: shownLines(1, 7),
    retry_hint: "Read the file again and write the hunk from what read_file shows, every context line exactly as it is",
    next_action: { tool: "read_file", arguments: { path: "f" } },
  });
});

Deno.test("a hunk with a near place says which line is the first that differs", () => {
  const hunk = hunkOf(["+new", " l50 ", "-l5X", " l52"], ["a", "b"]);
  const error = notFound({
    path: "f",
    text: textOf(NUMBERED),
    hunk,
    hunkIndex: 0,
    nearest: { start: 49, matching: 2 },
  });
  deepStrictEqual(error.details, {
    path: "f",
    hunk_index: 0,
    scope: "a @@ b",
    match_count: 0,
    match_quality: null,
    total_lines: 100,
    nearest_line: 50,
    nearest_matching_lines: 2,
    first_difference: { line: 51, expected: "l5X", actual: "l51" },
    nearby_text: shownLines(44, 56),
    retry_hint:
      'At the nearest place line 51 is "l51" where the hunk has "l5X"; write the hunk from what read_file shows, ' +
      "every context line exactly as it is",
    next_action: { tool: "read_file", arguments: { path: "f", start_line: 30, end_line: 90 } },
  });
});

Deno.test("a hunk that reaches past the end of the file says so", () => {
  const text: TextLines = { hasBom: false, lines: ["a", "b"], crlf: null };
  const error = notFound({
    path: "f",
    text,
    hunk: hunkOf([" b", " c"]),
    hunkIndex: 0,
    nearest: { start: 1, matching: 1 },
  });
  deepStrictEqual(error.details["first_difference"], { line: 3, expected: "c", actual: null });
  strictEqual(
    error.details["retry_hint"],
    'At the nearest place line 3 is past the end of the file where the hunk has "c"; write the hunk from what ' +
      "read_file shows, every context line exactly as it is",
  );
  deepStrictEqual(error.details["next_action"], {
    tool: "read_file",
    arguments: { path: "f", start_line: 1, end_line: 2 },
  });
});

Deno.test("a near place where every line is the same but for its ends names no difference", () => {
  const hunk = hunkOf(["- l3"]);
  const error = notFound({ path: "f", text: textOf(NUMBERED), hunk, hunkIndex: 0, nearest: { start: 2, matching: 1 } });
  strictEqual(error.details["first_difference"], undefined);
});

Deno.test("long lines are shortened in what a failure shows", () => {
  const text = textOf(["x".repeat(300), "y".repeat(900)]);
  const hunk = hunkOf([`-${"z".repeat(300)}`]);
  const error = notFound({ path: "f", text, hunk, hunkIndex: 0, nearest: { start: 0, matching: 1 } });
  deepStrictEqual(error.details["first_difference"], { line: 1, expected: "z".repeat(200), actual: "x".repeat(200) });
  strictEqual(error.details["nearby_text"], `1: ${"x".repeat(300)}\n2: ${"y".repeat(493)}…`);
  const fitting = notFound({ path: "f", text: textOf(["x".repeat(797)]), hunk, hunkIndex: 0, nearest: null });
  strictEqual(fitting.details["nearby_text"], `1: ${"x".repeat(797)}`);
});

Deno.test("a missing @@ text is named, with the line where the search began", () => {
  const hunk = hunkOf(["+x"], ["class A", "f()"]);
  const error = notFound({
    path: "f",
    text: textOf(NUMBERED),
    hunk,
    hunkIndex: 1,
    missingScope: "f()",
    searchStart: 9,
  });
  strictEqual(error.message, 'Cannot patch f: the text "f()" after @@ of hunk 1 does not occur in it');
  deepStrictEqual(error.details, {
    path: "f",
    hunk_index: 1,
    scope: "class A @@ f()",
    match_count: 0,
    match_quality: null,
    total_lines: 100,
    search_start_line: 10,
    nearby_text: shownLines(4, 16),
    retry_hint: "Use a line of the file after @@, or leave the text after @@ out and add context lines",
    next_action: { tool: "read_file", arguments: { path: "f", start_line: 1, end_line: 50 } },
  });
  const first = notFound({ path: "f", text: textOf(NUMBERED), hunk, hunkIndex: 1, missingScope: "f()" });
  strictEqual(first.details["search_start_line"], 1);
});

Deno.test("the part of the file to read is 20 lines before the place and 40 after it", () => {
  const at = (start: number) => {
    const error = notFound({
      path: "f",
      text: textOf(NUMBERED),
      hunk: hunkOf(["-x"]),
      hunkIndex: 0,
      nearest: { start, matching: 1 },
    });
    const { start_line, end_line } = (error.details["next_action"] as { arguments: Record<string, number> }).arguments;
    return [start_line, end_line];
  };
  deepStrictEqual([at(0), at(20), at(21), at(58), at(59), at(60), at(99)], [
    [1, 41],
    [1, 61],
    [2, 62],
    [39, 99],
    [40, 100],
    [41, 100],
    [80, 100],
  ]);
});

Deno.test("characters that look alike are named where they are the only difference", () => {
  const text = textOf(["a", "x \u2013 y", "b\u00a0c", "d"]);
  const about = (lines: readonly string[], lookAlike: number) => {
    const { message, details } = notFound({
      path: "f",
      text,
      hunk: hunkOf(lines),
      hunkIndex: 0,
      lookAlike,
      nearest: null,
    });
    return [message.slice(message.indexOf("in it") + 5), details["look_alikes"], details["nearest_line"]];
  };
  deepStrictEqual(about([" x - y", "-b c"], 1), [
    "; line 2 differs only in look-alike characters (U+2013, U+00A0)",
    ["U+2013", "U+00A0"],
    2,
  ]);
  deepStrictEqual(about([" x \u2014 y", "+\u2019", " d"], 1), [
    "; line 2 differs only in look-alike characters (U+2013, U+2014)",
    ["U+2013", "U+2014"],
    2,
  ]);
  // An added line is compared with nothing.
  deepStrictEqual(about([" x \u2014 y", "+b c", " d"], 1)[1], ["U+2013", "U+2014"]);
  deepStrictEqual(about([" x  \u2013 y"], 1), ["; line 2 differs only in spacing", [], 2]);
  deepStrictEqual(about([" d", " e"], 3), ["; line 4 differs only in spacing", [], 4]);
  const { details } = notFound({ path: "f", text, hunk: hunkOf([" b c"]), hunkIndex: 0, lookAlike: 2, nearest: null });
  strictEqual(details["retry_hint"], "Copy the context lines from nearby_text with their special characters");
  deepStrictEqual((details["next_action"] as { arguments: unknown }).arguments, {
    path: "f",
    start_line: 1,
    end_line: 4,
  });
});

const BLOCKS = [
  "class A:",
  "  def f():",
  "",
  "    return 1",
  "class B:",
  "  def g():",
  "  {",
  "    return 1",
  "return 1",
];

Deno.test("several places are listed with the lines around them and the header that tells them apart", () => {
  const text = textOf(BLOCKS);
  const error = ambiguous({
    path: "f",
    text,
    hunk: hunkOf(["-    return 1"]),
    hunkIndex: 3,
    starts: [3, 7],
    grade: "exact",
  });
  strictEqual(error.code, "PATCH_CONTEXT_AMBIGUOUS");
  strictEqual(error.message, "Cannot patch f: hunk 3 fits 2 places (lines 4, 8)");
  deepStrictEqual(error.details, {
    path: "f",
    hunk_index: 3,
    match_count: 2,
    match_quality: "exact",
    candidate_lines: [4, 8],
    candidates: [
      { line: 4, scope: "def f():", text: shownLines(1, 9, BLOCKS) },
      { line: 8, scope: "def g():", text: shownLines(2, 9, BLOCKS) },
    ],
    retry_hint: "Add context lines until the hunk fits one place only, or add a header: @@ def f(): for line 4, " +
      "@@ def g(): for line 8; for the last place in the file end the hunk with *** End of File",
  });
});

function scopeHint(starts: readonly number[], lines: readonly string[], scopes: readonly string[] = []): string {
  const text = textOf(lines);
  const { details } = ambiguous({
    path: "f",
    text,
    hunk: hunkOf(["-x"], scopes),
    hunkIndex: 0,
    starts,
    grade: "exact",
  });
  const hint = details["retry_hint"] as string;
  return hint.slice(hint.indexOf("only, or ") + 9, hint.indexOf("; for the last"));
}

Deno.test("headers are proposed only where each place has one of its own", () => {
  const general = "add a header such as @@ <line that opens the enclosing function or class>";
  strictEqual(scopeHint([0, 1], ["x", "x"]), general);
  strictEqual(scopeHint([1, 2], ["a", " x", " x"]), general);
  strictEqual(scopeHint([0, 2], ["x", "a", " x"]), general);
  strictEqual(scopeHint([1, 3], ["a", " x", "b", " x"]), "add a header: @@ a for line 2, @@ b for line 4");
  const four = ["a", " x", "b", " x", "c", " x", "d", " x"];
  strictEqual(scopeHint([1, 3, 5, 7], four), "add a header: @@ a for line 2, @@ b for line 4, @@ c for line 6");
  strictEqual(scopeHint([1, 3], four, ["s"]), "use a longer @@ text or a second @@ header for the outer block");
});

Deno.test("the enclosing line is the nearest one above that is indented less and more than brackets", () => {
  strictEqual(
    scopeHint([4, 9], ["a {", "  b", "", "  (", "    x", "c", "(", "{ ;", "\t", "  x"]),
    "add a header: @@ b for line 5, @@ c for line 10",
  );
  // The place may begin with blank lines: the first other line of it has the depth, within six lines.
  strictEqual(scopeHint([1, 4], ["a", "", "  x", "b", "", "  x"]), "add a header: @@ a for line 2, @@ b for line 5");
  strictEqual(
    scopeHint([1, 9], ["a", "", "", "", "", "", "  x", "b", "c", "  x"]),
    "add a header: @@ a for line 2, @@ c for line 10",
  );
  const general = "add a header such as @@ <line that opens the enclosing function or class>";
  strictEqual(scopeHint([1, 10], ["a", "", "", "", "", "", "", "  x", "b", "c", "  x"]), general);
  strictEqual(
    scopeHint([1, 3], ["a".repeat(300), " x", "b", " x"]),
    `add a header: @@ ${"a".repeat(200)} for line 2, @@ b for line 4`,
  );
});

Deno.test("the enclosing line is searched 2,000 lines up", () => {
  const far = (between: number) => {
    const lines = ["a", ...Array(between).fill("  y"), "  x", "b", "  x"];
    return scopeHint([between + 1, between + 3], lines).startsWith("add a header: @@ a");
  };
  deepStrictEqual([far(1_998), far(1_999), far(2_000)], [true, true, false]);
});

Deno.test("at most eight places are listed", () => {
  const starts = Array.from({ length: 9 }, (_, index) => index * 2);
  const about = { path: "f", text: textOf(NUMBERED), hunk: hunkOf(["-x"]), hunkIndex: 0, grade: "indent" };
  const nine = ambiguous({ ...about, starts });
  strictEqual(nine.message, "Cannot patch f: hunk 0 fits 9 places (lines 1, 3, 5, 7, 9, 11, 13, 15, …)");
  deepStrictEqual([nine.details["match_count"], (nine.details["candidates"] as unknown[]).length], [9, 8]);
  const eight = ambiguous({ ...about, starts: starts.slice(1) });
  strictEqual(eight.message, "Cannot patch f: hunk 0 fits 8 places (lines 3, 5, 7, 9, 11, 13, 15, 17)");
});

Deno.test("lines that are added below a scope that is not unique are told apart from a hunk that fits several places", () => {
  const hunk = hunkOf(["+x"], ["l1", "l2"]);
  const error = ambiguous({ path: "f", text: textOf(NUMBERED), hunk, hunkIndex: 0, starts: [1, 4], grade: null });
  strictEqual(error.message, "Cannot patch f: hunk 0 adds lines after the @@ text, which stands on 2 lines (2, 5)");
  deepStrictEqual([error.details["match_quality"], error.details["scope"]], [null, "l1 @@ l2"]);
});

Deno.test("lines that stand where the hunk's header or end-of-file mark does not want them are named with their places", () => {
  const about = { path: "f", text: textOf(NUMBERED), hunkIndex: 1, nearest: { start: 59, matching: 1 } };
  const places = [59, 9, 19, 29, 39, 49, 69, 79, 89];
  const hunk = hunkOf(["-l60"], ["class A", "f()"]);
  // What is the same stands there as well for who ignores look-alikes: no difference is spoken of.
  const below = notFound({ ...about, hunk, elsewhere: places, lookAlike: 59 });
  strictEqual(
    below.message,
    'Cannot patch f: the lines of hunk 1 (patch line 7) stand at line 60, which is not in the block below "@@ f()"',
  );
  deepStrictEqual(below.details, {
    path: "f",
    hunk_index: 1,
    scope: "class A @@ f()",
    match_count: 0,
    match_quality: null,
    total_lines: 100,
    lines_stand_at: [60, 10, 20, 30, 40, 50, 70, 80],
    nearest_line: 60,
    nearest_matching_lines: 1,
    nearby_text: shownLines(54, 66),
    retry_hint: "Use the line that opens the block around these lines after @@, or leave the text after @@ out",
    next_action: { tool: "read_file", arguments: { path: "f", start_line: 40, end_line: 100 } },
  });
  const atEnd = notFound({ ...about, hunk: { ...hunk, atEndOfFile: true }, elsewhere: [49, 59], nearest: null });
  strictEqual(
    atEnd.message,
    "Cannot patch f: the lines of hunk 1 (patch line 7) stand at line 50, which is not the end of the file, " +
      'as "*** End of File" says',
  );
  deepStrictEqual([atEnd.details["lines_stand_at"], atEnd.details["nearby_text"]], [[50, 60], shownLines(44, 56)]);
  strictEqual(
    atEnd.details["retry_hint"],
    "Leave *** End of File out, or write the hunk with the last lines of the file",
  );
});

Deno.test("a place at the top level is listed without an enclosing line", () => {
  const text = textOf(["x", "a", " x"]);
  const { details } = ambiguous({
    path: "f",
    text,
    hunk: hunkOf(["-x"]),
    hunkIndex: 0,
    starts: [0, 2],
    grade: "indent",
  });
  deepStrictEqual(details["candidates"], [
    { line: 1, text: "1: x\n2: a\n3:  x" },
    { line: 3, scope: "a", text: "1: x\n2: a\n3:  x" },
  ]);
});

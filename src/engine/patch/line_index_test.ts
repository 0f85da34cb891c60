import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { Pacer } from "../../base/pacer.ts";
import { LineIndex } from "./line_index.ts";

function indexOf(lines: readonly string[], wanted: readonly string[]): LineIndex {
  return new LineIndex(lines, { wanted: new Set(wanted), pacer: new Pacer() });
}

Deno.test("find() compares lines whole, without their end, without both ends, and with look-alikes folded", async () => {
  const lines = ["a b", "a b ", " a b", "a\u00a0b", "a  b", "c"];
  const index = indexOf(lines, ["a b"]);
  deepStrictEqual(await index.find(["a b"], "exact"), [0]);
  deepStrictEqual(await index.find(["a b"], "trailing_ws"), [0, 1]);
  deepStrictEqual(await index.find(["a b"], "indent"), [0, 1, 2]);
  deepStrictEqual(await index.find(["a b"], "look_alike"), [0, 1, 2, 3, 4]);
});

Deno.test("find() finds every place, overlapping ones and those at both ends included", async () => {
  const lines = ["a", "a", "b", "a", "a", "b", "a", "a"];
  const index = indexOf(lines, ["a", "b", "c"]);
  deepStrictEqual(await index.find(["a", "a"], "exact"), [0, 3, 6]);
  deepStrictEqual(await index.find(["a", "b"], "exact"), [1, 4]);
  deepStrictEqual(await index.find(["a", "a", "b", "a", "a"], "exact"), [0, 3]);
  deepStrictEqual(await index.find(["b"], "exact"), [2, 5]);
  deepStrictEqual(await index.find(["b", "b"], "exact"), []);
  deepStrictEqual(await index.find(["a", "c"], "exact"), []);
});

Deno.test("find() gives the same by the automaton, which serves what repeats, as by the rarest line", async () => {
  // 20 lines: a sequence whose rarest line occurs more often than 80 / its length goes to the automaton.
  for (const length of [1, 2, 3, 4, 5, 6, 7, 12, 19, 20, 21]) {
    const file = Array.from({ length: 20 }, () => "a");
    const expected = Array.from({ length: Math.max(0, 21 - length) }, (_, start) => start);
    deepStrictEqual(await indexOf(file, ["a"]).find(Array(length).fill("a"), "exact"), expected);
  }
  const pattern = ["a", "b", "a", "a", "b", "a", "b"];
  const repeated = [...pattern, ...pattern, ...pattern.slice(0, 3), ...pattern];
  const starts = repeated.map((_, at) => at).filter((at) => pattern.every((line, k) => repeated[at + k] === line));
  deepStrictEqual(await indexOf(repeated, ["a", "b"]).find(pattern, "exact"), starts);
});

Deno.test("find() agrees with a search line by line on lines that repeat", async () => {
  const line = fc.constantFrom("a", "b");
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 40 }),
      fc.array(line, { minLength: 1, maxLength: 12 }),
      async (file, sequence) => {
        const starts = file.map((_, at) => at).filter((at) => sequence.every((wanted, k) => file[at + k] === wanted));
        deepStrictEqual(await indexOf(file, ["a", "b"]).find(sequence, "exact"), starts);
      },
    ),
    { numRuns: 500 },
  );
});

Deno.test("find() finds long sequences that repeat themselves after any beginning of them, and no near miss", async () => {
  for (const text of ["ab".repeat(7), "abaababaabaab", "aabb".repeat(4)]) {
    const word = [...text];
    const files = word.flatMap((line, k) => [
      [...word.slice(0, k), ...word, ...word.slice(k)],
      [word[0] as string, ...word.with(k, line === "a" ? "b" : "a")],
    ]);
    for (const file of files) {
      const starts = file.map((_, at) => at).filter((at) => word.every((wanted, k) => file[at + k] === wanted));
      deepStrictEqual(await indexOf(file, ["a", "b"]).find(word, "exact"), starts, file.join(""));
    }
  }
});

Deno.test("find() finds nothing for a sequence with a line that was never named as wanted", async () => {
  const index = indexOf(["a", "x", "y"], ["a"]);
  for (const sequence of [["a", "y"], ["a", "z"], ["x"], ["z"], ["x", "y"]]) {
    deepStrictEqual(await index.find(sequence, "exact"), []);
  }
});

Deno.test("lines are told apart by all their characters", async () => {
  const lines = [
    "",
    "x",
    "0123456789",
    "0123456789 ",
    "1123456789",
    "0124456789",
    "01234567-9",
    "0123456-89",
    "0123456788",
  ];
  for (const [at, line] of lines.entries()) {
    deepStrictEqual(await indexOf(lines, lines).find([line], "exact"), [at]);
  }
  deepStrictEqual(await indexOf(lines, ["y"]).find(["y"], "exact"), []);
});

Deno.test("standsAt() is false for places that the file does not reach", () => {
  const index = indexOf(["a", "b", "a"], []);
  const at = (start: number, ...sequence: string[]) => index.standsAt(sequence, { start, comparison: "exact" });
  deepStrictEqual([at(-1, "a"), at(0, "a"), at(1, "a"), at(2, "a"), at(3, "a")], [false, true, false, true, false]);
  deepStrictEqual([at(1, "b", "a"), at(2, "a", ""), at(0, "a", "b", "a"), at(3)], [true, false, true, true]);
});

Deno.test("nearest() is the place with most lines in common, the first of equals", async () => {
  const lines = ["one", "two", "x", "one", "  two ", "three", "x"];
  const nearest = (...sequence: string[]) => indexOf(lines, sequence).nearest(sequence);
  deepStrictEqual(await nearest("one", "two", "three"), { start: 3, matching: 3 });
  deepStrictEqual(await nearest("one", "two", "four"), { start: 0, matching: 2 });
  deepStrictEqual(await nearest("zero", "three"), { start: 4, matching: 1 });
  deepStrictEqual(await nearest("zero", "one"), { start: 0, matching: 1 });
  deepStrictEqual(await nearest("zero", "nine", "three"), { start: 3, matching: 1 });
  strictEqual(await nearest("zero", "nine"), null);
});

Deno.test("nearest() takes no account of blank lines and of lines that are everywhere", async () => {
  const lines = [...Array(1_001).fill("}"), "", "a"];
  strictEqual(await indexOf(lines, ["}", ""]).nearest(["}", ""]), null);
  deepStrictEqual(await indexOf(lines, ["}", "a"]).nearest(["}", "a"]), { start: 1_001, matching: 1 });
  deepStrictEqual(await indexOf(lines.slice(1), ["}"]).nearest(["}"]), { start: 0, matching: 1 });
});

Deno.test("nearest() counts for each line its own places, not those of the next", async () => {
  const lines = [...Array(1_001).fill("}"), "a"];
  deepStrictEqual(await indexOf(lines, ["a", "}"]).nearest(["a", "}"]), { start: 1_001, matching: 1 });
});

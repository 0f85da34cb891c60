import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import { Pacer } from "../../base/pacer.ts";
import { findSubstrings } from "./find_substrings.ts";

async function find(lines: readonly string[], ...needles: string[]): Promise<number[][] | null> {
  return await findSubstrings(lines, needles, { pacer: new Pacer() });
}

Deno.test("each text is found on the lines that contain it, once per line, in the order of the lines", async () => {
  deepStrictEqual(await find(["ab", "b ab ab", "x"], "ab", "b", "y"), [[0, 1], [0, 1], []]);
  deepStrictEqual(await find(["ab", "b ab ab", "x"], "ab", "b", "y", "x", "a"), [[0, 1], [0, 1], [], [2], [0, 1]]);
});

Deno.test("many texts without a common beginning are all found", async () => {
  deepStrictEqual(await find(["ab cd ef gh ij"], "ab", "cd", "ef", "gh", "ij"), [[0], [0], [0], [0], [0]]);
  deepStrictEqual(await find(["ij ij", "gh ij ab"], "ab", "cd", "ef", "gh", "ij"), [[1], [], [], [1], [0, 1]]);
});

Deno.test("a character that no text has neither stands for another nor hides what follows it", async () => {
  deepStrictEqual(await find(["?b", "b?", "? ab", "\uffffab"], "ab", "cd", "ef", "gh", "ij"), [[2, 3], [], [], [], []]);
  deepStrictEqual(await find(["a\uffff", "a"], "a\uffff", "c", "d", "e", "f"), [[0], [], [], [], []]);
});

Deno.test("a text that is given twice, or ends another, is found as if it were alone", async () => {
  deepStrictEqual(await find(["xab", "ab"], "ab", "ab", "xab", "b", "q"), [[0, 1], [0, 1], [0], [0, 1], []]);
});

Deno.test("many texts are found where a plain search finds them", async () => {
  const text = (sizes: { minLength: number; maxLength: number }) =>
    fc.string({ unit: fc.constantFrom(..."abc"), ...sizes });
  await fc.assert(fc.asyncProperty(
    fc.array(text({ minLength: 0, maxLength: 9 }), { maxLength: 6 }),
    fc.array(text({ minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 }),
    async (lines, needles) => {
      const plain = needles.map((needle) => [...lines.keys()].filter((i) => lines[i]?.includes(needle) === true));
      deepStrictEqual(await find(lines, ...needles), plain);
    },
  ));
});

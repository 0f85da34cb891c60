import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { fitLinesInJson, jsonTextBytes } from "./json_text.ts";

Deno.test("fitLinesInJson() keeps the most whole lines that fit, else the most characters of the first", () => {
  strictEqual(fitLinesInJson("ab\n\u0001\n", 12), null);
  deepStrictEqual(fitLinesInJson("ab\n\u0001\n", 11), { text: "ab\n", lines: 1, isFirstLineCut: false });
  deepStrictEqual(fitLinesInJson("a😀b\nc", 6), { text: "a😀b", lines: 1, isFirstLineCut: true });
  deepStrictEqual(fitLinesInJson("a\u0001b", 6), { text: "a", lines: 1, isFirstLineCut: true });
});

Deno.test("fitLinesInJson() never passes its limit and never leaves out what fits", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 8, max: 60 }), (text, limit) => {
    const fitted = fitLinesInJson(text, limit);
    if (fitted === null) return strictEqual(jsonTextBytes(text) <= limit, true);
    ok(text.startsWith(fitted.text));
    ok(jsonTextBytes(fitted.text) <= limit);
    const rest = text.slice(fitted.text.length);
    const next = fitted.isFirstLineCut ? [...rest][0] as string : rest.slice(0, rest.indexOf("\n") + 1 || undefined);
    ok(jsonTextBytes(fitted.text + next) > limit);
  }));
});

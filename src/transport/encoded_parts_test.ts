import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { encodedParts } from "./encoded_parts.ts";

const PART = 256 * 1024;

Deno.test("the parts of a text together are its UTF-8, wherever characters meet the border of a part", () => {
  for (const before of [PART - 2, PART - 1, PART, 2 * PART - 1]) {
    const text = "a".repeat(before) + "😀é\n" + "b".repeat(10);
    const parts = [...encodedParts(text)];
    strictEqual(Buffer.concat(parts).toString(), text);
    strictEqual(Buffer.concat(parts).compare(new TextEncoder().encode(text)), 0);
  }
});

Deno.test("a text of one part is encoded whole, a longer one in parts of bounded length", () => {
  deepStrictEqual([...encodedParts("")], []);
  deepStrictEqual([...encodedParts("ab")].length, 1);
  deepStrictEqual([...encodedParts("x".repeat(2 * PART + 5))].map((part) => part.length), [PART, PART, 5]);
});

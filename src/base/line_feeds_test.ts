import assert from "node:assert/strict";
import fc from "fast-check";
import { afterLineFeed, countLineFeeds } from "./line_feeds.ts";

const bytesWithLf = fc.array(fc.oneof(fc.constantFrom(10, 11, 9, 0x8a, 0), fc.integer({ min: 0, max: 255 })), {
  maxLength: 4000,
});

Deno.test("countLineFeeds() counts as a plain loop does, wherever the bytes lie in memory", () => {
  fc.assert(fc.property(bytesWithLf, fc.integer({ min: 0, max: 7 }), (values, shift) => {
    const bytes = Uint8Array.from([...new Array(shift).fill(10), ...values]).subarray(shift);
    assert.equal(countLineFeeds(bytes), values.filter((value) => value === 10).length);
  }));
});

Deno.test("countLineFeeds() keeps its sums apart when every byte is LF", () => {
  assert.equal(countLineFeeds(new Uint8Array(100_003).fill(10)), 100_003);
});

Deno.test("afterLineFeed() gives the start of the line behind the nth LF", () => {
  const bytes = new TextEncoder().encode("a\nb\n\nc");
  assert.deepEqual([0, 1, 2, 3, 4].map((nth) => afterLineFeed(bytes, nth)), [0, 2, 4, 5, -1]);
});

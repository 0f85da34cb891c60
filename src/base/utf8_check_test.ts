import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { Utf8Check } from "./utf8_check.ts";

const piece = fc.oneof(
  fc.string({ unit: "binary", maxLength: 5 }).map((text) => [...new TextEncoder().encode(text)]),
  fc.constantFrom([0xc3], [0xe2, 0x82], [0xe0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90], [0xf0, 0x9f, 0x98], [0x80], [
    0xff,
  ], [
    0xf5,
    0x80,
  ]),
);

Deno.test("the first bad byte is the same however the bytes are cut into chunks", () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      (pieces, cuts) => {
        const bytes = Uint8Array.from(pieces.flat());
        const check = new Utf8Check();
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const end = at + (cuts[turn % cuts.length] as number);
          check.push(bytes.subarray(at, end));
          at = end;
        }
        check.finish();
        assert.equal(check.firstBad, firstBadByReference(bytes));
      },
    ),
    { numRuns: 2000 },
  );
});

Deno.test("a bad byte deep in a large chunk is found exactly", () => {
  for (const at of [0, 1, 99_999, 250_001, 499_999]) {
    const bytes = new TextEncoder().encode("é€x".repeat(100_000)).slice(0, 500_000);
    bytes.fill(0x61, at, at + 1);
    bytes[at] = 0xff;
    const check = new Utf8Check();
    check.push(bytes);
    check.finish();
    assert.ok((check.firstBad as number) <= at && (check.firstBad as number) >= at - 2);
    assert.equal(isUtf8(bytes.subarray(0, check.firstBad as number)), true);
  }
});

/** Longest valid prefix, by trying. */
function firstBadByReference(bytes: Uint8Array): number | null {
  if (isUtf8(bytes)) return null;
  for (let length = bytes.length; length >= 0; length--) if (isUtf8(bytes.subarray(0, length))) return length;
  return 0;
}

import assert from "node:assert/strict";
import fc from "fast-check";
import { FirstInOrder } from "./first_in_order.ts";

Deno.test("FirstInOrder keeps what sorting everything and cutting would keep", () => {
  const compare = (a: number, b: number) => a - b;
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer(), { maxLength: 300 }),
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 1, max: 60 }),
      (few, limit, copies) => {
        // Spread over more than one merge, still without equal entries.
        const values = few.flatMap((value) => Array.from({ length: copies }, (_, copy) => value * 64 + copy));
        const first = new FirstInOrder<number>(limit, compare);
        for (const value of values) first.add(value);
        assert.equal(first.seen, values.length);
        assert.deepEqual(first.finish(), values.toSorted(compare).slice(0, limit));
      },
    ),
  );
});

Deno.test("FirstInOrder without a limit is a sort", () => {
  const first = new FirstInOrder<string>(Infinity, (a, b) => (a < b ? -1 : 1));
  const names = Array.from({ length: 10_000 }, (_, i) => `n${(i * 7919) % 10_000}`);
  for (const name of names) first.add(name);
  assert.deepEqual(first.finish(), names.toSorted());
});

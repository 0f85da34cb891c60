import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { HeadTailBuffer } from "./head_tail_buffer.ts";

/** Byte `index` of the stream that the tests write. */
const byteAt = (index: number): number => (index * 7 + 3) % 256;

function filled(budget: number, sizes: readonly number[]): HeadTailBuffer {
  const buffer = new HeadTailBuffer(budget);
  let at = 0;
  for (const size of sizes) {
    buffer.append(Uint8Array.from({ length: size }, (_, index) => byteAt(at + index)));
    at += size;
  }
  return buffer;
}

Deno.test("HeadTailBuffer serves from every offset what it keeps there, in the gap the start of the tail", () => {
  for (
    const sizes of [[], [0], [1], [3, 0, 4], [1, 1, 1, 9], [16], [17], [5, 30], [40, 2], [2, 2, 2, 60, 3], [15, 2, 1]]
  ) {
    for (const budget of [8, 16, 17, 24]) {
      const buffer = filled(budget, sizes);
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const headEnd = Math.min(total, Math.floor(budget / 8));
      const tailStart = Math.max(0, total - (budget - Math.floor(budget / 8)));
      deepStrictEqual(
        [buffer.total, buffer.headBytes, buffer.tailStart, buffer.droppedBytes, buffer.gapBytes],
        [total, headEnd, tailStart, tailStart, Math.max(0, tailStart - headEnd)],
      );
      for (let offset = 0; offset <= total + 2; offset++) {
        for (const limit of [0, 1, 3, 100]) {
          const isInHead = offset < headEnd && offset < tailStart;
          const start = isInHead ? offset : Math.max(offset, tailStart);
          const end = Math.min(start + limit, isInHead && headEnd < tailStart ? headEnd : total);
          const bytes = Array.from({ length: Math.max(0, end - start) }, (_, index) => byteAt(start + index));
          const range = buffer.read(offset, limit);
          deepStrictEqual(
            [range.offset, ...range.bytes],
            [start, ...bytes],
            JSON.stringify({ sizes, budget, offset, limit }),
          );
        }
      }
    }
  }
});

Deno.test("HeadTailBuffer keeps what was written before it had to grow, and grows to no more than its budget", () => {
  const buffer = filled(80_000, [1_000, 5_000, 20_000, 30_000, 13_999, 1]);
  strictEqual(buffer.tailStart, 0);
  ok(
    Buffer.from(buffer.read(0, 80_000).bytes).equals(Uint8Array.from({ length: 70_000 }, (_, index) => byteAt(index))),
  );
  const one = filled(80_000, [70_001]);
  deepStrictEqual([one.tailStart, one.read(69_999, 9).bytes.length, one.retainedBytes], [1, 2, 70_001]);
});

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { encodeUtf8 } from "../../base/utf8.ts";
import { HeadTailBuffer } from "./head_tail_buffer.ts";
import { type OutputPage, readPage } from "./read_page.ts";

interface Asked {
  readonly offset?: number;
  readonly limit?: number;
  readonly ended?: boolean;
  readonly budget?: number;
}

function pageOf(
  bytes: Uint8Array | string,
  { offset = 0, limit = 100, ended = true, budget = 1 << 16 }: Asked,
): OutputPage {
  const buffer = new HeadTailBuffer(budget);
  buffer.append(typeof bytes === "string" ? encodeUtf8(bytes) : bytes);
  return readPage(buffer, { offset, limitBytes: limit, encoding: "utf-8", ended });
}

function shown(page: OutputPage): unknown[] {
  return [page.offset, page.content, page.bytes, page.nextOffset];
}

Deno.test("readPage() inside a character starts with the next one", () => {
  deepStrictEqual(shown(pageOf("€b", { offset: 1 })), [3, "b", 1, null]);
  deepStrictEqual(shown(pageOf("€b", { offset: 2 })), [3, "b", 1, null]);
  deepStrictEqual(shown(pageOf("€bc", { offset: 1, limit: 1 })), [3, "b", 1, 4]);
  deepStrictEqual(shown(pageOf("€bc", { offset: 2, limit: 2 })), [3, "b", 1, 4]);
});

Deno.test("readPage() shows stray bytes at the start of the stream, where they are half of nothing", () => {
  deepStrictEqual(shown(pageOf(Uint8Array.of(0x82, 0x41), {})), [0, "\ufffdA", 2, null]);
});

Deno.test("readPage() gives a whole character where the limit is smaller than it", () => {
  deepStrictEqual(shown(pageOf("€€", { limit: 1 })), [0, "€", 3, 3]);
  deepStrictEqual(shown(pageOf("€€", { offset: 3, limit: 1 })), [3, "€", 3, null]);
  deepStrictEqual(shown(pageOf("\u{1f600}x", { limit: 1 })), [0, "\u{1f600}", 4, 4]);
  deepStrictEqual(shown(pageOf("\u{1f600}x", { limit: 1, ended: false })), [0, "\u{1f600}", 4, 4]);
});

Deno.test("readPage() with a limit inside a character ends before it", () => {
  deepStrictEqual(shown(pageOf("ab€", { limit: 3 })), [0, "ab", 2, 2]);
  deepStrictEqual(shown(pageOf("ab€", { limit: 5 })), [0, "ab€", 5, null]);
});

Deno.test("readPage() of a running command waits for the rest of a character, of an ended one shows the half", () => {
  const half = (...bytes: number[]) => Uint8Array.of(0x41, ...bytes);
  deepStrictEqual(shown(pageOf(half(0xe2), { ended: false })), [0, "A", 1, null]);
  deepStrictEqual(shown(pageOf(half(0xe2), { offset: 1, ended: false, limit: 1 })), [1, "", 0, null]);
  deepStrictEqual(shown(pageOf(half(0xe2, 0x82), { limit: 1, ended: false })), [0, "A", 1, null]);
  deepStrictEqual(shown(pageOf(half(0xe2, 0x82), { limit: 1 })), [0, "A", 1, 1]);
  deepStrictEqual(shown(pageOf(half(0xe2, 0x82), { offset: 1, limit: 1 })), [1, "\ufffd", 2, null]);
});

Deno.test("readPage() of a running command goes on while whole characters are left", () => {
  deepStrictEqual(shown(pageOf("abc", { limit: 1, ended: false })), [0, "a", 1, 1]);
  deepStrictEqual(shown(pageOf("abc", { offset: 2, limit: 1, ended: false })), [2, "c", 1, null]);
});

Deno.test("readPage() shows half a character at the edge of what was lost, whether the command runs or not", () => {
  // Kept are the first 2 and the last 14 bytes of 30: the third byte of "€" is lost.
  const text = "€" + "x".repeat(27);
  for (const ended of [false, true]) {
    deepStrictEqual(shown(pageOf(text, { budget: 16, ended })), [0, "\ufffd", 2, 2]);
    deepStrictEqual(shown(pageOf(text, { budget: 16, ended, limit: 1 })), [0, "\ufffd", 2, 2]);
  }
  deepStrictEqual(shown(pageOf(text, { budget: 16, offset: 2 })), [16, "x".repeat(14), 14, null]);
});

Deno.test("readPage() reads nothing behind the end", () => {
  strictEqual(pageOf("abc", { offset: 3 }).content, "");
  deepStrictEqual(shown(pageOf("abc", { offset: 7 })), [7, "", 0, null]);
});

Deno.test("readPage() serves stray bytes that end no character, wherever it starts", () => {
  const from = (bytes: number[], offset: number) => shown(pageOf(Uint8Array.from(bytes), { offset }));
  deepStrictEqual(from([0x41, 0x80, 0x80, 0x42], 1), [1, "\ufffd\ufffdB", 3, null]);
  deepStrictEqual(from([0x41, 0x80, 0x80, 0x42], 2), [2, "\ufffdB", 2, null]);
  deepStrictEqual(from([0xe2, 0x82, 0xac, 0x80, 0x42], 3), [3, "\ufffdB", 2, null]);
  deepStrictEqual(from([0xe2, 0x82, 0xac, 0x80, 0x42], 2), [3, "\ufffdB", 2, null]);
  for (const offset of [1, 2, 3]) deepStrictEqual(from([0xf0, 0x9f, 0x98, 0x80, 0x42], offset), [4, "B", 1, null]);
  deepStrictEqual(from([0x41, 0x41, 0x41, 0x41, 0x80, 0x42], 4), [4, "\ufffdB", 2, null]);
});

Deno.test("readPage() behind what was lost passes over what may end a lost character: three bytes at most", () => {
  // Kept are the first 2 and the last 14 bytes of 30.
  const from = (tail: number[], offset: number) => {
    const bytes = new Uint8Array(30).fill(0x78);
    bytes.set(tail, 16);
    const { offset: start, content } = pageOf(bytes, { budget: 16, offset });
    return [start, content.slice(0, 2)];
  };
  const stray = [0x80, 0x80, 0x80];
  for (const offset of [10, 16, 17, 18, 19]) deepStrictEqual(from(stray, offset), [19, "xx"], String(offset));
  deepStrictEqual(from([0x80, 0x80], 16), [18, "xx"]);
  deepStrictEqual(from([0x80, 0x80], 17), [18, "xx"]);
  deepStrictEqual(from([0x61, 0x80, 0x80], 17), [17, "\ufffd\ufffd"]);
  // The fourth of four ends no character; which bytes continue one is a matter of their first two bits.
  deepStrictEqual(from([0x80, 0x80, 0x80, 0x80], 17), [19, "\ufffdx"]);
  deepStrictEqual(from([0x80, 0x80, 0x80, 0x80], 18), [19, "\ufffdx"]);
  deepStrictEqual(from([0x81, 0x82], 17), [18, "xx"]);
  deepStrictEqual(from([0xbf, 0xbf], 17), [18, "xx"]);
  deepStrictEqual(from([0xe2, 0x82, 0xac], 17), [19, "xx"]);
  deepStrictEqual(from([0xe2, 0x82, 0xac], 16), [16, "€x"]);
});

Deno.test("readPage() keeps a beginning of a character together that nothing ends", () => {
  const page = (bytes: number[], ended: boolean, limit = 1) => shown(pageOf(Uint8Array.from(bytes), { limit, ended }));
  deepStrictEqual(page([0xf0, 0x9f, 0x98, 0x41], true), [0, "\ufffd", 3, 3]);
  deepStrictEqual(page([0xf0, 0x9f, 0x41], true), [0, "\ufffd", 2, 2]);
  deepStrictEqual(page([0xf0, 0x9f, 0x98], true), [0, "\ufffd", 3, null]);
  deepStrictEqual(page([0xf0, 0x9f, 0x98], false), [0, "", 0, null]);
  deepStrictEqual(page([0xf0, 0x9f, 0x41], false), [0, "\ufffd", 2, 2]);
});

Deno.test("readPage() passes over the rest of a character that lies in what is kept for good and in what rolls", () => {
  // Kept for good are the first 2 bytes, rolling the last 14: of 16 nothing is lost.
  for (const offset of [1, 2]) {
    deepStrictEqual(shown(pageOf("€" + "x".repeat(13), { budget: 16, offset })), [3, "x".repeat(13), 13, null]);
  }
});

Deno.test("readPage() serves something wherever a small limit meets bytes behind a character it passed over", () => {
  const page = (bytes: number[], offset: number) => shown(pageOf(Uint8Array.from(bytes), { offset, limit: 1 }));
  deepStrictEqual(page([0xe2, 0x82, 0xac, 0x80, 0x42], 1), [3, "\ufffd", 1, 4]);
  deepStrictEqual(page([0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x41], 2), [3, "\ufffd", 3, 6]);
});

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { decodeUtf8, encodeUtf8, utf8Length } from "../../base/utf8.ts";
import { HeadTailBuffer } from "./head_tail_buffer.ts";
import { readPage } from "./read_page.ts";
import { renderTerminal } from "./render_terminal.ts";
import { countInvalidBytes, OutputStream } from "./stream_window.ts";

const chunks = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 30 });

Deno.test("HeadTailBuffer keeps exactly the first and the last bytes for any sequence of writes", () => {
  fc.assert(fc.property(chunks, fc.integer({ min: 16, max: 400 }), (parts, budget) => {
    const buffer = new HeadTailBuffer(budget);
    for (const part of parts) buffer.append(part);
    const all = Buffer.concat(parts);
    const head = all.subarray(0, Math.floor(budget / 8));
    const tail = all.subarray(Math.max(0, all.length - (budget - Math.floor(budget / 8))));
    strictEqual(buffer.total, all.length);
    strictEqual(buffer.tailStart, all.length - tail.length);
    strictEqual(buffer.gapBytes, Math.max(0, buffer.tailStart - head.length));
    ok(buffer.retainedBytes <= budget);
    strictEqual(
      buffer.headBytes + buffer.gapBytes + tail.length - Math.max(0, head.length - buffer.tailStart),
      all.length,
    );
    deepStrictEqual(Buffer.from(buffer.read(buffer.tailStart, budget).bytes), Buffer.from(tail));
    if (buffer.tailStart > 0) deepStrictEqual(Buffer.from(buffer.read(0, head.length).bytes), Buffer.from(head));
  }));
});

Deno.test("HeadTailBuffer keeps the first and the last bytes when one write is larger than the whole buffer", () => {
  const buffer = new HeadTailBuffer(80);
  buffer.append(Uint8Array.from({ length: 1000 }, (_, index) => index % 251));
  deepStrictEqual([...buffer.read(0, 100).bytes], Array.from({ length: 10 }, (_, index) => index));
  deepStrictEqual([...buffer.read(930, 3).bytes], [930 % 251, 931 % 251, 932 % 251]);
});

Deno.test("HeadTailBuffer does the arithmetic of the worked example", () => {
  const buffer = new HeadTailBuffer(524_288);
  for (let left = 1_288_895; left > 0; left -= 60_000) buffer.append(new Uint8Array(Math.min(left, 60_000)));
  deepStrictEqual(
    [buffer.total, buffer.tailBytes, buffer.tailStart, buffer.gapBytes, buffer.retainedBytes, buffer.headBytes],
    [1_288_895, 458_752, 830_143, 764_607, 524_288, 65_536],
  );
  strictEqual(buffer.read(100_000, 10).offset, 830_143);
  strictEqual(buffer.read(65_530, 100).bytes.length, 6);
  strictEqual(buffer.read(1_288_896, 10).bytes.length, 0);
});

Deno.test("readPage() pages any text without a broken character, whatever the limit", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 9 }), fc.boolean(), (text, limit, ended) => {
      const wellFormed = text.toWellFormed();
      const buffer = new HeadTailBuffer(1 << 16);
      buffer.append(encodeUtf8(wellFormed));
      let joined = "";
      for (let offset: number | null = 0; offset !== null;) {
        const page: ReturnType<typeof readPage> = readPage(buffer, {
          offset,
          limitBytes: limit,
          encoding: "utf-8",
          ended,
        });
        strictEqual(page.offset, offset);
        ok(page.bytes <= Math.max(limit, 4));
        joined += page.content;
        offset = page.nextOffset;
      }
      strictEqual(joined, wellFormed);
    }),
  );
});

Deno.test("readPage() in text loses no byte that is kept, however invalid, and breaks no character where head and tail touch", () => {
  const bytes = fc.array(fc.constantFrom(0x41, 0x80, 0xbf, 0xc3, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0xff), {
    minLength: 16,
    maxLength: 60,
  });
  const limits = fc.integer({ min: 1, max: 9 });
  const spare = fc.integer({ min: -4, max: 12 });
  fc.assert(
    fc.property(bytes, limits, spare, (all, limitBytes, spareBytes) => {
      const buffer = new HeadTailBuffer(all.length + spareBytes);
      buffer.append(Uint8Array.from(all));
      let joined = "";
      let served = 0;
      for (let offset: number | null = 0; offset !== null;) {
        const request = { offset, limitBytes, encoding: "utf-8", ended: true } as const;
        const page: ReturnType<typeof readPage> = readPage(buffer, request);
        joined += page.content;
        served += page.bytes;
        offset = page.nextOffset;
      }
      // Behind a gap up to three bytes may be the rest of a lost character.
      if (buffer.gapBytes > 0) return ok(served >= buffer.retainedBytes - 3);
      strictEqual(served, all.length);
      strictEqual(joined, decodeUtf8(Uint8Array.from(all)));
    }),
    { numRuns: 5_000 },
  );
});

Deno.test("readPage() in base64 gives every byte at the offset asked for", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 50 }), (bytes, limit) => {
    const buffer = new HeadTailBuffer(1 << 16);
    buffer.append(bytes);
    const parts: Buffer[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const page: ReturnType<typeof readPage> = readPage(buffer, {
        offset,
        limitBytes: limit,
        encoding: "base64",
        ended: true,
      });
      parts.push(Buffer.from(page.content, "base64"));
      offset = page.nextOffset;
    }
    deepStrictEqual(Buffer.concat(parts), Buffer.from(bytes));
  }));
});

Deno.test("readPage() holds back half a character of a running command and serves it of an ended one", () => {
  const buffer = new HeadTailBuffer(1 << 16);
  buffer.append(Uint8Array.of(0x41, 0xe2, 0x82));
  const running = readPage(buffer, { offset: 0, limitBytes: 100, encoding: "utf-8", ended: false });
  deepStrictEqual([running.content, running.bytes, running.nextOffset], ["A", 1, null]);
  const half = readPage(buffer, { offset: 1, limitBytes: 1, encoding: "utf-8", ended: false });
  deepStrictEqual([half.content, half.nextOffset], ["", null]);
  const ended = readPage(buffer, { offset: 0, limitBytes: 100, encoding: "utf-8", ended: true });
  deepStrictEqual([ended.content, ended.bytes, ended.nextOffset], ["A\ufffd", 3, null]);
});

Deno.test("OutputStream windows joined are the whole text, however writes and reads fall", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.array(fc.integer({ min: 1, max: 7 })), (text, sizes) => {
    const bytes = encodeUtf8(text.toWellFormed().replaceAll("\0", "0"));
    const stream = new OutputStream(1 << 16);
    let joined = "";
    let at = 0;
    for (const size of sizes) {
      stream.buffer.append(bytes.subarray(at, at + size));
      at += size;
      const window = stream.takeWindow({ maxBytes: 1 << 16, maxJsonBytes: Infinity, ended: false, rendered: false });
      ok(!stream.hasNews({ ended: false, rendered: false }));
      joined += window.text;
    }
    stream.buffer.append(bytes.subarray(at));
    joined += stream.takeWindow({ maxBytes: 1 << 16, maxJsonBytes: Infinity, ended: true, rendered: false }).text;
    strictEqual(joined, decodeUtf8(bytes));
  }));
});

Deno.test("OutputStream shows whole last lines within the limit, says what it hid, and the start of it", () => {
  const stream = new OutputStream(1 << 16);
  stream.buffer.append(encodeUtf8(Array.from({ length: 1000 }, (_, index) => `line ${index}\n`).join("")));
  const window = stream.takeWindow({ maxBytes: 25, maxJsonBytes: Infinity, ended: true, rendered: false });
  deepStrictEqual([window.text, window.truncatedBy, window.lines, window.bytes], [
    "line 998\nline 999\n",
    "bytes",
    2,
    18,
  ]);
  strictEqual(window.hiddenBytes, stream.buffer.total - 18);
  ok(window.head.startsWith("line 0\nline 1\n"));
  strictEqual(utf8Length(window.head), 1024);
});

Deno.test("OutputStream cuts at 2,000 lines and, where a line is too long, inside it between characters", () => {
  const many = new OutputStream(1 << 16);
  many.buffer.append(encodeUtf8("x\n".repeat(2_001)));
  const lines = many.takeWindow({ maxBytes: 1 << 16, maxJsonBytes: Infinity, ended: true, rendered: false });
  deepStrictEqual([lines.lines, lines.truncatedBy, lines.startOffset], [2_000, "lines", 2]);
  const long = new OutputStream(1 << 16);
  long.buffer.append(encodeUtf8("\u20ac".repeat(100)));
  const window = long.takeWindow({ maxBytes: 10, maxJsonBytes: Infinity, ended: true, rendered: false });
  deepStrictEqual([window.text, window.bytes], ["\u20ac\u20ac\u20ac", 9]);
});

Deno.test("OutputStream counts NUL and invalid bytes and shows both", () => {
  const stream = new OutputStream(1 << 16);
  stream.buffer.append(Uint8Array.of(0x61, 0, 0x62, 0xff, 0xfe, 0x0a));
  const window = stream.takeWindow({ maxBytes: 100, maxJsonBytes: Infinity, ended: true, rendered: false });
  deepStrictEqual([window.text, window.nulCount, window.invalidBytes, window.bytes], [
    "a\u2400b\ufffd\ufffd\n",
    1,
    2,
    6,
  ]);
});

Deno.test("countInvalidBytes() is zero for text and counts what replacement would lose", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    strictEqual(countInvalidBytes(encodeUtf8(text)), 0);
  }));
  strictEqual(countInvalidBytes(Uint8Array.of(0xe0, 0x80, 0x80)), 3);
  strictEqual(countInvalidBytes(Uint8Array.of(0xed, 0xa0, 0x80, 0x41)), 3);
  strictEqual(countInvalidBytes(Uint8Array.of(0xc0, 0x80)), 2);
  strictEqual(countInvalidBytes(Uint8Array.of(0xf0, 0x9f, 0x98)), 3);
});

for (
  const [name, raw, shown] of [
    ["a progress line", "10%\r50%\r100%\n", "100%\n"],
    ["a shorter line over a longer one", "aaaa\rbb\n", "bbaa\n"],
    ["an erased rest", "aaaa\rbb\x1b[K\n", "bb\n"],
    ["colours and titles", "\x1b[1;31mred\x1b[0m\x1b]0;title\x07!\r\n", "red!\n"],
    ["backspaces", "abc\b\bX\n", "aXc\n"],
    ["a string ended by ST", "\x1bPq#0\x1b\\ok\n", "ok\n"],
    ["cursor movements", "\x1b[2J\x1b[1;1Hone\x1b[5;1Htwo\x1b[24;1H", "one\ntwo\n"],
    ["wide characters", "\u{1f600}\u{1f600}\rA\n", "A\u{1f600}\n"],
    ["a column far away", "\x1b[999999999Cx", " ".repeat(1000) + "x"],
    ["a step back", "abcd\x1b[2DX\n", "abXd\n"],
    ["deleted characters", "abcdef\r\x1b[2C\x1b[3P\n", "abf\n"],
    ["inserted blanks", "abc\r\x1b[C\x1b[2@X\n", "aX bc\n"],
    ["an insertion behind the end", "ab\x1b[3@c\n", "abc\n"],
    ["an erased start", "abcd\x1b[2D\x1b[1K\n", "   d\n"],
    ["an erased line", "abcd\x1b[2Kx\n", "    x\n"],
    ["a column by its number", "abc\x1b[2GX\x1b[5`Y\n", "aXc Y\n"],
    ["the line above", "one\ntwo\x1b[A\x1b[Aup", "one\ntwo\nup"],
    ["keypad and charset escapes", "\x1b=\x1b(Bplain\x1b>\n", "plain\n"],
  ] as const
) {
  Deno.test(`renderTerminal() shows ${name} as a person would have read it`, () =>
    strictEqual(renderTerminal(raw), shown));
}

Deno.test("renderTerminal() leaves no control character and takes linear time", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("\x1b", "[", "]", "a", "\r", "\n", "3", "K", "\x07", "\b", "P") }),
      (raw) => {
        // deno-lint-ignore no-control-regex
        ok(!/[\x00-\x09\x0b-\x1f\x7f]/.test(renderTerminal(raw).replaceAll("\t", "")));
      },
    ),
  );
  renderTerminal("\x1b]x".repeat(100_000));
  renderTerminal("\x1b[1".repeat(100_000));
});

Deno.test("OutputStream keeps the JSON form of a window within its limit, whatever has to be escaped", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), fc.integer({ min: 1, max: 300 }), (bytes, maxJsonBytes) => {
    const stream = new OutputStream(1 << 16);
    stream.buffer.append(bytes);
    const window = stream.takeWindow({ maxBytes: 1 << 16, maxJsonBytes, ended: true, rendered: false });
    ok(utf8Length(JSON.stringify(window.text)) - 2 <= maxJsonBytes);
    strictEqual(window.hiddenBytes + window.bytes, bytes.length);
  }));
});

Deno.test("OutputStream keeps what a terminal shows within the limit, however much fewer bytes that is made of", () => {
  // Each jump shows 900 blanks for a few bytes, so that cutting the bytes alone would not do.
  const raw = Array.from({ length: 60 }, (_, line) => `\x1b[900C${line}`).join("\n");
  const stream = new OutputStream(1 << 16);
  stream.buffer.append(encodeUtf8(raw));
  const limits = { maxJsonBytes: 1 << 16, ended: true, rendered: true };
  const window = stream.takeWindow({ maxBytes: 2_000, ...limits });
  ok(utf8Length(window.text) <= 2_000, String(utf8Length(window.text)));
  ok(window.text.endsWith(" 59"), window.text.slice(-10));
  strictEqual(window.truncatedBy, "bytes");
  strictEqual(window.hiddenBytes + window.bytes, raw.length);
  const narrow = new OutputStream(1 << 16);
  narrow.buffer.append(encodeUtf8(`\x1b[900Clast`));
  strictEqual(narrow.takeWindow({ maxBytes: 100, ...limits }).text, `${" ".repeat(96)}last`);
});

Deno.test("OutputStream holds back the start of an escape sequence of a terminal until its end has come", () => {
  const parts: [string, string][] = [
    ["a\x1b", "[1mb"],
    ["a\x1b[1;3", "1mb"],
    ["a\x1b]0;tit", "le\x07b"],
    ["a\x1bPq#0", "\x1b\\b"],
    ["a\x1b(", "Bb"],
  ];
  for (const [first, second] of parts) {
    const stream = new OutputStream(1 << 16);
    const limits = { maxBytes: 1_000, maxJsonBytes: 1_000, rendered: true };
    stream.buffer.append(encodeUtf8(first));
    strictEqual(stream.takeWindow({ ...limits, ended: false }).text, "a", JSON.stringify(first));
    stream.buffer.append(encodeUtf8(second));
    strictEqual(stream.takeWindow({ ...limits, ended: true }).text, "b", JSON.stringify(first));
  }
});

Deno.test("readPage() behind a gap passes over at most three bytes and breaks no character after them", () => {
  const buffer = new HeadTailBuffer(20);
  // Two bytes of head; the third is lost; then three bytes of which nobody knows what they belong to, and an ß.
  buffer.append(Uint8Array.of(65, 65, 0xe2, 0xbf, 0x9f, 0x80, 0xc3, 0x9f, ...new Uint8Array(13).fill(65)));
  deepStrictEqual(readPage(buffer, { offset: 2, limitBytes: 1, encoding: "utf-8", ended: true }), {
    offset: 6,
    content: "ß",
    bytes: 2,
    nextOffset: 8,
  });
});

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { encodeUtf8, utf8Length } from "../../base/utf8.ts";
import { OutputStream, type StreamWindow, type WindowOptions } from "./stream_window.ts";

const WHOLE: WindowOptions = { maxBytes: 1 << 20, maxJsonBytes: Infinity, ended: true, rendered: false };

function streamOf(text: string | Uint8Array, budget = 1 << 20): OutputStream {
  const stream = new OutputStream(budget);
  stream.buffer.append(typeof text === "string" ? encodeUtf8(text) : text);
  return stream;
}

function windowOf(text: string | Uint8Array, options: Partial<WindowOptions> = {}, budget?: number): StreamWindow {
  return streamOf(text, budget).takeWindow({ ...WHOLE, ...options });
}

Deno.test("a window says which bytes it stands for and starts where the last one ended", () => {
  const stream = streamOf("one\ntwo\n");
  strictEqual(stream.cursor, 0);
  const first = stream.takeWindow(WHOLE);
  deepStrictEqual(
    [first.startOffset, first.endOffset, first.bytes, first.lines, first.truncatedBy, first.hiddenBytes, first.head],
    [0, 8, 8, 2, null, 0, ""],
  );
  strictEqual(stream.cursor, 8);
  stream.buffer.append(encodeUtf8("three"));
  const second = stream.takeWindow(WHOLE);
  deepStrictEqual([second.text, second.startOffset, second.endOffset, second.lines], ["three", 8, 13, 1]);
  const nothing = stream.takeWindow(WHOLE);
  deepStrictEqual([nothing.text, nothing.startOffset, nothing.bytes, nothing.lines], ["", 13, 0, 0]);
});

Deno.test("a window of a stream that lost bytes says how many were new and are gone", () => {
  const stream = streamOf("0123456789", 16);
  stream.takeWindow(WHOLE);
  stream.buffer.append(encodeUtf8("a".repeat(10)));
  deepStrictEqual(omitted(stream), [0, 6, 0]);
  stream.buffer.append(encodeUtf8("b".repeat(20)));
  deepStrictEqual(omitted(stream), [6, 26, 6]);
});

function omitted(stream: OutputStream): number[] {
  const { omittedBytes, droppedBytes, hiddenBytes } = stream.takeWindow(WHOLE);
  return [omittedBytes, droppedBytes, hiddenBytes];
}

Deno.test("hasNews() is true exactly when something could be shown", () => {
  const running = { ended: false, rendered: false };
  const stream = streamOf("a");
  ok(stream.hasNews(running));
  stream.takeWindow(WHOLE);
  ok(!stream.hasNews(running));
  ok(!stream.hasNews({ ...running, ended: true }));
  stream.buffer.append(Uint8Array.of(0xe2, 0x82));
  ok(!stream.hasNews(running));
  ok(stream.hasNews({ ...running, ended: true }));
  stream.buffer.append(Uint8Array.of(0xac));
  ok(stream.hasNews(running));
});

Deno.test("hasNews() of a terminal waits for the end of an escape sequence", () => {
  const terminal = { ended: false, rendered: true };
  ok(!streamOf("\x1b[3").hasNews(terminal));
  ok(streamOf("\x1b[3").hasNews({ ...terminal, rendered: false }));
  ok(streamOf("\x1b[3m").hasNews(terminal));
  ok(streamOf("a\x1b[3").hasNews(terminal));
  ok(!streamOf(Uint8Array.of(0xe2)).hasNews(terminal));
  ok(streamOf("\x1b]" + "x".repeat(400)).hasNews(terminal));
});

Deno.test("a window of a running command holds back half a character or sequence, and shows it with the next", () => {
  for (
    const [rendered, first, second, shown] of [[false, [0x61, 0xe2], [0x82, 0xac], "€"], [
      true,
      [0x61, 0x1b, 0x5b],
      [0x31, 0x6d, 0x62],
      "b",
    ]] as const
  ) {
    const stream = streamOf(Uint8Array.from(first));
    const options = { ...WHOLE, ended: false, rendered };
    const before = stream.takeWindow(options);
    deepStrictEqual([before.text, before.bytes, before.endOffset, stream.cursor], ["a", 1, 1, 1]);
    stream.buffer.append(Uint8Array.from(second));
    strictEqual(stream.takeWindow(options).text, shown);
  }
});

Deno.test("a window of an ended command holds nothing back", () => {
  strictEqual(windowOf(Uint8Array.of(0x82, 0x61)).text, "\ufffda");
  deepStrictEqual([windowOf(Uint8Array.of(0x61, 0xe2)).text, windowOf("a\x1b[3", { rendered: true }).bytes], [
    "a\ufffd",
    4,
  ]);
});

Deno.test("a cut window begins with a whole line, where a whole line fits", () => {
  const cut = (text: string, maxBytes: number) => {
    const { text: shown, startOffset, truncatedBy, bytes } = windowOf(text, { maxBytes });
    strictEqual(startOffset + bytes, utf8Length(text));
    return [shown, truncatedBy];
  };
  deepStrictEqual(cut("aa\nbb\ncc\n", 9), ["aa\nbb\ncc\n", null]);
  deepStrictEqual(cut("aa\nbb\ncc\n", 8), ["bb\ncc\n", "bytes"]);
  deepStrictEqual(cut("aa\nbb\ncc\n", 6), ["bb\ncc\n", "bytes"]);
  deepStrictEqual(cut("aa\nbb\ncc\n", 5), ["cc\n", "bytes"]);
  deepStrictEqual(cut("aa\nbb\ncc\n", 3), ["cc\n", "bytes"]);
  deepStrictEqual(cut("aa\nbb\ncc\n", 2), ["c\n", "bytes"]);
  deepStrictEqual(cut("aa\nbb\ncc", 2), ["cc", "bytes"]);
  deepStrictEqual(cut("aa\nbb\ncc", 3), ["cc", "bytes"]);
  deepStrictEqual(cut("aaaa\n", 3), ["aa\n", "bytes"]);
  deepStrictEqual(cut("x\nb€€€", 8), ["€€", "bytes"]);
  deepStrictEqual(cut("\n\n\n", 2), ["\n\n", "bytes"]);
  deepStrictEqual(cut("aaaa\nb", 4), ["b", "bytes"]);
  deepStrictEqual([cut("\n", 9), cut("\nx\n", 9)], [["\n", null], ["\nx\n", null]]);
});

Deno.test("a window has at most 2,000 lines, the last one with or without a line break", () => {
  const lines = (count: number, end: string) => "x\n".repeat(count - 1) + "x" + end;
  const cut = (text: string) => {
    const window = windowOf(text);
    return [window.lines, window.truncatedBy, window.startOffset];
  };
  deepStrictEqual(cut(lines(2_000, "\n")), [2_000, null, 0]);
  deepStrictEqual(cut(lines(2_001, "\n")), [2_000, "lines", 2]);
  deepStrictEqual(cut(lines(2_000, "")), [2_000, null, 0]);
  deepStrictEqual(cut(lines(2_002, "")), [2_000, "lines", 4]);
  deepStrictEqual(cut("\n".repeat(2_001)), [2_000, "lines", 1]);
  // Both limits cut, and lines cut more.
  deepStrictEqual(windowOf(lines(3_000, "\n"), { maxBytes: 5_000 }).truncatedBy, "lines");
  deepStrictEqual(windowOf(lines(3_000, "\n"), { maxBytes: 3_000 }).truncatedBy, "bytes");
});

Deno.test("the start of a cut stream is shown too, up to what is hidden and to 1,024 bytes", () => {
  strictEqual(windowOf("aa\nbb\ncc\n", { maxBytes: 3 }).head, "aa\nbb\n");
  const long = "y".repeat(3_000) + "\nend\n";
  strictEqual(windowOf(long, { maxBytes: 4 }).head, "y".repeat(1_024));
  // Half a character at its end is left out, and NUL is shown as in the text.
  strictEqual(windowOf("y".repeat(1_023) + "€\nend\n", { maxBytes: 4 }).head, "y".repeat(1_023));
  strictEqual(windowOf("a\0\nend\n", { maxBytes: 4 }).head, "a\u2400\n");
  const stream = streamOf("first\n");
  stream.takeWindow(WHOLE);
  stream.buffer.append(encodeUtf8("bb\nend\n"));
  strictEqual(stream.takeWindow({ ...WHOLE, maxBytes: 4 }).head, "bb\n");
  // The escape that is cut off at its end is left out as well.
  const coloured = "\x1b[1mred\x1b[0m\n" + "z".repeat(1_008) + "\x1b[31mx\nend\n";
  strictEqual(windowOf(coloured, { maxBytes: 4, rendered: true }).head, "red\n" + "z".repeat(1_008));
});

Deno.test("the start of a cut stream is left out where it is no longer kept", () => {
  const stream = streamOf("a".repeat(20) + "\n", 64);
  stream.takeWindow(WHOLE);
  stream.buffer.append(encodeUtf8("b".repeat(80) + "\nend\n"));
  const window = stream.takeWindow({ ...WHOLE, maxBytes: 4 });
  deepStrictEqual([window.text, window.head], ["end\n", ""]);
});

Deno.test("a window counts NUL and invalid bytes of what it shows only", () => {
  const bytes = Uint8Array.of(0, 0xff, 0x0a, 0x61, 0, 0x0a);
  const all = windowOf(bytes);
  deepStrictEqual([all.nulCount, all.invalidBytes], [2, 1]);
  const last = windowOf(bytes, { maxBytes: 3 });
  deepStrictEqual([last.text, last.nulCount, last.invalidBytes], ["a\u2400\n", 1, 0]);
  strictEqual(windowOf(Uint8Array.of(0, 0, 0x0a)).nulCount, 2);
});

Deno.test("a terminal's window is bounded by what is shown, not by the sequences in it", () => {
  const line = "\x1b[31mab\x1b[0m\n";
  const shown = (count: number, maxBytes: number) => {
    const { text, bytes, truncatedBy } = windowOf(line.repeat(count), { rendered: true, maxBytes });
    return [text, bytes, truncatedBy];
  };
  deepStrictEqual(shown(3, 9), ["ab\nab\nab\n", 36, null]);
  deepStrictEqual(shown(3, 8), ["ab\nab\n", 24, "bytes"]);
  deepStrictEqual(shown(3, 3), ["ab\n", 12, "bytes"]);
  const { text, bytes, truncatedBy } = windowOf("\x1b[9Cx", { rendered: true, maxBytes: 5 });
  deepStrictEqual([text, bytes, truncatedBy], ["    x", 5, "bytes"]);
});

Deno.test("a terminal's window that starts inside a line starts inside no sequence", () => {
  const shown = (raw: string, maxBytes: number) => windowOf(raw, { rendered: true, maxBytes }).text;
  strictEqual(shown("\x1b[9Cx", 4), "x");
  strictEqual(shown("a\x1b[31mb\x1b[32mc", 2), "bc");
  strictEqual(shown("\x1b]0;a long title\x07b", 8), "b");
  strictEqual(shown("\x1b]0;a long title\x1b\\b", 8), "b");
  // Also where the part of the stream that is looked at begins inside one: 4 times the limit and 4 bytes.
  strictEqual(shown("\x1b[31mred" + "\x1b[m".repeat(8), 4), "");
  strictEqual(shown("\x1b[m".repeat(8) + "z", 5), "z");
  strictEqual(shown("x".repeat(300) + "\x1b[31mred" + "\x1b[m".repeat(5), 4), "red");
});

Deno.test("output that is no terminal's is cut by bytes, whatever sequences are in it", () => {
  strictEqual(windowOf("x".repeat(300) + "\x1b[38;5;196mred", { maxBytes: 9 }).text, "5;196mred");
});

Deno.test("a terminal's window whose JSON form is too long is shortened too, however many sequences are in it", () => {
  const raw = '\x1b[31m"\x1b[0m'.repeat(5);
  for (const [maxJsonBytes, shown] of [[10, 5], [9, 4], [8, 4], [3, 1], [1, 0]] as const) {
    const window = windowOf(raw, { rendered: true, maxJsonBytes });
    strictEqual(window.text, '"'.repeat(shown));
  }
});

Deno.test("a terminal's window shows at most what is asked for, and never a part of a sequence", () => {
  const piece = fc.constantFrom(
    "a",
    "€",
    "\n",
    "\x1b[1m",
    "\x1b[5C",
    "\r",
    "\b",
    "xyz\n",
    "\x1b[2K",
    "\x1b[H",
    "\x1b]0;1\x07",
  );
  fc.assert(fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 4, max: 40 }), (pieces, maxBytes) => {
    const raw = pieces.join("");
    const window = windowOf(raw, { rendered: true, maxBytes });
    ok(utf8Length(window.text) <= maxBytes);
    ok(!/[^a€xyz\n ]/.test(window.text), window.text);
    strictEqual(window.startOffset + window.bytes, utf8Length(raw));
  }));
});

Deno.test("a window whose JSON form is too long is shortened from its start until it fits, and no further than needed", () => {
  // A quote takes two bytes in JSON and a control six.
  const cut = (text: string, maxJsonBytes: number) => windowOf(text, { maxJsonBytes });
  deepStrictEqual([cut('a"', 3).text, cut('a"', 2).text, cut('a"', 2).truncatedBy], ['a"', '"', "bytes"]);
  deepStrictEqual([cut("\x01\x01", 12).text, cut("\x01\x01", 11).text], ["\x01\x01", "\x01"]);
  strictEqual(cut("\x01", 5).text, "");
  deepStrictEqual([cut("abc", 0).text, cut("abc", -3).text], ["", ""]);
  strictEqual(cut("\0\0\xff", 7).text, "\u2400ÿ");
  strictEqual(cut("x".repeat(40) + "\x01".repeat(10), 60).text, "\x01".repeat(10));
});

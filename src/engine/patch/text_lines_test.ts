import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Pacer } from "../../base/pacer.ts";
import { encodeUtf8 } from "../../base/utf8.ts";
import { formatText, type NewLine, parseText, spliceText, type TextLines, totalLines } from "./text_lines.ts";

const pacer = new Pacer();

function parse(text: string | Uint8Array): Promise<TextLines> {
  return parseText(typeof text === "string" ? encodeUtf8(text) : text, "f", { pacer });
}

async function formatted(text: TextLines): Promise<string> {
  return Buffer.from(await formatText(text, { pacer })).toString();
}

Deno.test("LF ends a line, a CR before it belongs to the terminator, and a mark at the start is set aside", async () => {
  deepStrictEqual(await parse(""), { hasBom: false, lines: [""], crlf: null });
  deepStrictEqual(await parse("a\nb"), { hasBom: false, lines: ["a", "b"], crlf: null });
  deepStrictEqual(await parse("a\r\nb\n\r\n\r"), {
    hasBom: false,
    lines: ["a", "b", "", "\r"],
    crlf: Uint8Array.of(1, 0, 1, 0),
  });
  deepStrictEqual(await parse("\ufeffa\ufeff\n"), { hasBom: true, lines: ["a\ufeff", ""], crlf: null });
  deepStrictEqual(await parse("a\r\r\n"), { hasBom: false, lines: ["a\r", ""], crlf: Uint8Array.of(1, 0) });
});

Deno.test("lines are counted without the empty one behind the last line break", async () => {
  const counts = await Promise.all(["", "a", "a\n", "a\n\n", "\n"].map(async (text) => totalLines(await parse(text))));
  deepStrictEqual(counts, [0, 1, 1, 2, 1]);
});

Deno.test("a text of several pieces is put together as it was", async () => {
  // Read in pieces of 1 MiB, which cut lines, characters and CRLF, and joined 8,192 lines at a time.
  const text = "\ufeff" + `${"é".repeat(600_000)}\r\n`.repeat(2) + "x\r\n".repeat(8_190) + "y\n".repeat(8_192) + "z";
  const parsed = await parse(text);
  deepStrictEqual([parsed.lines.length, parsed.lines[0]?.length, parsed.lines[1]?.length], [16_385, 600_000, 600_000]);
  strictEqual(await formatted(parsed) === text, true);
  const even = "x\n".repeat(8_191) + "y";
  strictEqual(await formatted(await parse(even)) === even, true);
  const cut = "a".repeat((1 << 20) - 1) + "\r\nb\n";
  strictEqual((await parse(cut)).lines[1], "b");
});

Deno.test("the first byte that is not UTF-8 is named, also where the file ends inside a character", async () => {
  const cases: readonly (readonly [bytes: number[], offset: number])[] = [
    [[0xff], 0],
    [[0x61, 0x80], 1],
    [[0x61, 0xe2, 0x82], 1],
    [[0xe2, 0x82, 0xac, 0xe2], 3],
    [[0xf0, 0x9f, 0x98], 0],
    [[0xf0, 0x9f, 0x98, 0x41], 0],
    [[0xc3, 0xa4, 0xf0, 0x9f, 0x98, 0x80, 0xc0], 6],
    [[0x61, 0x62, 0x63, 0x64, 0x65, 0xe2, 0x28, 0xa1], 5],
  ];
  for (const [bytes, offset] of cases) {
    await rejects(parse(Uint8Array.from(bytes)), {
      code: "UNSUPPORTED_ENCODING",
      message: `Cannot edit f: the byte at offset ${offset} is not valid UTF-8`,
      details: {
        path: "f",
        byte_offset: offset,
        retry_hint: "Change this file with a command that knows its encoding",
      },
    });
  }
  const far = new Uint8Array((1 << 20) + 10).fill(0x61);
  far[(1 << 20) + 5] = 0xff;
  await rejects(parse(far), { message: /offset 1048581 / });
});

interface Change {
  readonly at: readonly [start: number, end: number];
  /** New lines; a number keeps that old line. */
  readonly lines: readonly (string | number)[];
  readonly replaces?: readonly (number | null)[];
}

async function spliced(text: string, ...changes: Change[]): Promise<string> {
  const splices = changes.map(({ at: [start, end], lines, replaces = [] }) => ({
    start,
    end,
    lines: lines.map((line, index): NewLine => {
      if (typeof line === "number") return { kind: "kept", oldIndex: line };
      return { kind: "new", text: line, replaces: replaces[index] ?? null };
    }),
  }));
  return await formatted(await spliceText(await parse(text), splices, { pacer }));
}

Deno.test("splices replace, insert and delete lines, and the others keep their bytes", async () => {
  strictEqual(await spliced("a\nb\nc\n", { at: [1, 2], lines: ["x", "y"] }), "a\nx\ny\nc\n");
  strictEqual(await spliced("a\nb\nc\n", { at: [0, 2], lines: [] }), "c\n");
  strictEqual(await spliced("a\nb\n", { at: [0, 0], lines: ["x"] }, { at: [1, 1], lines: ["y"] }), "x\na\ny\nb\n");
  strictEqual(await spliced("a\nb\nc", { at: [0, 3], lines: [0, "x", 2] }), "a\nx\nc");
  strictEqual(await spliced("a", { at: [0, 1], lines: [] }), "");
  strictEqual(await spliced("a\n", { at: [0, 2], lines: [] }), "");
  strictEqual(await spliced("\ufeffa\n", { at: [0, 1], lines: ["b"] }), "\ufeffb\n");
});

Deno.test("a new line ends like the one it replaces, else like the one above it, at the top like the one below", async () => {
  const mixed = "a\r\nb\nc\r\nd\n";
  strictEqual(await spliced(mixed, { at: [0, 2], lines: ["A", "B"], replaces: [0, 1] }), "A\r\nB\nc\r\nd\n");
  strictEqual(await spliced(mixed, { at: [1, 1], lines: ["x"] }), "a\r\nx\r\nb\nc\r\nd\n");
  strictEqual(await spliced(mixed, { at: [2, 2], lines: ["x"] }), "a\r\nb\nx\nc\r\nd\n");
  strictEqual(await spliced(mixed, { at: [0, 0], lines: ["x", "y"] }), "x\r\ny\r\na\r\nb\nc\r\nd\n");
  strictEqual(await spliced("a\nb\r\n", { at: [0, 0], lines: ["x"] }), "x\na\nb\r\n");
  // The last line has no terminator that a new one could take over.
  strictEqual(await spliced("a\r\nb", { at: [1, 2], lines: ["x", "y"], replaces: [1] }), "a\r\nx\r\ny");
  strictEqual(await spliced("a\nb\r\n", { at: [2, 2], lines: ["x"] }), "a\nb\r\nx\r\n");
  strictEqual(await spliced("b\r\n", { at: [0, 1], lines: ["x"] }), "x\n");
});

Deno.test("after splices each line is marked with 1 where it ends in CRLF and with 0 where it does not", async () => {
  const text = await parse("a\r\nb\nc\r\n");
  const { crlf } = await spliceText(text, [{ start: 1, end: 1, lines: [] }], { pacer });
  deepStrictEqual(crlf, Uint8Array.of(1, 0, 1, 0));
});

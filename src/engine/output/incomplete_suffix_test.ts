import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { encodeUtf8 } from "../../base/utf8.ts";
import { incompleteCharacterBytes, incompleteEscapeBytes } from "./incomplete_suffix.ts";
import { countInvalidBytes } from "./stream_window.ts";

/** Bytes on both sides of every bound that RFC 3629 names. */
const EDGES = [
  ...[0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef],
  ...[0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff],
];

/** Every proper beginning of a character of several bytes, as a key. */
function beginnings(): Set<string> {
  const found = new Set<string>();
  for (let codePoint = 0x80; codePoint <= 0x10ffff; codePoint += 0x40) {
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
    const bytes = encodeUtf8(String.fromCodePoint(codePoint));
    for (let length = 1; length < bytes.length; length++) found.add(bytes.subarray(0, length).join());
  }
  return found;
}

function sequences(): number[][] {
  const found: number[][] = [];
  for (let first = 0; first < 256; first++) found.push([first], ...EDGES.map((second) => [first, second]));
  for (const first of EDGES.filter((byte) => byte >= 0xdf)) {
    for (const second of EDGES) {
      for (const third of EDGES) found.push([first, second, third]);
      for (const last of [0x7f, 0x80, 0xbf, 0xc0]) found.push([first, second, 0x80, last]);
    }
  }
  return found;
}

Deno.test("incompleteCharacterBytes() is the length of the beginning of a character that stands at the end, if any", () => {
  const known = beginnings();
  const wrong = sequences().filter((bytes) => {
    const expected = [3, 2, 1].find((length) => bytes.length >= length && known.has(bytes.slice(-length).join())) ?? 0;
    return incompleteCharacterBytes(Uint8Array.from(bytes)) !== expected;
  });
  deepStrictEqual(wrong.slice(0, 3), []);
  strictEqual(incompleteCharacterBytes(new Uint8Array(0)), 0);
});

/** The grammar of RFC 3629 section 4, over bytes as characters. */
const CHARACTER = new RegExp(
  [
    "[\\x00-\\x7f]|[\\xc2-\\xdf][\\x80-\\xbf]",
    "\\xe0[\\xa0-\\xbf][\\x80-\\xbf]|[\\xe1-\\xec\\xee\\xef][\\x80-\\xbf]{2}|\\xed[\\x80-\\x9f][\\x80-\\xbf]",
    "\\xf0[\\x90-\\xbf][\\x80-\\xbf]{2}|[\\xf1-\\xf3][\\x80-\\xbf]{3}|\\xf4[\\x80-\\x8f][\\x80-\\xbf]{2}",
  ].join("|"),
  "g",
);

Deno.test("countInvalidBytes() counts exactly the bytes that are part of no character", () => {
  const texts = Map.groupBy(sequences(), ([first]) => first);
  const wrong = [...texts].filter(([, list]) => {
    const bytes = list.flatMap((sequence) => [0x61, ...sequence]);
    const invalid = String.fromCharCode(...bytes).replace(CHARACTER, "").length;
    return countInvalidBytes(Uint8Array.from(bytes)) !== invalid;
  });
  deepStrictEqual(wrong.map(([first]) => first), []);
  strictEqual(countInvalidBytes(Uint8Array.of(0xff, 0xe2, 0x82)), 3);
  strictEqual(countInvalidBytes(Uint8Array.of(0xff, 0xc3, 0xa4)), 1);
});

/** What waits at the end of a terminal's bytes: everything from the mark on. */
const ESCAPES: readonly (readonly [name: string, text: string])[] = [
  ["plain text", "abc|"],
  ["a lone ESC", "a|\x1b"],
  ["CSI", "a|\x1b["],
  ["CSI with parameters", "a|\x1b[1;3"],
  ["CSI with the last parameter byte", "|\x1b[?"],
  ["CSI with an intermediate byte", "|\x1b[0 "],
  ["a CSI that is whole", "\x1b[1;31m|"],
  ["a CSI that ends with the first final byte", "\x1b[@|"],
  ["a CSI broken by a control", "\x1b[1\x1f|"],
  ["a CSI that ended before more text", "\x1b[1mtext 123|"],
  ["a title", "a|\x1b]0;title"],
  ["a title ended by BEL", "\x1b]0;title\x07|"],
  ["a title after an earlier BEL", "\x07|\x1b]0;title"],
  ["a title whose ST has begun", "\x1b]0;title|\x1b"],
  ["a title ended by ST", "\x1b]0;title\x1b\\|"],
  ["DCS", "|\x1bPq"],
  ["APC", "|\x1b_q"],
  ["PM", "|\x1b^q"],
  ["SOS", "|\x1bXq"],
  ["what stands beside DCS in the table", "\x1bOq\x1bQ|"],
  ["the neighbours of SOS", "\x1bW|"],
  ["the neighbour behind SOS", "\x1bY|"],
  ["the neighbour of CSI", "\x1bZ|"],
  ["the neighbour of APC", "\x1b`|"],
  ["an intermediate byte", "|\x1b("],
  ["the first intermediate byte", "|\x1b "],
  ["the last intermediate byte", "|\x1b/"],
  ["an intermediate byte with its final one", "\x1b(B|"],
  ["what follows the intermediate bytes in the table", "\x1b0|"],
  ["a control behind ESC", "\x1b\x1f|"],
  ["the last of two", "\x1b[1m|\x1b[2"],
  ["256 bytes", "a|\x1b]" + "x".repeat(254)],
  ["more than 256 bytes, which are text", "a\x1b]" + "x".repeat(255) + "|"],
];

for (const [name, text] of ESCAPES) {
  Deno.test(`incompleteEscapeBytes() tells what waits: ${name}`, () => {
    const [before, waiting] = text.split("|") as [string, string];
    strictEqual(incompleteEscapeBytes(encodeUtf8(before + waiting)), waiting.length);
  });
}

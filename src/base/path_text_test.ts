import assert from "node:assert/strict";
import fc from "fast-check";
import { displayPath, isEscapedPath, pathToBytes, pathToPlainText, pathToText } from "./path_text.ts";

Deno.test("every sequence of bytes has one text that gives the same bytes back", () => {
  const byte = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0x5c, 0x78, 0x66, 0x35, 0x63, 0xe2, 0x80));
  fc.assert(fc.property(fc.array(byte, { maxLength: 24 }), (values) => {
    const bytes = Uint8Array.from(values);
    const text = pathToText(bytes);
    assert.deepEqual([...pathToBytes(text)], values);
    assert.equal(pathToText(pathToBytes(text)), text);
  }));
});

Deno.test("an ordinary name is its own text", () => {
  for (const name of ["plain.txt", "ünï/cödé 😀", "back\\slash", "C:\\xylophone", "trail "]) {
    assert.equal(pathToText(new TextEncoder().encode(name)), name);
    assert.equal(pathToPlainText(name), name);
  }
});

Deno.test("a name that is not UTF-8 shows its bytes, and a name that looks like that is told apart", () => {
  assert.equal(pathToText(Uint8Array.of(0x61, 0xff, 0x62)), "a\\xffb");
  assert.equal(isEscapedPath("a\\xffb"), true);
  assert.equal(pathToPlainText("a\\xffb"), null);
  assert.equal(pathToText(new TextEncoder().encode("a\\xffb")), "a\\x5cxffb");
  assert.equal(pathToPlainText("a\\x5cxffb"), "a\\xffb");
  assert.equal(isEscapedPath("a\\x5cxffb"), false);
});

Deno.test("displayPath() keeps a name with control characters on one line", () => {
  assert.equal(displayPath("a b"), "a b");
  assert.equal(displayPath("new\nline"), '"new\\nline"');
  assert.equal(displayPath("sep\u2028"), '"sep\\u2028"');
  assert.equal(displayPath("trail "), '"trail "');
});

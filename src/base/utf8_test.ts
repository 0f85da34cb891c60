import { strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { decodeUtf8, encodeUtf8, takePrefixWithin, takeSuffixWithin, utf8Length } from "./utf8.ts";

Deno.test("utf8Length() equals the encoder's length for any text", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    strictEqual(utf8Length(text), encodeUtf8(text).length);
  }));
});

Deno.test("takePrefixWithin() and takeSuffixWithin() cut between characters and within the limit", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (text, limit) => {
    const prefix = takePrefixWithin(text, limit);
    const suffix = takeSuffixWithin(text, limit);
    strictEqual(text.startsWith(prefix), true);
    strictEqual(text.endsWith(suffix), true);
    strictEqual(utf8Length(prefix) <= limit && utf8Length(suffix) <= limit, true);
    strictEqual(decodeUtf8(encodeUtf8(prefix)), prefix);
  }));
});

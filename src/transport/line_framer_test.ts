import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import { LineFramer } from "./line_framer.ts";

function lines(chunks: readonly Uint8Array[], maxBytes: number): (string | null)[] {
  const framer = new LineFramer(maxBytes);
  const out: (string | null)[] = [];
  for (const chunk of chunks) {
    for (const framed of framer.push(chunk)) {
      out.push(framed.kind === "line" ? new TextDecoder().decode(framed.bytes) : null);
    }
  }
  const rest = framer.end();
  return rest === null ? out : [...out, new TextDecoder().decode(rest)];
}

Deno.test("LineFramer gives the same lines however the bytes are cut into chunks", () => {
  const text = fc.array(fc.stringMatching(/^[a-z]{0,12}$/), { maxLength: 8 }).map((parts) => parts.join("\n"));
  fc.assert(fc.property(text, fc.array(fc.nat(100), { maxLength: 10 }), (whole, cuts) => {
    const bytes = new TextEncoder().encode(whole);
    const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
    const chunks = at.slice(1).map((end, i) => bytes.slice(at[i], end));
    deepStrictEqual(lines(chunks, 8), lines([bytes], 8));
  }));
});

Deno.test("LineFramer reports a line over the limit once and goes on with the next", () => {
  const bytes = new TextEncoder().encode("ok\n123456789\n12345678\nend");
  deepStrictEqual(lines([bytes], 8), ["ok", null, "12345678", "end"]);
  deepStrictEqual(lines([...bytes].map((byte) => new Uint8Array([byte])), 8), ["ok", null, "12345678", "end"]);
});

import { strictEqual } from "node:assert/strict";
import { stringifyResult } from "./stringify_result.ts";

Deno.test("a result with a picture has the JSON that JSON.stringify makes", () => {
  for (const length of [0, 100, 64 * 1024, 300_000]) {
    const image = { type: "image", data: "QUJD".repeat(length / 4), mimeType: "image/png" };
    const result = {
      resultType: "complete",
      content: [image, { type: "text", text: 'A "quoted"\nline' }],
      structuredContent: { ok: true, path: "a\u2028b.png" },
      isError: false,
    };
    strictEqual(stringifyResult(result), JSON.stringify(result));
  }
});

Deno.test("a result without a picture has it too", () => {
  const long = "x".repeat(100_000);
  for (
    const result of [{}, { content: [] }, { content: [{ type: "text", text: long }] }, { content: [{ data: long }] }]
  ) {
    strictEqual(stringifyResult(result), JSON.stringify(result));
  }
});

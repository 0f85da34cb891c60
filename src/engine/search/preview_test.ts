import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { previewOf } from "./preview.ts";

const line = (text: string) => new TextEncoder().encode(text);

Deno.test("previewOf() names the bound that cut the line", () => {
  deepStrictEqual(previewOf(line("short"), { matchAt: 0, limitBytes: 512 }), { text: "short", cutBy: null });
  strictEqual(previewOf(line("x".repeat(501)), { matchAt: 0, limitBytes: 4_096 }).cutBy, "chars");
  strictEqual(previewOf(line("x".repeat(501)), { matchAt: 0, limitBytes: 80 }).cutBy, "bytes");
  strictEqual(previewOf(line("x".repeat(400)), { matchAt: 0, limitBytes: 80 }).cutBy, "bytes");
  // The window around the match fits by itself, but only the bytes were too many.
  strictEqual(previewOf(line("é".repeat(300) + "needle"), { matchAt: 600, limitBytes: 80 }).cutBy, "bytes");
});

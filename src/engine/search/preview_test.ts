import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { previewOf } from "./preview.ts";

const line = (text: string) => new TextEncoder().encode(text);

Deno.test("previewOf() names the bound that cut the line", () => {
  deepStrictEqual(previewOf(line("short"), 0, 512), { text: "short", cutBy: null });
  strictEqual(previewOf(line("x".repeat(501)), 0, 4_096).cutBy, "chars");
  strictEqual(previewOf(line("x".repeat(501)), 0, 80).cutBy, "bytes");
  strictEqual(previewOf(line("x".repeat(400)), 0, 80).cutBy, "bytes");
  // The window around the match fits by itself, but only the bytes were too many.
  strictEqual(previewOf(line("é".repeat(300) + "needle"), 600, 80).cutBy, "bytes");
});

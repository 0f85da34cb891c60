import { deepStrictEqual } from "node:assert/strict";
import { giveBack } from "./give_back.ts";

Deno.test("giveBack() empties what owns its memory and leaves parts and WebAssembly alone", () => {
  const whole = new Uint8Array(100);
  const clamped = new Uint8ClampedArray(100);
  const part = new Uint8Array(100).subarray(1);
  const wasm = new Uint8Array(new WebAssembly.Memory({ initial: 1 }).buffer, 0, 100);
  const none = new Uint8Array(0);
  for (const bytes of [whole, clamped, part, wasm, none, whole]) giveBack(bytes);
  deepStrictEqual([whole, clamped, part, wasm, none].map(({ length }) => length), [0, 0, 99, 100, 0]);
});

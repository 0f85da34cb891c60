import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { viewImage } from "./view_image.ts";

const input = { path: "a.jpg", max_bytes: 5_242_880, max_width: 2_000, max_height: 2_000, auto_resize: true };
const output = {
  path: "a.jpg",
  mime_type: "image/jpeg",
  bytes: 900,
  width: 2_000,
  height: 1_500,
  resized: true,
  orientation: 1,
  frames: 1,
  original: { bytes: 4_000, width: 4_000, height: 3_000, mime_type: "image/jpeg" },
  warnings: ["The name ends in .png, but the content is image/jpeg."],
};

Deno.test("view_image's text names what is sent and what the file is", () => {
  deepStrictEqual(viewImage.render(output, input), {
    head: "Image: a.jpg (image/jpeg, 2000×1500)",
    body: "Sent 900 bytes; the file is image/jpeg, 4000×3000, 4000 bytes.",
    foot: "Warning: The name ends in .png, but the content is image/jpeg.",
  });
});

Deno.test("view_image's text says so when the file is sent as it is", () => {
  const unchanged = { ...output, bytes: 4_000, width: 4_000, height: 3_000, resized: false, warnings: [] };
  strictEqual(viewImage.render(unchanged, input).body, "4000 bytes, unchanged.");
});

/** Writes the WebAssembly of the WebP encoder into a module, because a bundle takes in no other files. */

import { Buffer } from "node:buffer";

const SOURCE = "@jsquash/webp/codec/enc/webp_enc.wasm";

/** Text of `src/engine/image/codec/webp_encoder_data.ts`. */
export async function webpEncoderModule(): Promise<string> {
  const bytes = await Deno.readFile(new URL(import.meta.resolve(SOURCE)));
  return `/** Made by \`deno task docs\` from ${SOURCE}: libwebp as WebAssembly, in base64. */\n\n` +
    `export const WEBP_ENCODER =\n  "${Buffer.from(bytes).toString("base64")}";\n`;
}

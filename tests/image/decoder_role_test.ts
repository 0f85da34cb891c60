/** The hidden role of the program that decodes pictures, driven by its messages as the server drives it. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { encodePng } from "../../src/engine/image/codec/encode_png.ts";
import {
  encodeMessageHead,
  type Message,
  MessageReader,
  type PictureReply,
  type PictureRequest,
} from "../../src/engine/image/decoder/decoder_messages.ts";
import { joinBytes, sampleRaster } from "../support/sample_images.ts";
import { serverCommand } from "../support/server_command.ts";

const LIMITS = { maxBytes: 1_000_000, maxWidth: 20, maxHeight: 20, autoResize: true };

function request(payload: Uint8Array): Uint8Array {
  const header: PictureRequest = { format: "png", limits: LIMITS };
  return joinBytes([encodeMessageHead(header, payload.length), payload]);
}

/** Runs the role on everything that it will ever read; gives the replies and the exit code. */
function decode(input: Uint8Array): { replies: Message<PictureReply>[]; status: number | null } {
  const [program, ...leading] = serverCommand();
  const ended = spawnSync(program, [...leading, "--role", "image-decoder"], { input, maxBuffer: 1 << 26 });
  const replies: Message<PictureReply>[] = [];
  let reader = new MessageReader<PictureReply>();
  // One byte at a time: nobody promises that a message comes whole.
  for (const byte of ended.stdout) {
    const message = reader.take(Uint8Array.of(byte));
    if (message === null) continue;
    replies.push(message);
    reader = new MessageReader();
  }
  return { replies, status: ended.status };
}

Deno.test("the decoder role answers a picture and ends with its input", () => {
  const small = encodePng(sampleRaster(10, 10));
  const { replies: [unchanged], status } = decode(request(small));
  strictEqual(status, 0);
  deepStrictEqual([unchanged?.header.kind, unchanged?.payload.length], ["unchanged", 0]);
  const { replies: [converted] } = decode(request(encodePng(sampleRaster(40, 30))));
  const { header } = converted as Message<PictureReply>;
  ok(header.kind === "converted");
  deepStrictEqual([header.format, header.width, header.height], ["png", 20, 15]);
});

Deno.test("the decoder role names what is wrong with a picture, and then makes way for a fresh process", () => {
  const damaged = encodePng(sampleRaster(10, 10)).subarray(0, 60);
  const { replies, status } = decode(request(damaged));
  deepStrictEqual([replies.length, replies[0]?.header.kind, status], [1, "fault", 0]);
});

Deno.test("a role that does not exist is no way into the program", () => {
  const [program, ...leading] = serverCommand();
  const { status, stderr } = spawnSync(program, [...leading, "--role", "shell"], { input: "", encoding: "utf8" });
  ok(status !== 0);
  ok(stderr.includes("no role is called shell"), stderr);
});

import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { encodePng } from "../codec/encode_png.ts";
import { sampleRaster } from "../../../../tests/support/sample_images.ts";
import { DecoderGone, type DecoderLink } from "./decoder_link.ts";
import type { Message, PictureReply, PictureRequest } from "./decoder_messages.ts";
import { encodeMessageHead, MessageReader } from "./decoder_messages.ts";
import { startDecoderWorker } from "./decoder_worker.ts";
import { DecodeTimeout, ImageDecoder } from "./image_decoder.ts";

const REQUEST: Message<PictureRequest> = {
  header: { format: "png", limits: { maxBytes: 1_000_000, maxWidth: 10, maxHeight: 10, autoResize: true } },
  payload: encodePng(sampleRaster(30, 20)),
};
const NEVER = new AbortController().signal;

/** A decoder that replies when told to. */
class FakeLink implements DecoderLink {
  alive = true;
  readonly gone = Promise.resolve();
  ended = 0;
  readonly running: PromiseWithResolvers<Message<PictureReply>>[] = [];

  decode(): Promise<Message<PictureReply>> {
    const waiting = Promise.withResolvers<Message<PictureReply>>();
    this.running.push(waiting);
    return waiting.promise;
  }

  reply(): void {
    const header = { kind: "fault", fault: "corrupt", message: "as told" } as const;
    this.running.shift()?.resolve({ header, payload: new Uint8Array(0) });
  }

  end(): void {
    this.alive = false;
    this.ended++;
    this.running.shift()?.reject(new DecoderGone("it was ended"));
  }
}

class FakeStarter {
  readonly links: FakeLink[] = [];
  readonly start = (): Promise<DecoderLink> => {
    const link = new FakeLink();
    this.links.push(link);
    return Promise.resolve(link);
  };
}

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; !condition(); i++) {
    ok(i < 2_000, "the condition never came true");
    await sleep(5);
  }
}

Deno.test("ImageDecoder starts nothing before the first picture and one decoder for all", async () => {
  const { links, start } = new FakeStarter();
  const decoder = new ImageDecoder({ start });
  strictEqual(links.length, 0);
  const first = decoder.decode(REQUEST, NEVER);
  const second = decoder.decode(REQUEST, NEVER);
  await until(() => links[0]?.running.length === 1);
  links[0]!.reply();
  await first;
  await until(() => links[0]!.running.length === 1);
  links[0]!.reply();
  await second;
  strictEqual(links.length, 1);
  await decoder.close();
  strictEqual(links[0]!.ended, 1);
});

Deno.test("ImageDecoder ends the decoder of a cancelled picture and serves the next one with a new one", async () => {
  const { links, start } = new FakeStarter();
  const decoder = new ImageDecoder({ start });
  const abort = new AbortController();
  const cancelled = decoder.decode(REQUEST, abort.signal);
  const next = decoder.decode(REQUEST, NEVER);
  await until(() => links[0]?.running.length === 1);
  abort.abort(new Error("nobody wants it"));
  await rejects(cancelled, /nobody wants it/);
  await until(() => links[1]?.running.length === 1);
  strictEqual(links[0]!.ended, 1);
  links[1]!.reply();
  await next;
  await decoder.close();
});

Deno.test("ImageDecoder ends a decoder that takes too long", async () => {
  const { links, start } = new FakeStarter();
  const decoder = new ImageDecoder({ start, limitMs: 20 });
  await rejects(decoder.decode(REQUEST, NEVER), DecodeTimeout);
  strictEqual(links[0]!.ended, 1);
  await decoder.close();
});

Deno.test("ImageDecoder ends an idle decoder", async () => {
  const { links, start } = new FakeStarter();
  const decoder = new ImageDecoder({ start, idleMs: 10 });
  const decoded = decoder.decode(REQUEST, NEVER);
  await until(() => links[0]?.running.length === 1);
  links[0]!.reply();
  await decoded;
  await until(() => links[0]!.ended === 1);
});

Deno.test("ImageDecoder starts another decoder when the waiting one had ended unseen", async () => {
  const { links, start } = new FakeStarter();
  const decoder = new ImageDecoder({ start });
  const first = decoder.decode(REQUEST, NEVER);
  await until(() => links[0]?.running.length === 1);
  links[0]!.reply();
  await first;
  const second = decoder.decode(REQUEST, NEVER);
  await until(() => links[0]!.running.length === 1);
  links[0]!.end();
  await until(() => links[1]?.running.length === 1);
  links[1]!.reply();
  await second;
  await decoder.close();
});

Deno.test("ImageDecoder passes on that a decoder ended by itself", async () => {
  const { links, start } = new FakeStarter();
  const decoder = new ImageDecoder({ start });
  const decoded = decoder.decode(REQUEST, NEVER);
  await until(() => links[0]?.running.length === 1);
  links[0]!.end();
  await rejects(decoded, DecoderGone);
  await decoder.close();
});

Deno.test("MessageReader puts a message together from single bytes", () => {
  const payload = Uint8Array.of(1, 2, 3);
  const bytes = [...encodeMessageHead({ word: "grüß" }, payload.length), ...payload];
  const reader = new MessageReader<{ word: string }>();
  const messages = bytes.map((byte) => reader.take(Uint8Array.of(byte))).filter((message) => message !== null);
  deepStrictEqual(messages, [{ header: { word: "grüß" }, payload }]);
});

Deno.test("where no child may be started, a Worker decodes", async () => {
  const link = startDecoderWorker(new URL("../../../../main.ts", import.meta.url).href);
  try {
    const { header, payload } = await link.decode(REQUEST);
    ok(header.kind === "converted");
    deepStrictEqual([header.format, header.width, header.height], ["png", 10, 7]);
    ok(payload.length > 60);
  } finally {
    link.end();
  }
});

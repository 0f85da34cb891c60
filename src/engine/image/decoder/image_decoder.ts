/** Gives pictures to one decoder, one after another: started when first used, ended when idle, cancelled or too slow. */

import { clearTimeout, setTimeout } from "node:timers";
import { DecoderGone, type DecoderLink } from "./decoder_link.ts";
import type { Message, PictureReply, PictureRequest } from "./decoder_messages.ts";

/** Idle time after which the decoder's memory is given back. */
const IDLE_MS = 30_000;
/** Longest work on one picture, start included; 64 megapixels of progressive JPEG take about 3 s. */
const DECODE_LIMIT_MS = 10_000;

/** How a decoder is started and how long it may live. */
export interface ImageDecoderOptions {
  readonly start: () => Promise<DecoderLink>;
  /** For one picture. */
  readonly limitMs?: number;
  /** Without a picture, until it is ended. */
  readonly idleMs?: number;
}

/** A picture took longer than the limit. */
export class DecodeTimeout extends Error {
  override readonly name = "DecodeTimeout";
  readonly limitMs: number;

  constructor(limitMs: number) {
    super(`decoding took longer than ${limitMs} ms`);
    this.limitMs = limitMs;
  }
}

/** At most one decoder at a time, whatever is asked for at once. */
export class ImageDecoder {
  readonly #options: ImageDecoderOptions;
  #link: DecoderLink | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ImageDecoderOptions) {
    this.#options = options;
  }

  /** Decodes after all earlier pictures. @throws DecodeTimeout, DecoderGone, or the reason of `signal` */
  decode(request: Message<PictureRequest>, signal: AbortSignal): Promise<Message<PictureReply>> {
    const decoded = this.#last.then(() => this.#decodeNow(request, signal));
    this.#last = decoded.catch(() => undefined);
    return decoded;
  }

  /** Ends the decoder and settles once it is gone; a later picture starts a new one. */
  async close(): Promise<void> {
    const link = this.#link;
    this.#endLink();
    await link?.gone;
  }

  #endLink(): void {
    clearTimeout(this.#idle);
    this.#link?.end();
    this.#link = null;
  }

  async #decodeNow(request: Message<PictureRequest>, signal: AbortSignal): Promise<Message<PictureReply>> {
    signal.throwIfAborted();
    clearTimeout(this.#idle);
    const limitMs = this.#options.limitMs ?? DECODE_LIMIT_MS;
    let stopped: unknown = null;
    const stop = (reason: unknown): void => {
      stopped ??= reason;
      this.#endLink();
    };
    const onAbort = (): void => stop(signal.reason);
    const timer = setTimeout(() => stop(new DecodeTimeout(limitMs)), limitMs);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const reused = this.#link?.alive === true;
      try {
        return await this.#decodeOnce(request, () => stopped !== null);
      } catch (fault) {
        // One that ended while it waited for work says nothing about this picture.
        if (!reused || stopped !== null || !(fault instanceof DecoderGone)) throw fault;
        return await this.#decodeOnce(request, () => stopped !== null);
      }
    } catch (fault) {
      throw stopped ?? fault;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      this.#idle = setTimeout(() => this.#endLink(), this.#options.idleMs ?? IDLE_MS);
      // The wait for idleness must not keep the server alive.
      this.#idle.unref();
    }
  }

  async #decodeOnce(request: Message<PictureRequest>, isStopped: () => boolean): Promise<Message<PictureReply>> {
    if (this.#link?.alive !== true) this.#link = await this.#options.start();
    // Stopped while it started: there was nothing to end then.
    if (isStopped()) this.#endLink();
    if (this.#link === null) throw new DecoderGone("it was ended");
    return await this.#link.decode(request);
  }
}

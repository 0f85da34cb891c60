/** The decoder in a Worker, where no child may be started. A Worker that loops cannot be stopped; it is left alone. */

import { DecoderGone, type DecoderLink } from "./decoder_link.ts";
import type { Message, PictureReply, PictureRequest } from "./decoder_messages.ts";

/** Name under which the entry recognises the role. */
const DECODER_WORKER_NAME = "vise:image-decoder";

/** Starts the entry `entryUrl` as a Worker in this role. */
export function startDecoderWorker(entryUrl: string): DecoderLink {
  return new DecoderWorker(entryUrl);
}

class DecoderWorker implements DecoderLink {
  readonly #worker: Worker;
  #waiting: PromiseWithResolvers<Message<PictureReply>> | null = null;
  readonly gone = Promise.resolve();
  readonly #listening = Promise.withResolvers<void>();
  #ended = false;

  constructor(entryUrl: string) {
    this.#worker = new Worker(entryUrl, { type: "module", name: DECODER_WORKER_NAME });
    this.#worker.onmessage = ({ data }: MessageEvent<Message<PictureReply> | null>) => {
      if (data === null) return this.#listening.resolve();
      this.#waiting?.resolve(data);
      this.#waiting = null;
      if (data.header.kind === "fault") this.end();
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.end(event.message);
    };
  }

  get alive(): boolean {
    return !this.#ended;
  }

  decode(request: Message<PictureRequest>): Promise<Message<PictureReply>> {
    const waiting = this.#waiting = Promise.withResolvers<Message<PictureReply>>();
    // The role is loaded after the Worker's start; what reaches it before it listens is lost.
    this.#listening.promise.then(() => this.#worker.postMessage(request));
    return waiting.promise;
  }

  end(reason = "it was ended"): void {
    this.#ended = true;
    this.#worker.terminate();
    this.#waiting?.reject(new DecoderGone(reason));
    this.#waiting = null;
  }
}

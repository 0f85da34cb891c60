/** One decoder that is running, wherever it runs. */

import type { Message, PictureReply, PictureRequest } from "./decoder_messages.ts";

/** Owned by whoever started it, who ends it. */
export interface DecoderLink {
  /** False once it cannot take another picture. */
  readonly alive: boolean;
  /** Sends one picture; at most one at a time. @throws DecoderGone when it ends before it replies */
  decode(request: Message<PictureRequest>): Promise<Message<PictureReply>>;
  /** Settles once nothing of it is left. */
  readonly gone: Promise<void>;
  /** Ends it at once, whatever it is doing; a running `decode` rejects. */
  end(): void;
}

/** The decoder ended without a reply; the message says how. */
export class DecoderGone extends Error {
  override readonly name = "DecoderGone";
}

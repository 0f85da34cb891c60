/**
 * The hidden role of the executable that decodes pictures (O-47): it reads a file from its standard input, writes the
 * reply to its standard output, and so on until its input ends. It opens nothing and knows no name.
 */

import { readSync, writeSync } from "node:fs";
import {
  encodeMessageHead,
  type Message,
  MessageReader,
  type PictureReply,
  type PictureRequest,
} from "./decoder/decoder_messages.ts";
import { giveBack } from "./codec/give_back.ts";
import { renderPicture } from "./decoder/render_picture.ts";

/** 1 MiB: pipes give at most 64 KiB at a time, files more. */
const PIECE_BYTES = 1 << 20;

/** Serves requests until the input ends; blocks while it waits, for this process has nothing else to do. */
export async function runImageDecoderRole(): Promise<void> {
  for (let request = readRequest(); request !== null; request = readRequest()) {
    const file = request.payload;
    const { header, payload } = await renderPicture(request, () => giveBack(file));
    giveBack(file);
    writeAll(encodeMessageHead(header, payload.length));
    writeAll(payload);
    giveBack(payload);
    // A library that trapped may be left in any state: the next picture gets a fresh process.
    if (header.kind === "fault") return;
  }
}

/** The same in a Worker, for where no child may be started. Says `null` once it listens: a message before that is lost. */
export function serveImageDecoderWorker(scope: DecoderScope): void {
  scope.onmessage = async ({ data }) => {
    try {
      scope.postMessage(await renderPicture(data));
    } catch (fault) {
      const message = fault instanceof Error ? fault.message : String(fault);
      scope.postMessage({ header: { kind: "fault", fault: "corrupt", message }, payload: new Uint8Array(0) });
    }
  };
  scope.postMessage(null);
}

/** The part of a Worker's global scope that is used here. */
export interface DecoderScope {
  onmessage: ((event: { data: Message<PictureRequest> }) => unknown) | null;
  postMessage(reply: Message<PictureReply> | null): void;
}

function readRequest(): Message<PictureRequest> | null {
  const reader = new MessageReader<PictureRequest>();
  const piece = new Uint8Array(PIECE_BYTES);
  for (;;) {
    const count = readSync(0, piece);
    if (count === 0) return null;
    const message = reader.take(piece.subarray(0, count));
    if (message !== null) return message;
  }
}

function writeAll(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(1, bytes, at);
}

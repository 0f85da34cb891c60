/** The decoder as a child process: it can be stopped at any moment, and all its memory goes with it. */

import type { Child, ChildHost, ExitFacts } from "../../../platform/child.ts";
import type { Launch } from "../../../platform/launch.ts";
import { DecoderGone, type DecoderLink } from "./decoder_link.ts";
import {
  encodeMessageHead,
  type Message,
  MessageReader,
  type PictureReply,
  type PictureRequest,
} from "./decoder_messages.ts";

/** One start of the role. */
export interface DecoderStart {
  readonly host: ChildHost;
  /** How the role is executed, confined where that is possible. */
  readonly launch: Launch;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** 1 MiB: copied in well under a millisecond, and sixteen times what a pipe holds. */
const PART_BYTES = 1 << 20;
/** Standard error kept for the message of a decoder that ended. */
const MAX_STDERR_BYTES = 2_000;
/** How long the last bytes of a process that has ended may take; a pipe is read within microseconds of being seen. */
const LAST_BYTES_MS = 200;
/** Characters of it in the message. */
const MAX_WORDS = 200;

/** Starts the decoder. @throws SystemError when no child can be started */
export function startDecoderProcess(start: DecoderStart): DecoderLink {
  return new DecoderProcess(start);
}

class DecoderProcess implements DecoderLink {
  readonly #child: Child;
  #reader = new MessageReader<PictureReply>();
  #waiting: PromiseWithResolvers<Message<PictureReply>> | null = null;
  readonly #exit = Promise.withResolvers<void>();
  readonly gone = this.#exit.promise;
  #stderr = "";
  #ended = false;
  #outputIsOver = false;
  #exitReason: string | null = null;

  constructor({ host, launch, env, cwd }: DecoderStart) {
    this.#child = host.spawn({
      launch,
      env,
      cwd,
      terminal: null,
      stdin: "pipe",
      events: {
        output: (stream, bytes) => stream === "stdout" ? this.#read(bytes) : this.#note(bytes),
        streamEnded: (stream) => stream === "stdout" && this.#outputEnded(),
        exited: (exit) => this.#exited(exit),
      },
    });
    this.#child.started.catch((fault: unknown) => this.#fail(fault instanceof Error ? fault.message : String(fault)));
  }

  get alive(): boolean {
    return !this.#ended;
  }

  decode({ header, payload }: Message<PictureRequest>): Promise<Message<PictureReply>> {
    const waiting = this.#waiting = Promise.withResolvers<Message<PictureReply>>();
    this.#reader = new MessageReader();
    void this.#send(encodeMessageHead(header, payload.length), payload);
    return waiting.promise;
  }

  /** In parts, because each is copied, and a large file at once would hold up everything else. */
  async #send(head: Uint8Array, payload: Uint8Array): Promise<void> {
    let open = this.#child.write(head);
    for (let at = 0; open && at < payload.length && !this.#ended; at += PART_BYTES) {
      open = this.#child.write(payload.subarray(at, at + PART_BYTES));
      await this.#child.drained();
    }
    if (!open) this.#fail("its input is closed");
  }

  end(): void {
    if (this.#ended) return;
    this.#child.signal("SIGKILL");
    this.#fail("it was ended");
  }

  #read(bytes: Uint8Array): void {
    try {
      const message = this.#reader.take(bytes);
      if (message === null) return;
      // After a fault the process ends by itself.
      if (message.header.kind === "fault") this.#ended = true;
      this.#waiting?.resolve(message);
      this.#waiting = null;
    } catch (fault) {
      this.end();
      this.#fail(`its reply makes no sense: ${fault instanceof Error ? fault.message : String(fault)}`);
    }
  }

  #note(bytes: Uint8Array): void {
    if (this.#stderr.length < MAX_STDERR_BYTES) this.#stderr += new TextDecoder().decode(bytes);
  }

  #exited({ exitCode, signal }: ExitFacts): void {
    const lines = this.#stderr.split("\n").filter((line) => /[a-z]/i.test(line));
    const words = (lines.find((line) => /error|failed/i.test(line)) ?? lines[0] ?? "").trim().slice(0, MAX_WORDS);
    this.#exitReason = `${signal === null ? `exit code ${exitCode}` : `signal ${signal}`}${words && `, ${words}`}`;
    // The end of a process is seen before the last bytes of its pipe: the reply may still be on its way.
    if (this.#outputIsOver) this.#gone();
    else setTimeout(() => this.#gone(), LAST_BYTES_MS);
  }

  #outputEnded(): void {
    this.#outputIsOver = true;
    if (this.#exitReason !== null) this.#gone();
  }

  #gone(): void {
    if (this.#exitReason === null) return;
    this.#fail(this.#exitReason);
    this.#exitReason = null;
    this.#child.release();
    this.#exit.resolve();
  }

  #fail(reason: string): void {
    this.#ended = true;
    this.#waiting?.reject(new DecoderGone(reason));
    this.#waiting = null;
  }
}

/**
 * The stdio transport (MCP 2025-11-25 and 2026-07-28, "stdio"): one JSON text per line in both directions.
 *
 * Requests run concurrently and are answered in the order they finish (O-12). Standard output carries protocol only.
 */

import type { Channel } from "../protocol/channel.ts";
import { Dispatcher } from "../protocol/dispatch.ts";
import { InFlight } from "../protocol/in_flight.ts";
import { idKey, type Message, parseMessage, type ResponseMessage } from "../protocol/message.ts";
import { errorReply, INVALID_REQUEST, ProtocolError } from "../protocol/protocol_error.ts";
import type { Ask, Served } from "../protocol/served.ts";
import { encodedParts } from "./encoded_parts.ts";
import { LineFramer, MAX_LINE_BYTES } from "./line_framer.ts";

/** One read of standard input: the size of a Linux pipe (pipe(7)). */
const READ_BYTES = 65_536;
/** Requests served at once; beyond it input waits in the pipe, so that a flood cannot fill the memory. */
const MAX_IN_FLIGHT = 1_024;
/** Unsent answers in UTF-16 code units; beyond it input waits as well: a client that does not read is not served further. */
const MAX_QUEUED_LENGTH = 32 * 1024 * 1024;
/** A person may take this long to answer a question; then it counts as cancelled. */
const ASK_TIMEOUT_MS = 120_000;
/** How long finishing requests may take once input has ended, before and after the commands were told to end. */
const SETTLE_MS = 200;
const DRAIN_MS = 1_500;

/** What the one connection serves, and what must happen around it. */
export interface StdioOptions {
  readonly served: Served;
  /** Called once the first message is waited for: what is needed before it is answered takes no time of its own here. */
  readonly whileWaiting: () => void;
  /** Called once the handshake was answered, or when a client does without it; may be called again. */
  readonly afterHandshake: () => void;
  /** Ends what the requests started (commands first); awaited before the last answers are flushed. */
  readonly shutDown: () => Promise<void>;
}

/** Serves until standard input ends or standard output is closed by the other side. */
export async function serveStdio({ served, whileWaiting, afterHandshake, shutDown }: StdioOptions): Promise<void> {
  const buffer = new Uint8Array(READ_BYTES);
  const firstRead = readInput(buffer);
  // Nothing on stdio ever needs the network, so no fault of ours may reach it (O-53). Commands have their own rules.
  Deno.permissions.revokeSync({ name: "net" });
  whileWaiting();
  const output = new OutputQueue();
  const session = new StdioSession({ served, afterHandshake }, output);
  const framer = new LineFramer();
  for (let reading = firstRead;; reading = readInput(buffer)) {
    const count = await Promise.race([reading, output.broken]);
    if (typeof count !== "number") break;
    for (const framed of framer.push(buffer.subarray(0, count))) {
      if (framed.kind === "line") session.receive(framed.bytes);
      else session.refuseLongLine();
    }
    await session.ready();
  }
  const rest = framer.end();
  if (rest !== null) session.receive(rest);
  session.endQuestions();
  await session.settled(SETTLE_MS);
  await shutDown();
  await session.settled(DRAIN_MS);
  session.close();
  await output.drained(DRAIN_MS);
}

/** Bytes read into `buffer`, or null at the end of the input and when it cannot be read. */
function readInput(buffer: Uint8Array): Promise<number | null> {
  return Deno.stdin.read(buffer).catch(() => null);
}

class StdioSession {
  readonly #dispatcher: Dispatcher;
  readonly #output: OutputQueue;
  readonly #closed = new AbortController();
  readonly #inFlight = new InFlight();
  readonly #running = new Set<Promise<void>>();
  readonly #asked = new Map<string, (message: ResponseMessage) => void>();
  readonly #afterHandshake: () => void;
  readonly #noAnswer = Promise.withResolvers<undefined>();
  #askCount = 0;
  #clientAsks = false;
  readonly #channel: Channel;

  constructor({ served, afterHandshake }: Pick<StdioOptions, "served" | "afterHandshake">, output: OutputQueue) {
    this.#dispatcher = new Dispatcher(served);
    this.#output = output;
    this.#afterHandshake = afterHandshake;
    const ask: Ask = (message, schema) => this.#ask(message, schema);
    const clientAsks = () => this.#clientAsks;
    this.#channel = {
      principal: "",
      inFlight: this.#inFlight,
      closed: this.#closed.signal,
      send: (text) => output.send(text),
      onInitialize: (declares) => {
        this.#clientAsks = declares;
      },
      get ask(): Ask | undefined {
        return clientAsks() ? ask : undefined;
      },
    };
  }

  /** Resolves when one more message may be read. */
  async ready(): Promise<void> {
    await this.#output.below(MAX_QUEUED_LENGTH);
    while (this.#running.size >= MAX_IN_FLIGHT) await Promise.race(this.#running);
  }

  receive(bytes: Uint8Array): void {
    const message = parseMessage(bytes);
    if (message === null) return;
    const work = this.#handle(message).finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  refuseLongLine(): void {
    const error = new ProtocolError(
      INVALID_REQUEST,
      `Invalid Request: the line is longer than ${MAX_LINE_BYTES} bytes`,
      {
        max_bytes: MAX_LINE_BYTES,
      },
    );
    this.#output.send(errorReply("null", error));
  }

  /** Nobody is left to answer what was asked: every question counts as cancelled, now and later. */
  endQuestions(): void {
    this.#noAnswer.resolve(undefined);
  }

  async settled(limitMs: number): Promise<void> {
    if (this.#running.size === 0) return;
    await Promise.race([Promise.all(this.#running), delay(limitMs)]);
  }

  close(): void {
    this.#closed.abort();
  }

  async #handle(message: Message): Promise<void> {
    switch (message.kind) {
      case "bad":
        return this.#output.send(errorReply(message.idText, message.error));
      case "notification":
        return this.#dispatcher.notify(message, this.#channel);
      case "response":
        return this.#asked.get(idKey(message.idText))?.(message);
      case "request": {
        const isHandshake = message.method === "initialize" || message.method === "server/discover";
        if (!isHandshake) this.#afterHandshake();
        const reply = await this.#dispatcher.request(message, this.#channel);
        if (reply !== null) this.#output.send(reply.text);
        if (isHandshake) this.#output.written().then(this.#afterHandshake);
      }
    }
  }

  async #ask(message: string, requestedSchema: Record<string, unknown>): ReturnType<Ask> {
    const idText = `"vise-${++this.#askCount}"`;
    const params = { mode: "form", message, requestedSchema };
    const answered = new Promise<ResponseMessage>((resolve) => this.#asked.set(idText, resolve));
    this.#output.send(
      `{"jsonrpc":"2.0","id":${idText},"method":"elicitation/create","params":${JSON.stringify(params)}}`,
    );
    const answer = await Promise.race([answered, this.#noAnswer.promise, delay(ASK_TIMEOUT_MS)]);
    this.#asked.delete(idText);
    const result = answer?.result as { action?: unknown; content?: unknown } | null | undefined;
    const action = result?.action;
    if (action !== "accept" && action !== "decline") return { action: "cancel" };
    const content = result?.content;
    return typeof content === "object" && content !== null
      ? { action, content: content as Record<string, unknown> }
      : { action };
  }
}

/** Writes whole lines one after the other, without ever mixing two. */
class OutputQueue {
  #queue: string[] = [];
  #queuedLength = 0;
  #writing: Promise<void> | null = null;
  #waiting: (() => void)[] = [];
  #break: () => void = () => {};
  #isBroken = false;
  /** Settles when the other side closed standard output. */
  readonly broken: Promise<null>;

  constructor() {
    this.broken = new Promise((resolve) => (this.#break = () => resolve(null)));
  }

  send(text: string): void {
    if (this.#isBroken) return;
    this.#queue.push(text + "\n");
    this.#queuedLength += text.length + 1;
    this.#writing ??= this.#write();
  }

  /** Resolves when less than `limit` waits to be written, UTF-16 code units. */
  async below(limit: number): Promise<void> {
    while (this.#queuedLength >= limit && !this.#isBroken) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Resolves once everything sent so far is written, or never will be. */
  async written(): Promise<void> {
    await this.#writing;
  }

  async drained(limitMs: number): Promise<void> {
    if (this.#writing !== null) await Promise.race([this.#writing, delay(limitMs)]);
  }

  async #write(): Promise<void> {
    try {
      for (let text = this.#queue.shift(); text !== undefined; text = this.#queue.shift()) {
        for (const bytes of encodedParts(text)) {
          for (let at = 0; at < bytes.length;) at += await Deno.stdout.write(bytes.subarray(at));
        }
        this.#queuedLength -= text.length;
        for (const resume of this.#waiting.splice(0)) resume();
      }
    } catch {
      // The client closed its end (EPIPE): nobody is left to answer, the server ends quietly.
      this.#isBroken = true;
      this.#queue = [];
      for (const resume of this.#waiting.splice(0)) resume();
      this.#break();
    } finally {
      this.#writing = null;
    }
  }
}

/** Resolves with undefined after `ms`. The process ends by `main.ts`, so a pending timer never holds it. */
function delay(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms));
}

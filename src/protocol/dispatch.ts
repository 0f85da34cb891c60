/** Method name → handler, per era. Knows tools only as "list" and "call". */

import type { Channel } from "./channel.ts";
import { type Era, eraOf } from "./era.ts";
import type { RunningRequest } from "./in_flight.ts";
import { idKey, isObject, type NotificationMessage, type Params, type RequestMessage } from "./message.ts";
import { progressReporter } from "./progress.ts";
import {
  errorReply,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  ProtocolError,
} from "./protocol_error.ts";
import * as handshake from "./rev_2025_11_25/codec.ts";
import * as stateless from "./rev_2026_07_28/codec.ts";
import type { RequestStates } from "./rev_2026_07_28/request_state.ts";
import { showsForms } from "./shows_forms.ts";
import type { Ask, ElicitAnswer, Served, ServedCallOptions } from "./served.ts";

/** An answer ready for the wire; `errorCode` lets HTTP choose its status. */
export interface Reply {
  readonly text: string;
  readonly errorCode: number | null;
  readonly era: Era;
}

/** Serves the messages of all connections of a run; keeps no state of a client. */
export class Dispatcher {
  readonly #served: Served;
  readonly #announced = new Set<string>();
  #busy = 0;
  #whenIdle: (() => void)[] = [];
  #states: RequestStates | undefined;

  constructor(served: Served) {
    this.#served = served;
  }

  /** Requests that are being served. */
  get busy(): number {
    return this.#busy;
  }

  /** Resolves when no request is being served. */
  async idle(): Promise<void> {
    while (this.#busy > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  /** Serves a notification: only cancellation does anything (O-18). */
  notify(message: NotificationMessage, channel: Channel): void {
    if (message.cancelledKey !== null) channel.inFlight.cancel(message.cancelledKey);
  }

  /** Serves a request. Null when nothing may be answered: it was cancelled, or its id is null. Never rejects. */
  async request(message: RequestMessage, channel: Channel): Promise<Reply | null> {
    const { idText, method, params } = message;
    const era = eraOf({ method, params, versionHeader: channel.versionHeader });
    const running = channel.inFlight.begin(idKey(idText), channel.closed);
    this.#busy++;
    try {
      const result = await this.#serve(message, { channel, era, running });
      if (running.cancelled || idText === "null") return null;
      return { text: `{"jsonrpc":"2.0","id":${idText},"result":${result}}`, errorCode: null, era };
    } catch (fault) {
      if (running.cancelled) return null;
      const error = fault instanceof ProtocolError ? fault : this.#unexpected(fault);
      return { text: errorReply(idText, error), errorCode: error.code, era };
    } finally {
      running.done();
      if (--this.#busy === 0) { for (const resume of this.#whenIdle.splice(0)) resume(); }
    }
  }

  #serve(message: RequestMessage, scene: Scene): Promise<string> {
    return scene.era === "handshake" ? this.#serveHandshake(message, scene) : this.#serveStateless(message, scene);
  }

  async #serveHandshake({ idText, method, params }: RequestMessage, scene: Scene): Promise<string> {
    const { info, catalog } = this.#served;
    switch (method) {
      case "initialize": {
        if (idText === "null") throw new ProtocolError(INVALID_REQUEST, "Invalid Request: initialize needs an id");
        scene.channel.onInitialize?.(handshake.declaresElicitation(params));
        this.#announce(`handshake ${handshake.negotiate(params["protocolVersion"])}`);
        const instructions = await this.#served.instructions();
        return handshake.initializeResult({ requested: params["protocolVersion"], info, instructions });
      }
      case "ping":
        return "{}";
      case "tools/list":
        return handshake.listResult(catalog.listText());
      case "tools/call": {
        const ask = scene.channel.ask;
        const result = await this.#call(params, scene, ask === undefined ? {} : { elicit: ask });
        return handshake.callResult(result);
      }
      default:
        throw new ProtocolError(METHOD_NOT_FOUND, `Unknown method: ${method}`);
    }
  }

  async #serveStateless({ method, params }: RequestMessage, scene: Scene): Promise<string> {
    const { info, catalog } = this.#served;
    if (!STATELESS_METHODS.has(method)) throw new ProtocolError(METHOD_NOT_FOUND, `Unknown method: ${method}`);
    const meta = stateless.readMeta(params);
    this.#announce(method === "server/discover" ? "server/discover probe" : `stateless ${method}`);
    switch (method) {
      case "server/discover":
        return stateless.discoverResult({ info, instructions: await this.#served.instructions() });
      case "tools/list":
        return stateless.listResult(catalog.listText(), info);
      default:
        return await this.#callStateless(params, scene, meta);
    }
  }

  async #callStateless(params: Params, scene: Scene, meta: stateless.RequestMeta): Promise<string> {
    const { info } = this.#served;
    if (Object.keys(meta.capabilities).length === 0 && params["requestState"] === undefined) {
      return stateless.callResult(await this.#call(params, scene, {}), info);
    }
    const { openInputRound } = await import("./rev_2026_07_28/input_round.ts");
    const { RequestStates } = await import("./rev_2026_07_28/request_state.ts");
    const states = this.#states ??= new RequestStates();
    const subject = {
      tool: String(params["name"]),
      args: params["arguments"] ?? {},
      principal: scene.channel.principal,
    };
    const { input, asked } = openInputRound({ params, meta, subject, states });
    const elicit: Ask = async (message, requestedSchema) => {
      const request = { method: "elicitation/create", params: { mode: "form", message, requestedSchema } };
      return (await input({ [QUESTION]: request }))[QUESTION] as ElicitAnswer;
    };
    const asks = showsForms(meta.capabilities) ? { input, elicit } : { input };
    const call = this.#call(params, scene, asks).then((result) => stateless.callResult(result, info));
    return await Promise.race([asked.then((required) => stateless.inputRequiredResult(required, info)), call]);
  }

  async #call(
    params: Params,
    { channel, running }: Scene,
    asks: Pick<ServedCallOptions, "elicit" | "input">,
  ): ReturnType<Served["catalog"]["call"]> {
    const { catalog } = this.#served;
    const name = params["name"];
    if (typeof name !== "string") {
      throw new ProtocolError(INVALID_PARAMS, "Invalid params: name must be a string", { reason: "name" });
    }
    const args = readArguments(params["arguments"]);
    if (!catalog.names().includes(name)) {
      const { nearestName } = await import("../base/nearest_name.ts");
      throw new ProtocolError(INVALID_PARAMS, `Unknown tool: ${name}`, {
        reason: "unknown_tool",
        nearest: nearestName(name, catalog.names()),
        tools: catalog.names(),
      });
    }
    const progress = progressReporter(params["_meta"], channel.send);
    const options: ServedCallOptions = {
      ...asks,
      signal: running.signal,
      principal: channel.principal,
      onUnanswered: (undo) => running.onUnanswered(undo),
      ...(progress === undefined ? {} : { progress }),
    };
    return await catalog.call(name, args, options);
  }

  /** One line the first time an era is served, so that a person sees in the log what the client speaks. */
  #announce(what: string): void {
    const kind = what.split(" ", 1)[0] as string;
    if (this.#announced.has(kind)) return;
    this.#announced.add(kind);
    this.#served.log(`serving ${what}`);
  }

  #unexpected(fault: unknown): ProtocolError {
    this.#served.log(`internal error: ${fault instanceof Error ? fault.stack ?? fault.message : String(fault)}`);
    return new ProtocolError(INTERNAL_ERROR, "Internal error");
  }
}

interface Scene {
  readonly channel: Channel;
  readonly era: Era;
  readonly running: RunningRequest;
}

/** Key of the one question that a tool of the product asks. */
const QUESTION = "confirmation";

/** `ping` and `initialize` are gone from this era (O-15). */
const STATELESS_METHODS: ReadonlySet<string> = new Set(["server/discover", "tools/list", "tools/call"]);

/** Missing, null and an empty array count as no arguments (contract 1.4). @throws ProtocolError −32602 */
function readArguments(value: unknown): Params {
  if (value === undefined || value === null) return {};
  if (Array.isArray(value) && value.length === 0) return {};
  if (isObject(value)) return value;
  throw new ProtocolError(INVALID_PARAMS, "Invalid params: arguments must be an object", { reason: "arguments" });
}

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { Channel } from "./channel.ts";
import { Dispatcher } from "./dispatch.ts";
import { InFlight } from "./in_flight.ts";
import { parseMessage, type RequestMessage } from "./message.ts";
import type { Served, ServedCallOptions } from "./served.ts";

type Call = (options: ServedCallOptions) => Promise<string>;

/** A product with one tool, `tool`, that does what `call` says. */
function serve(call: Call) {
  const log: string[] = [];
  const served: Served = {
    info: { name: "t", title: "T", version: "0" },
    catalog: {
      listText: () => "[]",
      names: () => ["tool"],
      call: async (_name, _args, options) => ({
        content: [{ type: "text", text: await call(options) }],
        isError: false,
      }),
    },
    instructions: () => Promise.resolve(""),
    log: (line) => void log.push(line),
  };
  const inFlight = new InFlight();
  const channel: Channel = { principal: "", inFlight, closed: new AbortController().signal, send: null };
  const dispatcher = new Dispatcher(served);
  const request = async (message: Record<string, unknown>) => {
    const bytes = new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }));
    const reply = await dispatcher.request(parseMessage(bytes) as RequestMessage, channel);
    return reply === null ? null : { ...JSON.parse(reply.text), errorCode: reply.errorCode };
  };
  const callTool = (more: Record<string, unknown> = {}) =>
    request({ method: "tools/call", params: { name: "tool", arguments: {}, ...more } });
  return { dispatcher, inFlight, log, request, callTool };
}

function stateless(capabilities: Record<string, unknown>, more: Record<string, unknown> = {}) {
  return {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    },
    ...more,
  };
}

const ASK_MODEL = { question: { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } } };

Deno.test("a fault of ours is answered by an internal error without its words, and the log has them", async () => {
  const { callTool, log } = serve(() => Promise.reject(new Error("secret detail")));
  const { error, errorCode } = await callTool();
  deepStrictEqual([error.code, error.message, errorCode], [-32603, "Internal error", -32603]);
  strictEqual(JSON.stringify(error).includes("secret"), false);
  match(log.join("\n"), /^internal error: Error: secret detail\n/m);
});

Deno.test("a cancelled request gets no answer, whether its work then succeeds or fails", async () => {
  for (const end of ["resolve", "reject"] as const) {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const { callTool, inFlight, dispatcher, log } = serve(() => promise);
    const answer = callTool();
    strictEqual(dispatcher.busy, 1);
    inFlight.cancel("1");
    if (end === "resolve") resolve("done");
    else reject(new Error("aborted"));
    strictEqual(await answer, null);
    strictEqual(dispatcher.busy, 0);
    deepStrictEqual(log.filter((line) => line.startsWith("internal error")), []);
  }
});

Deno.test("initialize with a null id is refused, for the client could not match the answer", async () => {
  const { request } = serve(() => Promise.resolve(""));
  strictEqual((await request({ id: null, method: "initialize", params: {} }))?.error.code, -32600);
});

Deno.test("a call that needs what the client cannot do names the missing capability", async () => {
  const { callTool } = serve(async ({ input }) => JSON.stringify(await input?.(ASK_MODEL)));
  const { error } = await callTool(stateless({ elicitation: {} }));
  match(error.message, /^Missing required client capability: sampling$/);
  deepStrictEqual(error.data, { requiredCapabilities: { sampling: {} } });
});

Deno.test("questions travel to the client once, and its answers count only with the state that came with them", async () => {
  const { callTool } = serve(async ({ input }) => JSON.stringify(await input?.(ASK_MODEL)));
  const capable = { sampling: {} };
  const first = (await callTool(stateless(capable))).result;
  deepStrictEqual([first.resultType, first.inputRequests], ["input_required", ASK_MODEL]);
  const inputResponses = { question: { role: "assistant", model: "m", content: { type: "text", text: "four" } } };
  // Without the state nothing proves that they were asked: the call asks again.
  strictEqual((await callTool(stateless(capable, { inputResponses }))).result.resultType, "input_required");
  const wrongShape = { requestState: first.requestState, inputResponses: { question: "four" } };
  const again = (await callTool(stateless(capable, wrongShape))).result;
  strictEqual(again.resultType, "input_required");
  const answered = await callTool(stateless(capable, { inputResponses, requestState: again.requestState }));
  deepStrictEqual(JSON.parse(answered.result.content[0].text), inputResponses);
  for (const requestState of [again.requestState, "made up", 7]) {
    const { error } = await callTool(stateless(capable, { inputResponses, requestState }));
    deepStrictEqual([error.code, error.data], [-32602, { reason: "request_state" }]);
  }
});

Deno.test("meta of the wrong shape is refused with the name of the field", async () => {
  const { request } = serve(() => Promise.resolve(""));
  const { _meta } = stateless({});
  for (const [field, value] of [["clientCapabilities", []], ["clientInfo", "me"], ["protocolVersion", 7]] as const) {
    const params = { _meta: { ..._meta, [`io.modelcontextprotocol/${field}`]: value } };
    const { error } = await request({ method: "server/discover", params });
    strictEqual(error.code, -32602, field);
    match(error.message, new RegExp(field));
  }
});

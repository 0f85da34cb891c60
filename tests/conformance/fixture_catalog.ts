/**
 * A catalog with the tools that the official conformance suite calls by name.
 *
 * It exists only for that suite and sits on the same protocol and HTTP rooms as the product's catalog.
 */

import { MISSING_CAPABILITY, ProtocolError } from "../../src/protocol/protocol_error.ts";
import type { CallResult } from "../../src/catalog/envelope.ts";
import type { ClientRequests, ServedCallOptions, ServedCatalog } from "../../src/protocol/served.ts";
import type { Params } from "../../src/protocol/message.ts";

type Run = (args: Params, options: ServedCallOptions) => Promise<CallResult> | CallResult;

/** One red pixel, PNG. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** 8 samples of silence, WAV. */
const SILENCE = "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==";
const STEP_MS = 260;

const image = { type: "image", data: PIXEL, mimeType: "image/png" };

function text(value: string): CallResult {
  return { content: [{ type: "text", text: value }], isError: false };
}

function resource(uri: string, mimeType: string, value: string): Record<string, unknown> {
  return { type: "resource", resource: { uri, mimeType, text: value } };
}

function elicitation(message: string, properties: Record<string, unknown>): ClientRequests[string] {
  const requestedSchema = { type: "object", properties, required: Object.keys(properties) };
  return { method: "elicitation/create", params: { mode: "form", message, requestedSchema } };
}

const askName = (message: string) => elicitation(message, { name: { type: "string" } });
const askModel = (question: string, maxTokens: number): ClientRequests[string] => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: question } }], maxTokens },
});
const askRoots: ClientRequests[string] = { method: "roots/list", params: {} };

/** Asks the client; a client of the handshake era cannot be asked this way. */
async function ask(options: ServedCallOptions, requests: ClientRequests): Promise<Readonly<Record<string, unknown>>> {
  if (options.input !== undefined) return await options.input(requests);
  const names = Object.values(requests).map(({ method }) => method.split("/", 1)[0] as string);
  throw new ProtocolError(MISSING_CAPABILITY, `Missing required client capability: ${names.join(", ")}`, {
    requiredCapabilities: Object.fromEntries(names.map((name) => [name, {}])),
  });
}

function contentOf(answer: unknown): Record<string, unknown> {
  return (answer as { content?: Record<string, unknown> } | undefined)?.content ?? {};
}

const TOOLS: Readonly<Record<string, Run>> = {
  test_simple_text: () => text("This is a simple text response for testing."),
  test_image_content: () => ({ content: [image], isError: false }),
  test_audio_content: () => ({ content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }], isError: false }),
  test_embedded_resource: () => ({
    content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
    isError: false,
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
    isError: false,
  }),
  test_error_handling: () => ({
    content: [{ type: "text", text: "This tool intentionally returns an error for testing" }],
    isError: true,
  }),
  test_tool_with_progress: async (_, { progress }) => {
    for (const done of [0, 50, 100]) {
      progress?.(done, undefined, 100);
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
    return text("done");
  },
  test_missing_capability: async (_, options) => {
    await ask(options, { question: askModel("Anything?", 10) });
    return text("sampled");
  },
  test_streaming_elicitation: async (_, options) => {
    await ask(options, { user_name: askName("What is your name?") });
    return text("asked");
  },
  test_logging_tool: () => text("This server writes its log to standard error only."),
  test_input_required_result_elicitation: async (_, options) => {
    const { user_name } = await ask(options, { user_name: askName("What is your name?") });
    return text(`Hello, ${contentOf(user_name)["name"]}!`);
  },
  test_input_required_result_sampling: async (_, options) => {
    const { capital_question } = await ask(options, {
      capital_question: askModel("What is the capital of France?", 100),
    });
    return text(String(contentOf(capital_question)["text"] ?? "no text"));
  },
  test_input_required_result_list_roots: async (_, options) => {
    const { client_roots } = await ask(options, { client_roots: askRoots });
    return text(JSON.stringify((client_roots as { roots?: unknown }).roots ?? []));
  },
  test_input_required_result_request_state: async (_, options) => {
    await ask(options, { confirm: elicitation("Please confirm", { ok: { type: "boolean" } }) });
    return text("state-ok");
  },
  test_input_required_result_tampered_state: async (_, options) => {
    await ask(options, { confirm: elicitation("Please confirm", { ok: { type: "boolean" } }) });
    return text("state-ok");
  },
  test_input_required_result_capabilities: async (_, options) => {
    // A client without forms may still have a model that can be asked.
    await ask(options, { user_name: askName("What is your name?") }).catch((fault: unknown) => {
      if (!(fault instanceof ProtocolError)) throw fault;
      return ask(options, { name_guess: askModel("Which name would you like?", 20) });
    });
    return text("asked");
  },
  test_input_required_result_multiple_inputs: async (_, options) => {
    const answers = await ask(options, {
      user_name: askName("What is your name?"),
      greeting: askModel("Generate a greeting", 50),
      client_roots: askRoots,
    });
    return text(JSON.stringify(answers));
  },
  test_input_required_result_multi_round: async (_, options) => {
    const { step1 } = await ask(options, { step1: askName("Step 1: What is your name?") });
    const { step2 } = await ask(options, {
      step2: elicitation("Step 2: What is your favorite color?", { color: { type: "string" } }),
    });
    return text(`${contentOf(step1)["name"]} likes ${contentOf(step2)["color"]}`);
  },
};

/** The tools that the official suite asks for, by name. */
export const fixtureCatalog: ServedCatalog = {
  names: () => Object.keys(TOOLS),
  listText: () =>
    JSON.stringify(
      Object.keys(TOOLS).map((name) => ({ name, description: `Fixture ${name}`, inputSchema: { type: "object" } })),
    ),
  call: async (name, args, options) => await (TOOLS[name] as Run)(args, options),
};

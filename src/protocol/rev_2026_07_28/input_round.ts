/** One round of a call of the stateless era that needs something from its client: asks, or answers from what it brought. */

import { isObject, type Params } from "../message.ts";
import { INVALID_PARAMS, MISSING_CAPABILITY, ProtocolError } from "../protocol_error.ts";
import type { ClientRequests } from "../served.ts";
import type { RequestMeta } from "./codec.ts";
import type { Answers, RequestStates, StateSubject } from "./request_state.ts";

/** Questions for the client and the state it must send back with the answers. */
export interface InputRequired {
  readonly requests: ClientRequests;
  readonly requestState: string;
}

/** The client's side of one round, as the call sees it. */
export interface InputRound {
  /** Resolves with the answers to all of `requests`, or ends this round by asking for the ones that are missing. */
  readonly input: (requests: ClientRequests) => Promise<Answers>;
  /** Settles when the call asked for something it did not bring; never settles otherwise. */
  readonly asked: Promise<InputRequired>;
}

/** What a round is opened from. */
export interface RoundScene {
  readonly params: Params;
  readonly meta: RequestMeta;
  readonly subject: StateSubject;
  readonly states: RequestStates;
}

/**
 * Takes what the request brought; nothing is asked until the call asks.
 *
 * @throws ProtocolError for a state that is not ours
 */
export function openInputRound({ params, meta, subject, states }: RoundScene): InputRound {
  const answers = broughtAnswers(params, subject, states);
  let settle: (required: InputRequired) => void = () => {};
  const asked = new Promise<InputRequired>((resolve) => (settle = resolve));
  const input = (requests: ClientRequests): Promise<Answers> => {
    const missing = Object.entries(requests).filter(([key, { method }]) => !isAnswer(answers[key], method));
    if (missing.length === 0) return Promise.resolve(answers);
    const lacking = missing.map(([, { method }]) => capabilityOf(method)).filter((name) =>
      !isObject(meta.capabilities[name])
    );
    if (lacking.length > 0) return Promise.reject(missingCapabilities(lacking));
    settle({ requests: Object.fromEntries(missing), requestState: states.issue(subject, answers) });
    return Promise.reject(new RoundEnded());
  };
  return { input, asked };
}

/** Ends the work of a round whose questions travel to the client; its result is thrown away. */
class RoundEnded extends Error {
  // The name by which everything knows work that was stopped: nobody is to log it as a fault.
  override readonly name = "AbortError";

  constructor() {
    super("The questions travel to the client; this round ends here");
  }
}

/** Answers count only together with the state that was issued with their questions: nothing else proves that they were asked. */
function broughtAnswers(params: Params, subject: StateSubject, states: RequestStates): Answers {
  const state = params["requestState"];
  if (state === undefined) return {};
  const earlier = typeof state === "string" ? states.redeem(state, subject) : null;
  if (earlier === null) {
    throw new ProtocolError(
      INVALID_PARAMS,
      "Invalid params: requestState is not valid for this call; make the call again without it",
      {
        reason: "request_state",
      },
    );
  }
  const responses = params["inputResponses"];
  return isObject(responses) ? { ...earlier, ...responses } : earlier;
}

/** A wrong shape is no answer, so that the question is asked again instead of failing the call. */
function isAnswer(value: unknown, method: string): boolean {
  if (!isObject(value)) return false;
  if (method !== "elicitation/create") return true;
  const action = value["action"];
  return action === "decline" || action === "cancel" || (action === "accept" && isObject(value["content"]));
}

/** Client capability that a request needs (MCP 2026-07-28, ClientCapabilities). */
function capabilityOf(method: string): string {
  return method.split("/", 1)[0] as string;
}

function missingCapabilities(names: readonly string[]): ProtocolError {
  const required = Object.fromEntries(names.map((name) => [name, {}]));
  return new ProtocolError(
    MISSING_CAPABILITY,
    `Missing required client capability: ${[...new Set(names)].join(", ")}`,
    {
      requiredCapabilities: required,
    },
  );
}

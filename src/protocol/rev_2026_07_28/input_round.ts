/** One call of the stateless era that may need an answer from the user: asks in the first round, answers in the second. */

import { isObject, type Params } from "../message.ts";
import { INVALID_PARAMS, ProtocolError } from "../protocol_error.ts";
import type { Ask, ElicitAnswer } from "../served.ts";
import type { InputRequest } from "./codec.ts";
import type { RequestStates, StateSubject } from "./request_state.ts";

/** Key of the one question a call asks. */
const QUESTION = "confirmation";

export interface InputRound {
  readonly ask: Ask;
  /** Settles when the tool asked in a round that carries no answer; never settles otherwise. */
  readonly asked: Promise<InputRequest>;
}

/** @throws ProtocolError −32602 when the request carries a state that is not valid for this call */
export function openInputRound(params: Params, subject: StateSubject, states: RequestStates): InputRound {
  const answer = givenAnswer(params, subject, states);
  let resolveAsked: (request: InputRequest) => void = () => {};
  const asked = new Promise<InputRequest>((resolve) => (resolveAsked = resolve));
  const ask: Ask = (message, requestedSchema) => {
    if (answer !== null && answer.question === message) return Promise.resolve(answer.answer);
    resolveAsked({ key: QUESTION, message, requestedSchema, requestState: states.issue(subject, message) });
    return Promise.reject(new DOMException("the question travels to the client; this round ends here", "AbortError"));
  };
  return { ask, asked };
}

function givenAnswer(
  params: Params,
  subject: StateSubject,
  states: RequestStates,
): { question: string; answer: ElicitAnswer } | null {
  const state = params["requestState"];
  const responses = params["inputResponses"];
  if (state === undefined && responses === undefined) return null;
  const question = typeof state === "string" ? states.redeem(state, subject) : null;
  if (question === null) {
    throw new ProtocolError(
      INVALID_PARAMS,
      "Invalid params: requestState is not valid for this call; make the call again without it",
      {
        reason: "request_state",
      },
    );
  }
  const response = isObject(responses) ? responses[QUESTION] : undefined;
  const action = isObject(response) ? response["action"] : undefined;
  if (!isObject(response) || (action !== "accept" && action !== "decline" && action !== "cancel")) {
    throw new ProtocolError(
      INVALID_PARAMS,
      `Invalid params: inputResponses.${QUESTION} must be an elicitation result`,
      {
        reason: "input_responses",
      },
    );
  }
  const content = response["content"];
  return { question, answer: isObject(content) ? { action, content } : { action } };
}

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { RequestStates } from "./request_state.ts";

const SUBJECT = { tool: "request_permissions", args: { a: 1 }, principal: "one" };

Deno.test("a state is valid once, for the call and the principal it was issued to, until it expires", () => {
  const clock = { now: 5 };
  const states = new RequestStates(() => clock.now);
  const state = states.issue(SUBJECT, { q: 1 });
  for (const other of [{ tool: "exec_command" }, { args: { a: 2 } }, { principal: "two" }]) {
    strictEqual(states.redeem(state, { ...SUBJECT, ...other }), null);
  }
  for (const forged of ["", ".", "a.b", `${state}.x`, state.slice(0, -1), `x${state}`]) {
    strictEqual(states.redeem(forged, SUBJECT), null, forged);
  }
  deepStrictEqual(states.redeem(state, SUBJECT), { q: 1 });
  strictEqual(states.redeem(state, SUBJECT), null);
  const late = states.issue(SUBJECT, {});
  clock.now += 300_001;
  strictEqual(states.redeem(late, SUBJECT), null);
});

Deno.test("a clock that is set back does not make a used state valid again", () => {
  const states = new RequestStates();
  const wall = Date.now;
  try {
    const state = states.issue(SUBJECT, {});
    deepStrictEqual(states.redeem(state, SUBJECT), {});
    // Far ahead, the used states are forgotten; then back to where the state has not expired.
    Date.now = () => wall() + 3_600_000;
    states.redeem(states.issue(SUBJECT, {}), SUBJECT);
    Date.now = wall;
    strictEqual(states.redeem(state, SUBJECT), null);
  } finally {
    Date.now = wall;
  }
});

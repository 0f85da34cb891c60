import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { InFlight } from "./in_flight.ts";

Deno.test("a cancellation reaches every running request of its id, takes back what each registered, once", () => {
  const inFlight = new InFlight();
  const { signal } = new AbortController();
  const [first, second, other] = [
    inFlight.begin("1", signal),
    inFlight.begin("1", signal),
    inFlight.begin("2", signal),
  ];
  const undone: string[] = [];
  first.onUnanswered(() => undone.push("first"));
  second.onUnanswered(() => undone.push("second"));
  other.onUnanswered(() => undone.push("other"));
  inFlight.cancel("1");
  inFlight.cancel("1");
  inFlight.cancel("unknown");
  deepStrictEqual(undone, ["first", "second"]);
  deepStrictEqual([first, second, other].map(({ cancelled }) => cancelled), [true, true, false]);
  // What is registered after the cancellation has nobody to wait for.
  first.onUnanswered(() => undone.push("late"));
  deepStrictEqual(undone, ["first", "second", "late"]);
});

Deno.test("a request that was answered is not cancelled any more, neither by its id nor with its connection", () => {
  const inFlight = new InFlight();
  const connection = new AbortController();
  const answered = inFlight.begin("1", connection.signal);
  answered.onUnanswered(() => {
    throw new Error("it was answered");
  });
  answered.done();
  inFlight.cancel("1");
  answered.cancel();
  connection.abort();
  strictEqual(answered.cancelled, false);
});

Deno.test("a request is cancelled with its connection, also one that comes after its end", () => {
  const inFlight = new InFlight();
  const connection = new AbortController();
  const running = inFlight.begin("1", connection.signal);
  connection.abort();
  strictEqual(running.signal.aborted, true);
  strictEqual(inFlight.begin("2", connection.signal).cancelled, true);
});

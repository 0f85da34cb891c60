import { strictEqual } from "node:assert/strict";
import { ToolError } from "../base/tool_error.ts";
import { FailureMemory } from "./failure_memory.ts";

const fault = () => new ToolError("NOT_FOUND", "Cannot read a: no such file");
const countOf = (error: ToolError) => error.details["recent_identical_failures"];

Deno.test("FailureMemory advises from the second identical failure on, until a minute has passed", () => {
  const clock = { now: 0 };
  const memory = new FailureMemory(() => clock.now);
  strictEqual(countOf(memory.remember("a", fault())), undefined);
  clock.now = 60_000;
  strictEqual(countOf(memory.remember("a", fault())), 2);
  strictEqual(countOf(memory.remember("b", fault())), undefined);
  clock.now = 120_001;
  strictEqual(countOf(memory.remember("a", fault())), undefined);
});

Deno.test("FailureMemory keeps the 256 calls that failed last", () => {
  const memory = new FailureMemory(() => 0);
  for (let i = 0; i < 256; i++) memory.remember(`call ${i}`, fault());
  // The first has failed again, so that the second is now the one that failed longest ago.
  strictEqual(countOf(memory.remember("call 0", fault())), 2);
  memory.remember("one more", fault());
  strictEqual(memory.size, 256);
  strictEqual(countOf(memory.remember("call 0", fault())), 3);
  strictEqual(countOf(memory.remember("call 1", fault())), undefined);
});

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type GrantScope, GrantStore } from "./grant_store.ts";

function grant(command: string | null, scope: GrantScope) {
  return { permission: "network", scope, command, principal: "one" } as const;
}

Deno.test("GrantStore takes the narrowest grant first, so that a wider one is not used up for nothing", () => {
  const grants = new GrantStore();
  for (
    const [command, scope] of [[null, "session"], ["npm ci", "session"], [null, "once"], ["npm ci", "once"]] as const
  ) {
    grants.give(grant(command, scope), 60);
  }
  const used: unknown[] = [];
  for (let i = 0; i < 3; i++) {
    const found = grants.find("network", { command: "npm ci", principal: "one" });
    used.push([found?.command, found?.scope]);
    if (found !== null) grants.use(found);
  }
  deepStrictEqual(used, [["npm ci", "once"], ["npm ci", "session"], ["npm ci", "session"]]);
  deepStrictEqual(grants.find("network", { command: "curl x", principal: "one" })?.scope, "once");
  strictEqual(grants.find("network", { command: "npm ci", principal: "two" }), null);
});

Deno.test("GrantStore keeps 256 grants, the oldest gives way, and each ends at its time", () => {
  const clock = { now: 0 };
  const grants = new GrantStore({ now: () => clock.now });
  const first = grants.give(grant("first", "session"), 60);
  for (let i = 1; i < 256; i++) grants.give(grant(`other ${i}`, "session"), 60);
  strictEqual(grants.find("network", { command: "first", principal: "one" })?.id, first.id);
  grants.give(grant("last", "session"), 61);
  strictEqual(grants.find("network", { command: "first", principal: "one" }), null);
  strictEqual(grants.list().length, 256);
  clock.now = 60_000;
  deepStrictEqual(grants.list().map(({ expires_at }) => expires_at), ["1970-01-01T00:01:01.000Z"]);
});

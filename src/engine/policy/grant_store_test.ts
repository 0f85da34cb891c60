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

const ANY = { permission: "network", scope: "session", command: null, principal: "" } as const;

Deno.test("a grant for the command comes before one for any, and one for a single call before one for the session", () => {
  const store = new GrantStore({ now: () => 0 });
  const give = (scope: "once" | "session", command: string | null) => store.give({ ...ANY, scope, command }, 60).id;
  const session = give("session", null);
  strictEqual(store.find("network", { command: "c", principal: "" })?.id, session);
  const once = give("once", null);
  strictEqual(store.find("network", { command: "c", principal: "" })?.id, once);
  const bound = give("session", "c");
  strictEqual(store.find("network", { command: "c", principal: "" })?.id, bound);
  const boundOnce = give("once", "c");
  strictEqual(store.find("network", { command: "c", principal: "" })?.id, boundOnce);
  give("session", "c");
  give("session", null);
  strictEqual(store.find("network", { command: "c", principal: "" })?.id, boundOnce);
  strictEqual(store.find("network", { command: "d", principal: "" })?.id, once);
});

Deno.test("of equal grants the oldest is used", () => {
  const store = new GrantStore({ now: () => 0 });
  const first = store.give(ANY, 60).id;
  store.give(ANY, 60);
  strictEqual(store.find("network", { command: "c", principal: "" })?.id, first);
});

Deno.test("at most 256 grants are kept, and the oldest gives way", () => {
  const store = new GrantStore({ now: () => 0 });
  const ids = Array.from({ length: 257 }, () => store.give(ANY, 60).id);
  deepStrictEqual(store.list().map(({ grant_id }) => grant_id), ids.slice(1));
  strictEqual(new Set(ids).size, 257);
});

Deno.test("expired grants make room, are not found and not listed", () => {
  let now = 0;
  const store = new GrantStore({ now: () => now });
  for (let left = 256; left > 0; left--) store.give(ANY, left === 256 ? 120 : 60);
  now = 60_000;
  store.give(ANY, 60);
  strictEqual(store.list().length, 2);
  now = 120_000;
  deepStrictEqual([store.find("network", { command: "c", principal: "" }), store.list()], [null, []]);
});

Deno.test("a grant may be given without anybody who listens", () => {
  const store = new GrantStore();
  store.use(store.give({ ...ANY, scope: "once" }, 60));
  deepStrictEqual(store.list(), []);
});

Deno.test("the clock of a store without one goes forward and shows the time of day", async () => {
  const store = new GrantStore();
  const first = store.give(ANY, 60).expiresAtMs;
  await new Promise((resolve) => setTimeout(resolve, 5));
  strictEqual(store.give(ANY, 60).expiresAtMs > first, true);
  strictEqual(Math.abs(first - 60_000 - Date.now()) < 60_000, true);
});

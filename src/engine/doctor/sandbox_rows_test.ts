import assert from "node:assert/strict";
import type { Config } from "../../config/config.ts";
import type { ConfinementFacts } from "../../platform/confinement.ts";
import { sandboxRows } from "./sandbox_rows.ts";

const CONFIG = {
  workspace: "/w",
  permissionMode: "safe",
  network: "none",
  requireSandbox: false,
  workspaceMutation: "unrestricted",
  writePaths: [],
} as unknown as Config;

const WHOLE: ConfinementFacts = {
  mechanism: "landlock",
  abi: 7,
  reason: null,
  fault: null,
  launcher: "memory",
  noLoopback: null,
  noSealing: null,
};

const NONE: ConfinementFacts = {
  mechanism: "none",
  abi: null,
  reason: "the kernel has no Landlock",
  fault: null,
  launcher: null,
  noLoopback: "no",
  noSealing: "no",
};

function states(config: Partial<Config>, facts: ConfinementFacts): Record<string, string> {
  return Object.fromEntries(sandboxRows({ ...CONFIG, ...config }, facts).map((row) => [row.id, row.state]));
}

function failed(config: Partial<Config>, facts: ConfinementFacts): string[] {
  return Object.entries(states(config, facts)).flatMap(([id, state]) => state === "failed" ? [id] : []);
}

Deno.test("a whole sandbox leaves nothing failed or limited", () => {
  assert.deepEqual([...new Set(Object.values(states({}, WHOLE)))], ["ok"]);
});

Deno.test("what is asked for and missing is failed", () => {
  const structured: Partial<Config> = { workspaceMutation: "structured-only" };
  assert.deepEqual(failed({}, NONE), ["sandbox", "network"]);
  assert.deepEqual(failed({ requireSandbox: true }, NONE), ["sandbox", "network", "require_sandbox"]);
  assert.deepEqual(failed(structured, { ...WHOLE, abi: 2 }), ["structured_only"]);
  assert.deepEqual(failed({ network: "loopback" }, { ...WHOLE, noLoopback: "EPERM" }), ["network"]);
  assert.deepEqual(failed({}, { ...WHOLE, fault: "seccomp: EPERM" }), ["sandbox"]);
  assert.deepEqual(failed({ permissionMode: "dangerous" }, WHOLE), []);
  assert.deepEqual(failed({ permissionMode: "dangerous", requireSandbox: true }, WHOLE), ["require_sandbox"]);
});

Deno.test("an old version is limited in exactly the rights that it lacks", () => {
  const limited = (abi: number) =>
    Object.entries(states({}, { ...WHOLE, abi })).flatMap(([id, state]) => state === "limited" ? [id] : []);
  assert.deepEqual(limited(1), [
    "landlock_refer",
    "landlock_truncate",
    "landlock_ioctl",
    "landlock_tcp",
    "landlock_scopes",
  ]);
  assert.deepEqual(limited(4), ["landlock_ioctl", "landlock_scopes"]);
  assert.deepEqual(limited(6), []);
});

Deno.test("sockets by path are named where the network is open, until Landlock version 9", () => {
  const open: Partial<Config> = { permissionMode: "trusted", network: "open" };
  assert.equal(states(open, WHOLE)["unix_sockets"], "limited");
  assert.equal(states(open, { ...WHOLE, abi: 9 })["unix_sockets"], "ok");
});

Deno.test("every row that is not fine says what to do, or that nothing helps", () => {
  for (const facts of [NONE, { ...WHOLE, abi: 1 }, { ...WHOLE, noSealing: "EPERM" }]) {
    for (const row of sandboxRows(CONFIG, facts)) {
      assert.ok(row.state === "ok" || row.state === "note" || row.do !== "" || row.id === "network", row.id);
    }
  }
});

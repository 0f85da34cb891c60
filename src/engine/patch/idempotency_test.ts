import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { Idempotency } from "./idempotency.ts";

function call(
  idempotency: Idempotency,
  key: string | undefined,
  options: { args?: object; result?: unknown; store?: boolean } = {},
) {
  let runs = 0;
  const outcome = idempotency.once({
    tool: "apply_patch",
    key,
    args: { ...(options.args ?? { patch: "p" }), idempotency_key: key },
    isStorable: options.store ?? true,
    run: () => {
      runs++;
      return options.result instanceof Error
        ? Promise.reject(options.result)
        : Promise.resolve(options.result ?? "done");
    },
  });
  return outcome.then((value) => ({ ...value, runs }));
}

Deno.test("a success is replayed, and other arguments under its key are refused", async () => {
  const idempotency = new Idempotency();
  deepStrictEqual(await call(idempotency, "k"), { result: "done", isReplay: false, runs: 1 });
  deepStrictEqual(await call(idempotency, "k"), { result: "done", isReplay: true, runs: 0 });
  await rejects(call(idempotency, "k", { args: { patch: "other" } }), { code: "IDEMPOTENCY_KEY_REUSED" });
});

Deno.test("the order of keys and undefined members do not matter to the fingerprint", async () => {
  const idempotency = new Idempotency();
  await call(idempotency, "k", { args: { a: 1, b: { c: 2, d: undefined } } });
  strictEqual((await call(idempotency, "k", { args: { b: { c: 2 }, a: 1 } })).isReplay, true);
});

Deno.test("failures and dry runs are not kept", async () => {
  const idempotency = new Idempotency();
  await rejects(call(idempotency, "k", { result: new Error("no") }), /no/);
  strictEqual((await call(idempotency, "k", { args: { patch: "other" } })).isReplay, false);
  strictEqual((await call(idempotency, "dry", { store: false })).isReplay, false);
  strictEqual((await call(idempotency, "dry")).isReplay, false);
});

Deno.test("concurrent calls of one key run once, and a waiter behind a failure runs itself", async () => {
  const idempotency = new Idempotency();
  const both = await Promise.all([call(idempotency, "k"), call(idempotency, "k")]);
  deepStrictEqual(both.map((one) => one.runs), [1, 0]);
  const [failed, second] = await Promise.allSettled([
    call(idempotency, "f", { result: new Error("no") }),
    call(idempotency, "f"),
  ]);
  strictEqual(failed.status, "rejected");
  deepStrictEqual(second, { status: "fulfilled", value: { result: "done", isReplay: false, runs: 1 } });
});

Deno.test("the 64 latest successes are kept", async () => {
  const idempotency = new Idempotency();
  for (let i = 0; i < 65; i++) await call(idempotency, `k${i}`);
  strictEqual((await call(idempotency, "k64")).isReplay, true);
  strictEqual((await call(idempotency, "k1")).isReplay, true);
  strictEqual((await call(idempotency, "k0")).isReplay, false);
});

Deno.test("calls without a key just run", async () => {
  const idempotency = new Idempotency();
  await call(idempotency, undefined);
  strictEqual((await call(idempotency, undefined)).runs, 1);
});

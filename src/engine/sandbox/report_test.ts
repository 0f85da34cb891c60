import assert from "node:assert/strict";
import type { SandboxPlan } from "./plan.ts";
import { isFullyEnforced, missingProtections, type SandboxReport } from "./report.ts";

const PLAN: SandboxPlan = { confined: true, rules: [], network: "none", pipesOnly: false };
const WHOLE: SandboxReport = {
  filesystem: "confined",
  attributes: "confined",
  network: "none",
  signals: "scoped",
  abi: 7,
};

Deno.test("a report as planned has nothing missing", () => {
  assert.deepEqual(missingProtections(PLAN, WHOLE), []);
  assert.equal(isFullyEnforced(PLAN, WHOLE), true);
});

Deno.test("every missing protection is one sentence with its reason", () => {
  const nothing: SandboxReport = {
    filesystem: "unconfined",
    attributes: "unconfined",
    network: "open",
    signals: "unscoped",
    abi: null,
    reason: "the kernel has no Landlock",
  };
  assert.deepEqual(missingProtections(PLAN, nothing), [
    "Files outside the workspace are not protected: the kernel has no Landlock",
    "Network is open instead of none: the kernel has no Landlock",
  ]);
  assert.equal(isFullyEnforced(PLAN, nothing), false);
  assert.match(missingProtections(PLAN, { ...WHOLE, signals: "unscoped" }).join(), /Signals to other processes/);
});

Deno.test("a smaller reach than planned is said and still counts as enforced", () => {
  const plan: SandboxPlan = { ...PLAN, network: "loopback" };
  const report = { ...WHOLE, reason: "namespaces are not permitted here" };
  assert.match(missingProtections(plan, report).join(), /Network is none, because loopback is not possible here: name/);
  assert.equal(isFullyEnforced(plan, report), true);
});

Deno.test("without a plan to confine nothing is missing, and nothing is enforced", () => {
  const plan: SandboxPlan = { ...PLAN, confined: false };
  assert.deepEqual(missingProtections(plan, { ...WHOLE, filesystem: "unconfined" }), []);
  assert.equal(isFullyEnforced(plan, WHOLE), false);
});

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { testConfig } from "../../../tests/support/test_config.ts";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { mutationPolicy } from "./mutation_policy.ts";

Deno.test("structured-only names what enforces it, or why nothing does", () => {
  using workspace = new TempWorkspace();
  const only = { workspaceMutation: "structured-only", writePaths: ["build", "build/x"] } as const;
  const enforced = mutationPolicy(testConfig(workspace.root, only), 3);
  deepStrictEqual([enforced.enforced, enforced.enforcedBy, enforced.warnings], [true, "landlock", []]);
  deepStrictEqual(enforced.writePaths, [workspace.path("build"), workspace.path("build/x")]);
  const reasons: [Parameters<typeof testConfig>[1], number | null, RegExp][] = [
    [only, null, /Landlock is not available/],
    [only, 2, /version 2 cannot refuse truncation/],
    [{ ...only, permissionMode: "dangerous" }, 7, /dangerous mode/],
  ];
  for (const [changes, abi, words] of reasons) {
    const policy = mutationPolicy(testConfig(workspace.root, changes), abi);
    deepStrictEqual([policy.enforced, policy.enforcedBy, policy.warnings.length], [false, "none", 1]);
    match(policy.warnings[0] ?? "", words);
  }
  strictEqual(mutationPolicy(testConfig(workspace.root), null).mode, "unrestricted");
});

Deno.test("a write path outside the workspace is dropped, and that is said", () => {
  using workspace = new TempWorkspace();
  const writePaths = ["build", "/etc", "../x", `${workspace.root}-beside`, "."];
  const config = testConfig(workspace.root, { workspaceMutation: "structured-only", writePaths });
  const policy = mutationPolicy(config, 7);
  deepStrictEqual(policy.writePaths, [workspace.path("build"), workspace.root]);
  deepStrictEqual(policy.warnings.map((warning) => warning.split(" ")[3]), writePaths.slice(1, 4));
});

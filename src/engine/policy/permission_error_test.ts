import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { GatePermission } from "./classify_command.ts";
import { permissionError } from "./permission_error.ts";

function refusal(permission: GatePermission, details: Record<string, unknown> = {}, canAsk = false) {
  return permissionError({ kind: "blocked", permission, details }, {
    cmd: "the command",
    root: "/w",
    mode: "safe",
    canAsk,
  });
}

const DIAGNOSTICS: readonly (readonly [GatePermission, Record<string, unknown>, string[]])[] = [
  ["privileged_executable", { path: "/bin/su" }, []],
  ["filesystem_escape", { path: "/etc" }, []],
  ["sensitive_env", { env_keys: ["A", "B"] }, ["SECRET_ENV_REJECTED", "error", ""]],
  ["inline_script", { command: "sh", option: "-c" }, [
    "INLINE_SCRIPT_PERMISSION_REQUIRED",
    "error",
    "--permission-mode trusted",
  ]],
  ["shell_expansion", {}, ["SHELL_EXPANSION_PERMISSION_REQUIRED", "error", "--permission-mode trusted"]],
  ["destructive_command", {}, []],
  ["network", {}, ["NETWORK_PERMISSION_REQUIRED", "error", "--permission-mode trusted"]],
];

for (const [permission, details, expected] of DIAGNOSTICS) {
  Deno.test(`the refusal of ${permission} has its diagnostic and, where the user can be asked, the call that asks`, () => {
    const error = refusal(permission, details);
    deepStrictEqual(
      error.diagnostics.flatMap((
        { code, severity, suggested_server_flag },
      ) => [code, severity, suggested_server_flag ?? ""]),
      expected,
    );
    const asked = refusal(permission, details, true);
    const action = permission === "filesystem_escape" ? undefined : {
      tool: "request_permissions",
      arguments: {
        tool_name: "exec_command",
        permission,
        reason: "Say why the command is needed.",
        arguments: { cmd: "the command" },
      },
    };
    deepStrictEqual([error.details["next_action"], asked.details["next_action"]], [undefined, action]);
    const hint = error.details["retry_hint"] as string;
    strictEqual(
      asked.details["retry_hint"],
      action === undefined ? hint : `${hint} Or ask the user with request_permissions.`,
    );
  });
}

Deno.test("in trusted mode the network is opened by its own flag", () => {
  const facts = { cmd: "curl x", root: "/w", mode: "trusted", canAsk: false } as const;
  const { diagnostics } = permissionError({ kind: "blocked", permission: "network", details: {} }, facts);
  strictEqual(diagnostics[0]?.suggested_server_flag, "--network open");
});

Deno.test("the refusal of an environment names its variables", () => {
  strictEqual(
    refusal("sensitive_env", { env_keys: ["A", "B"] }).message,
    "Cannot run the command: env holds a secret or a loader variable (A, B)",
  );
});

Deno.test("the hint for a path depends on where it leads", () => {
  const start = (path: string) => (refusal("filesystem_escape", { path }).details["retry_hint"] as string).slice(0, 16);
  deepStrictEqual(["/w", "/w/a/b", "/wx/a", "/tmp", "/tmp/a", "/var/tmp/a", "/tmpx", "/x/tmp/a", "../a"].map(start), [
    'Spell it ".": co',
    'Spell it "a/b": ',
    "Use a path relat",
    "For temporary fi",
    "For temporary fi",
    "For temporary fi",
    "Use a path relat",
    "Use a path relat",
    "Use a path relat",
  ]);
});

import assert from "node:assert/strict";
import type { Config } from "../../config/config.ts";
import type { Access } from "../../platform/path_rule.ts";
import { makePlan, type PlanContext, type PlanRequest, type SandboxPlan } from "./plan.ts";

const CONFIG = {
  workspace: "/w",
  permissionMode: "safe",
  network: "none",
  workspaceMutation: "unrestricted",
  execAllowRoots: ["/opt/allowed"],
} as unknown as Config;

function plan(request: PlanRequest, config: Partial<Config> = {}, writePaths: readonly string[] = []): SandboxPlan {
  const context: PlanContext = {
    config: { ...CONFIG, ...config },
    surroundings: {
      writableRoots: ["/tmp/vise-0/h/i"],
      toolchainRoots: ["/home/u/.nvm/versions/node/v22"],
      readableFiles: ["/tmp/vise-0/h/i.gitconfig"],
      launchPrefix: "/tmp/vise-0/h/i.launch",
    },
    listNames: (directory) => directory === "/etc" ? ["java-17-openjdk", "shadow", "passwd"] : [],
    writePaths,
  };
  return makePlan(request, context);
}

function paths(of: SandboxPlan, access: Access): string[] {
  return of.rules.filter((rule) => rule.access === access).map((rule) => rule.path);
}

Deno.test("a command may write the workspace, its private directories and shared memory, and nothing else", () => {
  assert.deepEqual(paths(plan({ purpose: "command" }), "write"), ["/w", "/tmp/vise-0/h/i", "/dev/shm"]);
});

Deno.test("a command may execute system, toolchains and allowed roots, and only read facts and generated files", () => {
  const made = plan({ purpose: "command" });
  for (const path of ["/usr", "/opt/allowed", "/home/u/.nvm/versions/node/v22", "/etc/java-17-openjdk"]) {
    assert.ok(paths(made, "execute").includes(path), path);
  }
  assert.ok(paths(made, "read").includes("/tmp/vise-0/h/i.gitconfig"));
  assert.ok(paths(made, "read").includes("/proc"));
});

Deno.test("no rule opens a directory that holds secrets or other users' files", () => {
  const closed = [
    "/",
    "/etc",
    "/etc/ssl",
    "/etc/pki",
    "/etc/shadow",
    "/home",
    "/root",
    "/tmp",
    "/var",
    "/run",
    "/dev",
    "/sys",
  ];
  for (const purpose of ["command", "git", "pipes"] as const) {
    for (const rule of plan({ purpose }).rules) assert.ok(!closed.includes(rule.path), `${purpose}: ${rule.path}`);
  }
});

Deno.test("only the workspace and the write paths are required", () => {
  const made = plan({ purpose: "command" }, { workspaceMutation: "structured-only" }, ["/w/build"]);
  assert.deepEqual(made.rules.filter((rule) => rule.required).map((rule) => rule.path), ["/w", "/w/build"]);
});

Deno.test("structured-only leaves a command the write paths", () => {
  const made = plan({ purpose: "command" }, { workspaceMutation: "structured-only" }, ["/w/build"]);
  assert.deepEqual(paths(made, "write"), ["/w/build", "/tmp/vise-0/h/i", "/dev/shm"]);
  assert.ok(paths(made, "execute").includes("/w"));
});

Deno.test("git reads the repository, writes nothing, executes nothing of it, and has no network in any mode", () => {
  for (const permissionMode of ["safe", "trusted", "dangerous"] as const) {
    const made = plan({ purpose: "git" }, { permissionMode, network: "open" });
    assert.equal(made.confined, true);
    assert.equal(made.network, "none");
    assert.deepEqual(paths(made, "write"), []);
    assert.ok(paths(made, "read").includes("/w"));
    assert.ok(!paths(made, "execute").includes("/w"));
  }
});

Deno.test("a child with pipes only does not see the workspace", () => {
  const made = plan({ purpose: "pipes", extraRules: [{ path: "/opt/vise", access: "execute", required: true }] });
  assert.equal(made.pipesOnly, true);
  assert.equal(made.network, "none");
  assert.ok(!made.rules.some((rule) => rule.path.startsWith("/w")));
  assert.deepEqual(paths(made, "write"), []);
  assert.ok(paths(made, "execute").includes("/opt/vise"));
});

Deno.test("dangerous mode restricts commands in nothing", () => {
  assert.equal(plan({ purpose: "command" }, { permissionMode: "dangerous" }).confined, false);
});

Deno.test("a granted reach counts instead of the configured one", () => {
  assert.equal(plan({ purpose: "command" }).network, "none");
  assert.equal(plan({ purpose: "command", network: "open" }).network, "open");
  assert.equal(plan({ purpose: "command" }, { network: "loopback" }).network, "loopback");
});

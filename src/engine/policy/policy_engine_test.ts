import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { testConfig } from "../../../tests/support/test_config.ts";
import { ToolError } from "../../base/tool_error.ts";
import type { Config } from "../../config/config.ts";
import { RuntimeDirs } from "../environment/runtime_dirs.ts";
import { type GrantEvent, GrantStore } from "./grant_store.ts";
import { type CheckRequest, type PolicyDecision, PolicyEngine } from "./policy_engine.ts";

interface Scene {
  readonly policy: PolicyEngine;
  readonly grants: GrantStore;
  readonly events: GrantEvent[];
  readonly clock: { now: number };
  check(cmd: string, changes?: Partial<CheckRequest>): PolicyDecision;
}

function scene(workspace: TempWorkspace, changes: Partial<Config> = {}): Scene {
  const config = testConfig(workspace.root, changes);
  const runtime = new RuntimeDirs({
    root: workspace.root,
    runtimeRoot: join(workspace.parent, "run"),
    cacheDir: null,
    uid: null,
  });
  const clock = { now: 1_000_000 };
  const events: GrantEvent[] = [];
  const grants = new GrantStore({ now: () => clock.now, onEvent: (event) => events.push(event) });
  const policy = new PolicyEngine({ config, runtime, grants });
  const check = (cmd: string, request: Partial<CheckRequest> = {}) => {
    const decision = policy.check({
      cmd,
      workdir: workspace.root,
      callEnv: {},
      principal: "",
      canAsk: false,
      ...request,
    });
    decision.use();
    return decision;
  };
  return { policy, grants, events, clock, check };
}

function refusal(run: () => unknown): ToolError {
  let caught: unknown;
  throws(run, (fault) => {
    caught = fault;
    return fault instanceof ToolError;
  });
  return caught as ToolError;
}

Deno.test("a refused command says which permission, why, and what to do instead", () => {
  using workspace = new TempWorkspace();
  const { check } = scene(workspace);
  const error = refusal(() => check("Curl   http://x"));
  strictEqual(error.code, "PERMISSION_REQUIRED");
  strictEqual(error.details["permission"], "network");
  strictEqual(error.details["command"], "curl http://x");
  deepStrictEqual(error.root, {
    status: "failed",
    permission_request: { tool_name: "exec_command", permission: "network", status: "required", retryable: true },
  });
  strictEqual(error.diagnostics[0]?.code, "NETWORK_PERMISSION_REQUIRED");
  strictEqual(error.diagnostics[0]?.suggested_server_flag, "--permission-mode trusted");
  const closed = scene(workspace, { permissionMode: "trusted", network: "none" });
  strictEqual(refusal(() => closed.check("curl x")).diagnostics[0]?.suggested_server_flag, "--network open");
  strictEqual(error.details["next_action"], undefined);
  const asked = refusal(() => check("curl http://x", { canAsk: true })).details["next_action"];
  deepStrictEqual((asked as { tool: string }).tool, "request_permissions");
});

Deno.test("the gates come in their order", () => {
  using workspace = new TempWorkspace();
  const { check } = scene(workspace);
  const permissionOf = (cmd: string, callEnv = {}) => refusal(() => check(cmd, { callEnv })).details["permission"];
  strictEqual(permissionOf("cat /etc/x $(rm -rf d) http://x", { API_TOKEN: "t" }), "filesystem_escape");
  strictEqual(permissionOf("sh -c x; cat $(rm -rf d) http://x", { API_TOKEN: "t" }), "sensitive_env");
  strictEqual(permissionOf("sh -c x; cat $(rm -rf d) http://x"), "inline_script");
  strictEqual(permissionOf("cat $(rm -rf d); curl http://x"), "shell_expansion");
  strictEqual(permissionOf("rm -rf d; curl http://x"), "destructive_command");
  strictEqual(permissionOf("curl http://x"), "network");
});

Deno.test("a refused environment names all its variables and no value", () => {
  using workspace = new TempWorkspace();
  const error = refusal(() => scene(workspace).check("ls", { callEnv: { B: "1", API_TOKEN: "hidden-value" } }));
  deepStrictEqual(error.details["env_keys"], ["API_TOKEN", "B"]);
  strictEqual(JSON.stringify([error.message, error.details, error.diagnostics]).includes("hidden-value"), false);
});

Deno.test("paths are resolved from the working directory through links, dangling ones included", () => {
  using workspace = new TempWorkspace();
  const outside = join(workspace.parent, "outside");
  mkdirSync(outside);
  workspace.write("sub/in.txt", "");
  symlinkSync(outside, workspace.path("sub/out.d"));
  symlinkSync(join(outside, "later"), workspace.path("sub/later.txt"));
  symlinkSync("in.txt", workspace.path("sub/link.txt"));
  symlinkSync("loop.txt", workspace.path("loop.txt"));
  const { check } = scene(workspace);
  const workdir = workspace.path("sub");
  for (const cmd of ["cat in.txt", "cat link.txt", "cat new/x.txt", "mkdir -p a/b"]) check(cmd, { workdir });
  for (const cmd of ["cat out.d/x", "touch later.txt", "echo > out.d/x"]) {
    strictEqual(refusal(() => check(cmd, { workdir })).details["permission"], "filesystem_escape", cmd);
  }
  const loop = refusal(() => check("cat loop.txt"));
  deepStrictEqual([loop.code, loop.details["errno"]], ["INVALID_ARGUMENT", "ELOOP"]);
  const long = refusal(() => check(`cat ${"x".repeat(5_000)}.txt`));
  deepStrictEqual([long.code, (long.details["path"] as string).length], ["INVALID_ARGUMENT", 200]);
});

Deno.test("an absolute path below the root is refused with its right spelling", () => {
  using workspace = new TempWorkspace();
  const { check } = scene(workspace);
  const hintFor = (cmd: string) => refusal(() => check(cmd)).details["retry_hint"] as string;
  ok(hintFor(`cat ${workspace.root}/src/a.ts`).startsWith('Spell it "src/a.ts"'));
  ok(hintFor(`cd ${workspace.root} && ls`).startsWith('Spell it "."'));
  ok(hintFor("ls > /tmp/out.txt").includes("$TMPDIR"));
  check('ls > "$TMPDIR/out.txt"');
  ok(hintFor(`cat /elsewhere/a`).startsWith("Use a path relative"));
});

Deno.test("paths in the runtime directories are no escape", () => {
  using workspace = new TempWorkspace();
  const config = testConfig(workspace.root);
  const runtime = new RuntimeDirs({
    root: workspace.root,
    runtimeRoot: join(workspace.parent, "run"),
    cacheDir: null,
    uid: null,
  });
  const policy = new PolicyEngine({ config, runtime, grants: new GrantStore() });
  const request = { workdir: workspace.root, callEnv: {}, principal: "", canAsk: false };
  policy.check({ ...request, cmd: `cat ${runtime.paths.tmp}/x` });
  refusal(() => policy.check({ ...request, cmd: `cat ${runtime.paths.tmp}/../../x` }));
  mkdirSync(runtime.paths.tmp, { recursive: true });
  symlinkSync(runtime.paths.tmp, workspace.path("tmp.d"));
  policy.check({ ...request, cmd: "cat tmp.d/x" });
});

Deno.test("a setuid program is found by its path and on the search path", () => {
  using workspace = new TempWorkspace();
  workspace.write("bin/tool", "#!/bin/sh\n", 0o755);
  workspace.write("bin/plain", "#!/bin/sh\n", 0o755);
  chmodSync(workspace.path("bin/tool"), 0o4755);
  const { check } = scene(workspace, { environment: { PATH: workspace.path("bin") } });
  for (const cmd of ["tool", "bin/tool", "env A=1 tool x", "true && ./bin/tool"]) {
    strictEqual(refusal(() => check(cmd)).details["permission"], "privileged_executable", cmd);
  }
  for (const cmd of ["plain", "bin/plain", "echo tool", "command -v tool"]) check(cmd);
});

Deno.test("text that no shell can get is refused by name", () => {
  using workspace = new TempWorkspace();
  const { check } = scene(workspace, { permissionMode: "dangerous" });
  strictEqual(refusal(() => check("echo \ud83d")).details["argument"], "cmd");
  strictEqual(refusal(() => check("echo \0")).details["argument"], "cmd");
  strictEqual(refusal(() => check("ls", { callEnv: { A: "\0" } })).details["argument"], "env.A");
  for (const name of ["", "A=B"]) {
    strictEqual(refusal(() => check("ls", { callEnv: { [name]: "" } })).code, "INVALID_ARGUMENT");
  }
});

Deno.test("a grant for one call opens its gate once, one for the session until it expires", () => {
  using workspace = new TempWorkspace();
  const { check, grants, clock, events } = scene(workspace);
  const once = grants.give({ permission: "destructive_command", scope: "once", command: null, principal: "" }, 60);
  deepStrictEqual(check("ls").grantIds, []);
  deepStrictEqual(check("rm -rf d").grantIds, [once.id]);
  refusal(() => check("rm -rf d"));
  grants.give({ permission: "destructive_command", scope: "session", command: null, principal: "" }, 60);
  check("rm -rf d");
  check("rm -rf e");
  clock.now += 60_000;
  refusal(() => check("rm -rf d"));
  deepStrictEqual(events.map(({ event }) => event), [
    "grant_given",
    "grant_used",
    "grant_given",
    "grant_used",
    "grant_used",
  ]);
  deepStrictEqual(grants.list(), []);
});

Deno.test("a grant holds for its command and for who asked, and for nothing else", () => {
  using workspace = new TempWorkspace();
  const { check, grants } = scene(workspace);
  grants.give({ permission: "destructive_command", scope: "session", command: "rm -rf d", principal: "a" }, 60);
  refusal(() => check("rm -rf d"));
  refusal(() => check("rm -rf e", { principal: "a" }));
  refusal(() => check("rm -rf d && sh -c x", { principal: "a" }));
  check("rm -rf d", { principal: "a" });
});

Deno.test("a command may use up several grants, and uses none when one is missing", () => {
  using workspace = new TempWorkspace();
  const { check, grants } = scene(workspace);
  const given = { scope: "once", command: null, principal: "" } as const;
  grants.give({ permission: "inline_script", ...given }, 60);
  refusal(() => check("sh -c 'rm -rf d'"));
  strictEqual(grants.list().length, 1);
  grants.give({ permission: "destructive_command", ...given }, 60);
  strictEqual(check("sh -c 'rm -rf d'").grantIds.length, 2);
  strictEqual(grants.list().length, 0);
});

Deno.test("a network grant opens the network of the sandbox, also for programs that name no address", () => {
  using workspace = new TempWorkspace();
  const { check, grants } = scene(workspace);
  strictEqual(check("npm ci").network, "none");
  grants.give({ permission: "network", scope: "once", command: null, principal: "" }, 60);
  strictEqual(check("ls").network, "none");
  strictEqual(check("npm ci").network, "open");
  strictEqual(check("npm ci").network, "none");
  grants.give({ permission: "network", scope: "session", command: "./fetch.sh", principal: "" }, 60);
  deepStrictEqual([check("./fetch.sh").network, check("ls").network], ["open", "none"]);
  grants.give({ permission: "network", scope: "session", command: null, principal: "" }, 60);
  strictEqual(check("curl http://x").network, "open");
});

Deno.test("nothing grants a path outside the workspace", () => {
  using workspace = new TempWorkspace();
  const { check, grants } = scene(workspace);
  grants.give({ permission: "privileged_executable", scope: "session", command: null, principal: "" }, 60);
  refusal(() => check("cat /etc/passwd"));
});

Deno.test("with a loopback network only addresses of the machine itself pass", () => {
  using workspace = new TempWorkspace();
  const { check } = scene(workspace, { network: "loopback" });
  for (const cmd of ["curl http://localhost:3000/x", "curl -s 127.0.0.1:80", "wget http://[::1]/x"]) {
    strictEqual(check(cmd).network, "loopback", cmd);
  }
  for (const cmd of ["curl https://example.com", "curl http://localhost.example.com/", "git clone https://h/r"]) {
    strictEqual(refusal(() => check(cmd)).details["permission"], "network", cmd);
  }
});

Deno.test("the list of grants shows neither command nor principal", () => {
  using workspace = new TempWorkspace();
  const { grants } = scene(workspace);
  grants.give({ permission: "network", scope: "once", command: "curl secret", principal: "p" }, 60);
  const [shown] = grants.list();
  deepStrictEqual(shown && { ...shown, grant_id: "" }, {
    grant_id: "",
    permission: "network",
    scope: "once",
    command_bound: true,
    expires_at: "1970-01-01T00:17:40.000Z",
  });
  ok(/^[\w-]{16}$/.test(shown?.grant_id ?? ""));
});

Deno.test("a grant ends on time although the system's clock was set back", () => {
  const grants = new GrantStore();
  const wall = Date.now;
  try {
    const bound = { permission: "network", scope: "session", command: null, principal: "" } as const;
    grants.give(bound, 0);
    Date.now = () => wall() - 3_600_000;
    strictEqual(grants.find("network", { command: "curl x", principal: "" }), null);
  } finally {
    Date.now = wall;
  }
});

Deno.test("an open network and dangerous mode need no grant for it, and use none up", () => {
  using workspace = new TempWorkspace();
  for (const changes of [{ network: "open" }, { permissionMode: "dangerous" }] as const) {
    const { check, grants } = scene(workspace, changes);
    grants.give({ permission: "network", scope: "once", command: null, principal: "" }, 60);
    const { network, grantIds } = check("curl http://x");
    deepStrictEqual([network, grantIds], ["open", []]);
    deepStrictEqual(grants.list().length, 1);
  }
});

Deno.test("a grant for the network that the gate used is used once", () => {
  using workspace = new TempWorkspace();
  const { check, grants } = scene(workspace);
  const first = grants.give({ permission: "network", scope: "once", command: null, principal: "" }, 60);
  const second = grants.give({ permission: "network", scope: "once", command: null, principal: "" }, 60);
  const { network, grantIds } = check("curl http://x");
  deepStrictEqual([network, grantIds], ["open", [first.id]]);
  deepStrictEqual(grants.list().map(({ grant_id }) => grant_id), [second.id]);
});

Deno.test("a grant for one call of a certain command opens the network for it, whatever its name says", () => {
  using workspace = new TempWorkspace();
  const { check, grants } = scene(workspace);
  grants.give({ permission: "network", scope: "once", command: "./fetch.sh", principal: "" }, 60);
  deepStrictEqual([check("ls").network, check("./fetch.sh").network, check("./fetch.sh").network], [
    "none",
    "open",
    "none",
  ]);
});

Deno.test("the workspace itself and what is below it are inside, a neighbour with the same beginning is not", () => {
  using workspace = new TempWorkspace();
  workspace.write("f", "");
  mkdirSync(`${workspace.root}x`);
  symlinkSync(`${workspace.root}x`, workspace.path("neighbour.d"));
  symlinkSync(".", workspace.path("self.d"));
  symlinkSync(join(workspace.parent, "run"), workspace.path("run.d"));
  const { check } = scene(workspace);
  for (const cmd of ["ls .", "ls self.d", "cat self.d/f", "cat f/under/a/file.txt"]) check(cmd);
  strictEqual(refusal(() => check("cat neighbour.d/x")).details["permission"], "filesystem_escape");
});

Deno.test("a path that cannot be looked at is refused with its fault", () => {
  using workspace = new TempWorkspace();
  symlinkSync("loop.txt", workspace.path("loop.txt"));
  const error = refusal(() => scene(workspace).check("cat loop.txt"));
  deepStrictEqual(error.details, { path: "loop.txt", errno: "ELOOP", reason: "uninspectable_path" });
  deepStrictEqual(error.root, { status: "failed" });
});

Deno.test("names of variables that no program can get are refused", () => {
  using workspace = new TempWorkspace();
  const { check } = scene(workspace, { permissionMode: "dangerous" });
  for (const name of ["", "A=B", "A\0", "\ud800"]) {
    const error = refusal(() => check("ls", { callEnv: { [name]: "" } }));
    deepStrictEqual([error.details["argument"], error.root], ["env", { status: "failed" }]);
  }
});

Deno.test("the first program of the search path counts, directories and what follows do not", () => {
  using workspace = new TempWorkspace();
  workspace.sh("mkdir -p a/tool b c");
  workspace.write("b/tool", "#!/bin/sh\n", 0o755);
  workspace.write("c/tool", "#!/bin/sh\n", 0o755);
  chmodSync(workspace.path("c/tool"), 0o2755);
  const path = (...names: string[]) => names.map((name) => workspace.path(name)).join(":");
  scene(workspace, { environment: { PATH: path("a", "b", "c") } }).check("tool");
  const { check } = scene(workspace, { environment: { PATH: path("a", "missing", "c", "b") } });
  strictEqual(refusal(() => check("tool")).details["permission"], "privileged_executable");
  scene(workspace, { environment: {} }).check("tool");
});

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { testConfig } from "../../../tests/support/test_config.ts";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import type { Config } from "../../config/config.ts";
import { commandEnvironment, type EnvironmentFacts } from "./command_environment.ts";
import { isFilteredVariable } from "./secret_names.ts";

const FACTS: EnvironmentFacts = {
  callEnv: {},
  tty: false,
  commandId: "id1",
  home: "/r/home",
  tmp: "/r/tmp",
  cache: "/r/cache",
  cacheIsKept: false,
  gitConfigGlobal: "/r.gitconfig",
  toolchainEnv: {},
};

function environmentOf(changes: Partial<Config>, facts: Partial<EnvironmentFacts> = {}): Record<string, string> {
  using workspace = new TempWorkspace();
  return commandEnvironment(testConfig(workspace.root, changes), { ...FACTS, ...facts });
}

const SERVER = {
  PATH: "/usr/bin",
  LC_TIME: "de_DE.UTF-8",
  PLAIN_SETTING: "ok",
  SVC_API_KEY: "k1",
  AWS_SECRET_ACCESS_KEY: "k2",
  DB_PASSWORD: "k3",
  MY_TOKEN_0: "k4",
  LD_PRELOAD: "",
  NODE_OPTIONS: "--require x",
  npm_config_cache: "/home/u/.npm",
  CARGO_HOME: "/home/u/.cargo",
  VISE_AUTH_TOKEN: "s",
  CODING_TOOLS_MCP_OAUTH_PASSWORD: "s",
  NOTE: "uses sk-abcdefghijklmnop1234",
};

Deno.test("a command gets the core variables, its own directories and defaults that keep it from waiting", () => {
  deepStrictEqual(environmentOf({ environment: SERVER }), {
    PATH: "/usr/bin",
    LC_TIME: "de_DE.UTF-8",
    LANG: "C.UTF-8",
    TERM: "dumb",
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    GIT_EDITOR: "false",
    GIT_CONFIG_GLOBAL: "/r.gitconfig",
    XDG_CACHE_HOME: "/r/cache",
    HOME: "/r/home",
    TMPDIR: "/r/tmp",
    VISE_COMMAND: "id1",
  });
});

Deno.test("inheriting all variables still drops secrets, loader variables, caches and the server's own settings", () => {
  const env = environmentOf({ environment: SERVER, shellEnvInherit: "all" });
  strictEqual(env.PLAIN_SETTING, "ok");
  for (const name of Object.keys(SERVER).slice(3)) strictEqual(env[name], undefined, name);
});

Deno.test("dangerous mode passes what the filter drops, but never a credential of the server", () => {
  using workspace = new TempWorkspace();
  const config = testConfig(workspace.root, {
    permissionMode: "dangerous",
    shellEnvInherit: "all",
    environment: { ...SERVER, COPY: "Bearer 0123456789abcdef" },
  });
  const env = commandEnvironment({ ...config, http: { ...config.http, authToken: "0123456789abcdef" } }, FACTS);
  strictEqual(env.DB_PASSWORD, "k3");
  strictEqual(env.NODE_OPTIONS, "--require x");
  strictEqual(env.VISE_AUTH_TOKEN, undefined);
  strictEqual(env.COPY, undefined);
});

Deno.test("exclude, include-only and set apply in this order, and set survives the include list", () => {
  const env = environmentOf({
    environment: { PATH: "/usr/bin", APP_A: "1", APP_B: "2", OTHER: "3" },
    shellEnvInherit: "all",
    shellEnvExclude: ["app_b"],
    shellEnvIncludeOnly: ["app_*", "PATH"],
    shellEnvSet: { EXTRA: "4", PAGER: "less" },
  });
  deepStrictEqual([env.APP_A, env.APP_B, env.OTHER, env.EXTRA, env.PAGER], ["1", undefined, undefined, "4", "less"]);
});

Deno.test("variables of the call win over everything", () => {
  const callEnv = { HOME: "/x", PATH: "/y", GIT_EDITOR: "vi", TERM: "vt100", LANG: "C", GIT_CONFIG_GLOBAL: "/z" };
  const env = environmentOf({ environment: SERVER }, { callEnv });
  for (const [name, value] of Object.entries(callEnv)) strictEqual(env[name], value, name);
});

Deno.test("a terminal gets its type and no substitutes for pager and editor", () => {
  const env = environmentOf({ environment: { ...SERVER, TERM: "screen" } }, { tty: true });
  strictEqual(env.TERM, "xterm-256color");
  deepStrictEqual([env.PAGER, env.GIT_EDITOR, env.GIT_TERMINAL_PROMPT], [undefined, undefined, undefined]);
});

Deno.test("without any variable of the server a command still has a search path and a UTF-8 locale", () => {
  const env = environmentOf({ environment: {}, shellEnvInherit: "none" });
  strictEqual(env.LANG, "C.UTF-8");
  strictEqual(env.PATH?.includes("/usr/bin"), true);
});

Deno.test("a kept cache directory also takes the caches that live below the home directory", () => {
  const env = environmentOf({}, { cacheIsKept: true, cache: "/keep/abc" });
  deepStrictEqual([env.XDG_CACHE_HOME, env.npm_config_cache, env.CARGO_HOME], [
    "/keep/abc",
    "/keep/abc/npm",
    "/keep/abc/cargo",
  ]);
});

Deno.test("toolchain variables come back after the cache filter dropped the user's", () => {
  const env = environmentOf({ environment: { RUSTUP_HOME: "/home/u/.rustup" } }, {
    toolchainEnv: { RUSTUP_HOME: "/opt/rustup" },
  });
  strictEqual(env.RUSTUP_HOME, "/opt/rustup");
});

Deno.test("the filter goes by name, effect and value", () => {
  const filtered: [string, string][] = [
    ["API_TOKEN", "x"],
    ["api-key", "x"],
    ["MyPrivateThing", "x"],
    ["LD_PRELOAD", "./x.so"],
    ["DYLD_X", "1"],
    ["BASH_FUNC_ls%%", "() { x; }"],
    ["GIT_SSH_COMMAND", "x"],
    ["V", "sk-0123456789abcdefgh"],
    ["V", "ghp_abc123"],
    ["V", "AKIAABCDEFGHIJKLMNOP"],
    ["V", "-----BEGIN RSA PRIVATE KEY-----"],
  ];
  for (const [name, value] of filtered) strictEqual(isFilteredVariable(name, value), true, `${name}=${value}`);
  for (
    const [name, value] of [["FOO", "bar"], ["PATH", "/x"], ["HOME", "/x"], ["V", "ask-nothing"], ["KEY", "v"]] as const
  ) {
    strictEqual(isFilteredVariable(name, value), false, `${name}=${value}`);
  }
});

/** Computes the environment of one command from facts alone (contract 4.8, O-36); touches nothing. */

import type { Config } from "../../config/config.ts";
import { isEcosystemCache, isFilteredVariable, isServerVariable } from "./secret_names.ts";

/** Search path when the server has none: what most distributions compile into their shells. */
export const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const CORE_NAMES: ReadonlySet<string> = new Set(["PATH", "LANG", "LC_ALL", "TERM", "GIT_CONFIG_GLOBAL"]);

/** What the environment depends on besides the configuration. */
export interface EnvironmentFacts {
  /** Variables of the call; they win over everything. */
  readonly callEnv: Readonly<Record<string, string>>;
  /** Whether the command gets a pseudo-terminal. */
  readonly tty: boolean;
  /** Id of the command for `VISE_COMMAND`; null for helpers such as git. */
  readonly commandId: string | null;
  readonly home: string;
  readonly tmp: string;
  readonly cache: string;
  /** True when `cache` outlives the server (`--cache-dir`): the package managers' caches then move into it. */
  readonly cacheIsKept: boolean;
  /** Generated git configuration; null when it could not be written. */
  readonly gitConfigGlobal: string | null;
  /** Variables that toolchains need to find themselves (`RUSTUP_HOME`, `PYENV_ROOT` …). */
  readonly toolchainEnv: Readonly<Record<string, string>>;
}

/** The complete environment of one command. */
export function commandEnvironment(config: Config, facts: EnvironmentFacts): Record<string, string> {
  const env = inherited(config);
  const chosen: Record<string, string> = { ...config.shellEnvSet };
  Object.assign(env, facts.toolchainEnv, defaults(env, facts), chosen);
  env.HOME = facts.home;
  env.TMPDIR = facts.tmp;
  if (facts.commandId !== null) env.VISE_COMMAND = facts.commandId;
  Object.assign(env, facts.callEnv);
  return env;
}

function inherited(config: Config): Record<string, string> {
  const dangerous = config.permissionMode === "dangerous";
  const exclude = config.shellEnvExclude.map(globPattern);
  const includeOnly = config.shellEnvIncludeOnly.map(globPattern);
  const ownSecrets = serverSecrets(config);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(config.environment)) {
    if (!isInherited(config, name) || isServerVariable(name)) continue;
    // Security: a credential of the server that also stands under another name stays here, in every mode.
    if (ownSecrets.some((secret) => value.includes(secret))) continue;
    if (!dangerous && (isFilteredVariable(name, value) || isEcosystemCache(name))) continue;
    if (exclude.some((pattern) => pattern.test(name))) continue;
    if (includeOnly.length > 0 && !includeOnly.some((pattern) => pattern.test(name))) continue;
    env[name] = value;
  }
  return env;
}

function isInherited(config: Config, name: string): boolean {
  switch (config.shellEnvInherit) {
    case "all":
      return true;
    case "core":
      return CORE_NAMES.has(name) || name.startsWith("LC_");
    case "none":
      return false;
  }
}

/** Shorter values are not credentials, and would drop unrelated variables by accident. */
const SHORTEST_SECRET = 8;

function serverSecrets(config: Config): string[] {
  const { authToken, oauth } = config.http;
  return [authToken, oauth.password, oauth.tokenSecret, oauth.clientSecret]
    .filter((secret): secret is string => secret !== null && secret.length >= SHORTEST_SECRET);
}

function defaults(env: Readonly<Record<string, string>>, facts: EnvironmentFacts): Record<string, string> {
  const added: Record<string, string> = { XDG_CACHE_HOME: facts.cache };
  if (env.PATH === undefined || env.PATH === "") added.PATH = DEFAULT_PATH;
  if (!env.LANG && !env.LC_ALL && !env.LC_CTYPE) added.LANG = "C.UTF-8";
  if (facts.gitConfigGlobal !== null) added.GIT_CONFIG_GLOBAL = facts.gitConfigGlobal;
  if (facts.tty) {
    added.TERM = "xterm-256color";
  } else {
    // Without a terminal nobody can answer a pager, an editor or a prompt: the command would hang until its time-out.
    added.TERM = "dumb";
    added.PAGER = "cat";
    added.GIT_PAGER = "cat";
    added.GIT_TERMINAL_PROMPT = "0";
    added.GIT_EDITOR = "false";
  }
  if (facts.cacheIsKept) {
    // These managers keep their cache below HOME, which is new for every server, unless they are told otherwise.
    added.npm_config_cache = `${facts.cache}/npm`;
    added.YARN_CACHE_FOLDER = `${facts.cache}/yarn`;
    added.CARGO_HOME = `${facts.cache}/cargo`;
    added.GOMODCACHE = `${facts.cache}/go-mod`;
    added.GRADLE_USER_HOME = `${facts.cache}/gradle`;
  }
  return added;
}

/** Case-insensitive glob over a variable name; only `*` and `?` are special. */
function globPattern(glob: string): RegExp {
  const source = glob.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".");
  return new RegExp(`^${source}$`, "i");
}

/** Which environment variables never reach a command unasked (contract 4.8). */

/** Parts of a name, lower case, that mark a secret. */
const SECRET_NAME = /token|secret|credential|api[_-]?key|password|passwd|private/i;

/**
 * Names that make a loader, an interpreter or git run somebody's code.
 * Security: an inherited `LD_PRELOAD` or `NODE_OPTIONS` would run in every command.
 */
const RISKY_NAMES: ReadonlySet<string> = new Set([
  "BASH_ENV",
  "ENV",
  "LD_PRELOAD",
  "LD_LIBRARY_PATH",
  "LD_AUDIT",
  "GCONV_PATH",
  "PYTHONPATH",
  "PYTHONSTARTUP",
  "NODE_OPTIONS",
  "PERL5LIB",
  "PERL5OPT",
  "RUBYOPT",
  "RUBYLIB",
  "GIT_SSH_COMMAND",
  "GIT_EXTERNAL_DIFF",
  "GIT_ASKPASS",
  "PROMPT_COMMAND",
]);

const SECRET_VALUES: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/,
  /\bgh[pousr]_\w+/,
  /\bsk-[A-Za-z0-9_-]{16,}/,
  /\bAKIA[A-Z0-9]{16}\b/,
];

/** Caches of package managers: a command gets its own instead of the user's. */
const ECOSYSTEM_CACHES: ReadonlySet<string> = new Set([
  "MAVEN_USER_HOME",
  "GRADLE_USER_HOME",
  "NPM_CONFIG_CACHE",
  "npm_config_cache",
  "PIP_CACHE_DIR",
  "GOCACHE",
  "GOMODCACHE",
  "CARGO_HOME",
  "RUSTUP_HOME",
]);

/** Whether `name` looks like the name of a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Whether `value` looks like a secret: a private key, or a token of GitHub, OpenAI or AWS. */
function isSecretValue(value: string): boolean {
  return SECRET_VALUES.some((pattern) => pattern.test(value));
}

/** `text` with everything that looks like a secret replaced. */
export function withoutSecrets(text: string, replacement: string): string {
  return SECRET_VALUES.reduce((rest, pattern) => rest.replaceAll(new RegExp(pattern, "g"), replacement), text);
}

/** Whether a variable of this name changes what other programs load or run. */
function isRiskyName(name: string): boolean {
  return RISKY_NAMES.has(name) || name.startsWith("DYLD_") || name.startsWith("BASH_FUNC_");
}

/** Whether the filter of contract 4.8 drops the variable: by name, by effect or by value. */
export function isFilteredVariable(name: string, value: string): boolean {
  return isSecretName(name) || isRiskyName(name) || isSecretValue(value);
}

/** Whether `name` places a package cache that belongs to the user. */
export function isEcosystemCache(name: string): boolean {
  return ECOSYSTEM_CACHES.has(name);
}

/** Whether `name` configures this server: such variables may hold its credentials and are passed in no mode. */
export function isServerVariable(name: string): boolean {
  return name.startsWith("VISE_") || name.startsWith("CODING_TOOLS_MCP_");
}

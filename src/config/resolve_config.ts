/** Raw → resolved: checks every choice against the others and against the machine, once. */

import { isLoopbackBinding } from "../base/loopback_host.ts";
import type { AuthMode, Config, HttpConfig, Limits, SelfStart } from "./config.ts";
import type { RawConfig } from "./raw_config.ts";
import { ConfigError, type Environment, environmentValue, isTruthy, wholeNumber } from "./setting.ts";

/** Defaults of contract 4.6. */
const DEFAULT_LIMITS: Limits = {
  maxActiveCommands: 16,
  maxRetainedCommands: 32,
  maxOutputBytesTotal: 16_777_216,
  streamBufferBytes: 524_288,
  commandTtlS: 300,
  maxProcesses: null,
  maxMemoryMb: null,
};

/** The few questions about the file system that a start asks; `node:fs` would cost it 20 ms. */
export interface Places {
  /** Canonical absolute path, or null when nothing is there. */
  canonical(path: string): string | null;
  isDirectory(path: string): boolean;
}

/** What of the machine decides beside the choices of the user. */
export interface ResolveScene {
  readonly places: Places;
  readonly environment: Environment;
  readonly currentDirectory: string;
  readonly self: SelfStart;
}

/** The one place where a choice becomes the configuration. @throws ConfigError that names the flag */
export function resolveConfig(raw: RawConfig, scene: ResolveScene): Config {
  const { environment, currentDirectory, self } = scene;
  const env = (name: string) => environmentValue(environment, name);
  const permissionMode = raw.skipAllPermissions ? "dangerous" : raw.permissionMode ?? "safe";
  const transport = raw.stdio || (raw.http === undefined && raw.host === undefined && raw.port === undefined)
    ? "stdio"
    : "http";
  const http = resolveHttp(raw, env);
  const workspaceMutation = raw.workspaceMutation ?? "unrestricted";
  if (raw.writePaths.length > 0 && workspaceMutation !== "structured-only") {
    throw new ConfigError("--write-path only makes sense with --workspace-mutation structured-only");
  }
  if (raw.fakeReadonlyAnnotations) checkFakedAnnotations({ permissionMode, transport, http });
  if (transport === "http") checkBinding(http);
  const workspace = resolveWorkspace(raw.workspace ?? currentDirectory, scene);
  return {
    workspace,
    transport,
    http,
    permissionMode,
    network: raw.network ?? (raw.allowNetwork || permissionMode !== "safe" ? "open" : "none"),
    requireSandbox: raw.requireSandbox ?? false,
    structured: raw.structured ?? true,
    fakeReadonlyAnnotations: raw.fakeReadonlyAnnotations ?? false,
    workspaceMutation,
    writePaths: raw.writePaths,
    viewImage: raw.viewImage ?? true,
    shell: raw.shell ? resolveShell(raw.shell, currentDirectory) : null,
    shellEnvInherit: raw.shellEnvInherit ?? "core",
    shellEnvIncludeOnly: commaList(env("SHELL_ENV_INCLUDE_ONLY")),
    shellEnvExclude: commaList(env("SHELL_ENV_EXCLUDE")),
    shellEnvSet: stringMap(env("SHELL_ENV_SET")),
    toolchains: raw.toolchains ?? "auto",
    execAllowRoots: resolveAllowRoots(env("EXEC_ALLOW_ROOTS"), workspace, scene),
    runtimeRoot: resolveRuntimeRoot(env("RUNTIME_ROOT"), workspace, scene),
    cacheDir: raw.cacheDir === undefined ? null : resolveCacheDir(raw.cacheDir, workspace, scene),
    trace: isTruthy(env("TRACE")),
    limits: { ...DEFAULT_LIMITS, ...raw.limits },
    environment,
    self,
  };
}

/** The canonical root. `/` and the home directory are refused: a tool for one project must not reach everything (contract 1.9). */
function resolveWorkspace(
  given: string,
  { places, currentDirectory, environment }: Omit<ResolveScene, "self">,
): string {
  const real = places.canonical(absolute(given, currentDirectory));
  if (real === null) throw new ConfigError(`workspace ${given} does not exist, or may not be read`);
  if (!places.isDirectory(real)) throw new ConfigError(`workspace ${given} is not a directory`);
  if (real === places.canonical("/")) {
    throw new ConfigError(`workspace ${given} is the root of the file system; name one project`);
  }
  const home = environment["HOME"] ?? environment["USERPROFILE"] ?? "";
  if (home !== "" && real === places.canonical(home)) {
    throw new ConfigError(`workspace ${given} is the home directory; name one project inside it`);
  }
  return real;
}

/** Security: a path that stayed relative would be looked up in the workspace, where the commands are. */
function resolveShell(given: string, currentDirectory: string): string {
  return /[\\/]/.test(given) ? absolute(given, currentDirectory) : given;
}

function resolveRuntimeRoot(given: string | undefined, workspace: string, scene: ResolveScene): string | null {
  if (given === undefined) return null;
  const path = absolute(given, scene.currentDirectory);
  const real = scene.places.canonical(path) ?? path;
  if (isWithin(real, workspace)) {
    throw new ConfigError(`VISE_RUNTIME_ROOT ${given} lies inside the workspace`);
  }
  return path;
}

/** Security: a command could replace its own cache by a link, and the next one would be allowed to write where that leads. */
function resolveCacheDir(given: string, workspace: string, scene: ResolveScene): string {
  const path = absolute(given, scene.currentDirectory);
  if (isWithin(nearestReal(path, scene.places), workspace)) {
    throw new ConfigError(
      `--cache-dir ${given} lies inside the workspace, where commands could replace it; name a directory outside`,
    );
  }
  return path;
}

/**
 * The directories as they are at the start. What lies in the workspace needs no rule.
 *
 * Security: a rule for a path in the workspace would follow the link that a command put in its place.
 */
function resolveAllowRoots(given: string | undefined, workspace: string, { places, currentDirectory }: ResolveScene) {
  return pathList(given).flatMap((root) => {
    const path = absolute(root, currentDirectory);
    if (isWithin(nearestReal(parentOf(path), places), workspace)) return [];
    return isWithin(nearestReal(path, places), workspace) ? [] : [places.canonical(path) ?? path];
  });
}

/** The canonical form of `path`, or of its nearest ancestor that exists with the rest as it is spelled. */
function nearestReal(path: string, places: Places): string {
  const real = places.canonical(path);
  const parent = parentOf(path);
  if (real !== null || parent === path) return real ?? path;
  return nearestReal(parent, places) + path.slice(parent.length);
}

function parentOf(path: string): string {
  const cut = path.replace(/[\\/]+$/, "").search(/[\\/][^\\/]*$/);
  return cut <= 0 ? path.slice(0, 1) : path.slice(0, cut);
}

function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root + "/") || path.startsWith(root + "\\");
}

/** Joined to the current directory unless it is absolute already, on POSIX or on Windows. */
function absolute(path: string, currentDirectory: string): string {
  return /^(?:\/|\\|[A-Za-z]:[\\/])/.test(path) ? path : `${currentDirectory}/${path}`;
}

function resolveHttp(raw: RawConfig, env: (name: string) => string | undefined): HttpConfig {
  const bound = typeof raw.http === "string" ? /^(.*):(\d+)$/.exec(raw.http) : null;
  if (typeof raw.http === "string" && bound === null) {
    throw new ConfigError(`--http takes HOST:PORT, not "${raw.http}"`);
  }
  const authMode = env("AUTH_MODE") ?? (raw.oauth ? "oauth" : undefined);
  const authToken = raw.authToken ?? null;
  const generateAuthToken = isTruthy(env("GENERATE_AUTH_TOKEN")) && authMode !== "noauth";
  if (authMode !== undefined && authMode !== "bearer" && authMode !== "noauth" && authMode !== "oauth") {
    throw new ConfigError(`VISE_AUTH_MODE must be one of bearer, noauth, oauth, not "${authMode}"`);
  }
  if ((raw.tlsCert === undefined) !== (raw.tlsKey === undefined)) {
    throw new ConfigError("--tls-cert and --tls-key go together");
  }
  return {
    host: raw.host ?? bound?.[1]?.replace(/^\[(.*)\]$/, "$1") ?? "127.0.0.1",
    port: raw.port ??
      (bound === null ? 8_000 : wholeNumber(bound[2] as string, { name: "--http", min: 0, max: 65_535 })),
    tlsCert: raw.tlsCert ?? null,
    tlsKey: raw.tlsKey ?? null,
    authMode: authModeOf({ authMode: raw.oauth ? "oauth" : authMode, authToken, generateAuthToken }),
    authToken,
    generateAuthToken,
    serverUrl: checkedUrl(env("SERVER_URL")),
    trustProxyHeaders: isTruthy(env("TRUST_PROXY_HEADERS")),
    allowedOrigins: commaList(env("ALLOWED_ORIGINS")).map((origin) => origin.replace(/\/+$/, "")),
    oauth: {
      password: env("OAUTH_PASSWORD") ?? null,
      tokenSecret: checkedSecret(env("OAUTH_TOKEN_SECRET")),
      tokenTtlS: wholeNumber(env("OAUTH_TOKEN_TTL") ?? "86400", {
        name: "VISE_OAUTH_TOKEN_TTL",
        min: 60,
        max: 604_800,
      }),
      clientId: env("OAUTH_CLIENT_ID") ?? null,
      clientSecret: env("OAUTH_CLIENT_SECRET") ?? null,
      redirectUris: commaList(env("OAUTH_REDIRECT_URIS")),
    },
  };
}

/** What is really asked for: a token that was given is always asked for, whatever the mode is called. */
function authModeOf(
  given: Pick<HttpConfig, "authToken" | "generateAuthToken"> & { authMode: AuthMode | undefined },
): AuthMode {
  if (given.authMode === "oauth") return "oauth";
  return given.authToken !== null || given.generateAuthToken ? "bearer" : given.authMode ?? "noauth";
}

function checkedUrl(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (/^https?:\/\/[^\s/\\@?#]+(?:\/[^\s\\?#]*)?$/.test(text) && URL.canParse(text) && !/\/mcp\/*$/.test(text)) {
    return text;
  }
  throw new ConfigError(
    `VISE_SERVER_URL must be an http or https address without user, query and the final /mcp, not "${text}"`,
  );
}

function checkedSecret(hex: string | undefined): string | null {
  if (hex === undefined) return null;
  // 32 bytes: the size of an HS256 key (RFC 7518 section 3.2).
  if (!/^(?:[0-9a-fA-F]{2}){32,}$/.test(hex)) {
    throw new ConfigError("VISE_OAUTH_TOKEN_SECRET must be hexadecimal and at least 32 bytes long");
  }
  return hex;
}

/** Security: beyond loopback anybody on the network could run commands here, so a way to tell friends is required (contract 2.8). */
function checkBinding(http: HttpConfig): void {
  if (http.authMode === "bearer" && http.authToken === null && !http.generateAuthToken) {
    throw new ConfigError("VISE_AUTH_MODE=bearer needs a token: give --auth-token or VISE_GENERATE_AUTH_TOKEN=1");
  }
  if (isLoopbackBinding(http.host) || http.authMode === "oauth" || http.authToken !== null || http.generateAuthToken) {
    return;
  }
  throw new ConfigError(
    `binding ${http.host} needs authentication: give --auth-token, VISE_GENERATE_AUTH_TOKEN=1 or --oauth-mode`,
  );
}

function checkFakedAnnotations(
  { permissionMode, transport, http }: Pick<Config, "permissionMode" | "transport" | "http">,
): void {
  if (permissionMode !== "dangerous") {
    throw new ConfigError("--dangerously-fake-readonly-annotations needs --permission-mode dangerous");
  }
  const authenticated = http.authMode === "oauth" || http.authToken !== null || http.generateAuthToken;
  if (transport === "http" && !authenticated) {
    throw new ConfigError("--dangerously-fake-readonly-annotations over HTTP needs authentication");
  }
}

function commaList(text: string | undefined): string[] {
  return (text ?? "").split(",").map((part) => part.trim()).filter((part) => part !== "");
}

function pathList(text: string | undefined): string[] {
  return (text ?? "").split(":").filter((part) => part !== "");
}

function stringMap(text: string | undefined): Record<string, string> {
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ConfigError("VISE_SHELL_ENV_SET must be a JSON object");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ConfigError("VISE_SHELL_ENV_SET must be a JSON object");
  }
  for (const [name, inner] of Object.entries(value)) {
    if (!/^[^=\0]+$/.test(name) || typeof inner === "object" || String(inner).includes("\0")) {
      throw new ConfigError(
        `VISE_SHELL_ENV_SET cannot set ${JSON.stringify(name)}: it needs a name without = and a text`,
      );
    }
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, String(inner)]));
}

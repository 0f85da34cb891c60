/**
 * Finds the toolchains that the server's PATH leads to, so that commands can read and execute them (O-35).
 *
 * Landlock grants whole directories only. Files with credentials are therefore left out by granting the directories
 * beside them: the known layout of each version manager, and for an unknown prefix its entries one by one.
 */

import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { resolveOutside } from "./resolve_outside.ts";
import { HOMEBREW_PLACES, MANAGERS, type VersionManager } from "./version_managers.ts";

/** What a command may use of one installation. */
export interface Toolchain {
  /** Version manager or `prefix` for a directory on PATH that belongs to none of them. */
  readonly kind: string;
  /** Real directory it lives in, for reports. */
  readonly home: string;
  /** Real paths that may be read and executed, never written. */
  readonly roots: readonly string[];
  /** Variables the toolchain needs because HOME is another one for commands. */
  readonly env: Readonly<Record<string, string>>;
}

/** Where to look: PATH, and the home directory that the version managers live in. */
export interface ToolchainSearch {
  readonly environment: Readonly<Record<string, string>>;
  /** Real home directory of the user; null when unknown. */
  readonly home: string | null;
  /** Canonical workspace root: what lies in it needs no grant. */
  readonly workspace: string;
}

/** Directories that the sandbox makes readable for every command (contract 6.2). */
const SYSTEM_ROOTS = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc/alternatives"] as const;

/** Names of files that hold credentials, wherever they lie in a toolchain. */
const CREDENTIAL_NAMES =
  /^(\.?npmrc|\.yarnrc.*|\.?netrc|\.?pypirc|\.?pip|pip\.conf|\.?credentials(\..*)?|auth\.json|settings-security\.xml|config\.toml|config|\.git.*|.*\.(pem|key|p12|pfx)|id_\w+)$/i;

/** Links looked at in one directory of programs: pipx, uv and npm put one per program. */
const MAX_LINKS_PER_DIRECTORY = 512;

/** Every toolchain that PATH (or `JAVA_HOME`) leads to. Reads directories only, runs nothing, never throws. */
export function findToolchains(search: ToolchainSearch): Toolchain[] {
  const forbidden = forbiddenRoots(search);
  const found = new Map<string, Toolchain>();
  const spelled = spelledEntries(search);
  const outside = spelled.flatMap((path) => realOrNone(path, search));
  const inWorkspace = spelled.filter((path) => realOrNone(path, search).length === 0);
  const behind = [
    ...[...new Set(outside)].flatMap((entry) => toolchainsBehind(entry, search)),
    ...inWorkspace.flatMap((entry) => managersLinkedFrom(entry, search)),
  ];
  for (const toolchain of behind) {
    const roots = toolchain.roots.filter((root) => !forbidden(root) && !isSystem(root));
    if (roots.length === 0) continue;
    const known = found.get(toolchain.home);
    found.set(toolchain.home, {
      ...toolchain,
      kind: known?.kind ?? toolchain.kind,
      roots: [...new Set([...(known?.roots ?? []), ...roots])],
      env: { ...known?.env, ...toolchain.env },
    });
  }
  return [...found.values()];
}

/** Directories that PATH names, and the one of `JAVA_HOME`. */
function spelledEntries({ environment }: ToolchainSearch): string[] {
  const spelled = (environment.PATH ?? "").split(delimiter).filter(isAbsolute);
  const java = environment.JAVA_HOME;
  if (java && isAbsolute(java)) spelled.push(join(java, "bin"));
  return [...new Set(spelled)];
}

/**
 * Version managers that a directory of the workspace links to, as `.venv/bin` does.
 *
 * Security: a command may have put these links there, so nothing but the known parts of a known manager is opened.
 */
function managersLinkedFrom(directory: string, search: ToolchainSearch): Toolchain[] {
  return linksIn(directory).slice(0, MAX_LINKS_PER_DIRECTORY).flatMap((link) => {
    try {
      return managersBehind(dirname(realpathSync(link)), search);
    } catch {
      return []; // A link to nothing.
    }
  });
}

function toolchainsBehind(directory: string, search: ToolchainSearch): Toolchain[] {
  const managers = managersBehind(directory, search);
  const own = managers.length > 0 ? managers : prefixBehind(directory, search);
  if (isSystem(directory) && !isWithin(directory, "/usr/local")) return managers;
  return [...own, ...linkedPrefixes(directory, search)];
}

function managersBehind(directory: string, search: ToolchainSearch): Toolchain[] {
  const found = MANAGERS.flatMap((manager) => {
    const home = managerPlaces(manager, search).find((place) => isWithin(directory, place));
    return home === undefined ? [] : [managed(manager, home, search)];
  });
  if (found.some(({ kind }) => kind === "cargo")) {
    // The programs in ~/.cargo/bin are proxies that need what rustup installed beside it.
    const rustup = MANAGERS.find(({ kind }) => kind === "rustup") as VersionManager;
    const home = managerPlaces(rustup, search)[0];
    if (home !== undefined) found.push(managed(rustup, home, search));
  }
  if (isWithin(directory, "/nix")) {
    found.push({ kind: "nix", home: "/nix", roots: ["/nix/store", "/nix/var/nix/profiles"], env: {} });
  }
  return found;
}

/** Real directories where `manager` may live, the one its variable names first. */
function managerPlaces(manager: VersionManager, search: ToolchainSearch): string[] {
  const { environment, home } = search;
  const named = environment[manager.variable];
  const places = named && isAbsolute(named) ? [named] : [];
  if (home !== null) places.push(join(home, manager.usual));
  if (manager.kind === "homebrew") places.push(...HOMEBREW_PLACES);
  if (manager.kind === "pipx" && home !== null) places.push(join(home, ".local/pipx"));
  return places.flatMap((place) => realOrNone(place, search));
}

function managed(manager: VersionManager, home: string, search: ToolchainSearch): Toolchain {
  return {
    kind: manager.kind,
    home,
    roots: manager.grants.flatMap((grant) => granted(home, grant, search)),
    env: manager.handOn ? { [manager.variable]: home } : {},
  };
}

function granted(home: string, grant: string, search: ToolchainSearch): string[] {
  if (grant !== "*" && !grant.endsWith("/*")) return realOrNone(join(home, grant), search);
  const parent = join(home, grant.slice(0, -1));
  return namesIn(parent).flatMap((name) => realOrNone(join(parent, name), search))
    .flatMap((version) => entriesWithoutCredentials(version, search));
}

/** A directory of programs that no manager owns: itself, and its prefix unless that is a home directory. */
function prefixBehind(directory: string, search: ToolchainSearch): Toolchain[] {
  if (isSystem(directory) || isWithin(directory, search.workspace)) return [];
  const prefix = dirname(directory);
  if (basename(directory) !== "bin" || isPersonal(prefix, search)) {
    return [{ kind: "prefix", home: directory, roots: [directory], env: {} }];
  }
  const entries = entriesWithoutCredentials(prefix, search).filter((entry) =>
    !isInHome(prefix, search) || isProgramPart(prefix, entry)
  );
  return [{ kind: "prefix", home: prefix, roots: [directory, ...entries], env: {} }];
}

/** What belongs to a program that is installed under a prefix of its own. */
const PROGRAM_PARTS: ReadonlySet<string> = new Set([
  "bin",
  "sbin",
  "lib",
  "lib32",
  "lib64",
  "libexec",
  "include",
  "share",
  "conf",
  "jmods",
  "legal",
  "release",
  "pyvenv.cfg",
  "node_modules",
]);
/** The rest of a Go distribution, which has a file `VERSION`; in `~/go` the same names hold the user's own sources. */
const GO_PARTS: ReadonlySet<string> = new Set(["src", "pkg", "VERSION", "go.env", "misc", "api"]);

/** Security: beside `~/projects/bin` lie other projects; below a home directory only the parts of a program are opened. */
function isProgramPart(prefix: string, entry: string): boolean {
  const name = basename(entry);
  return PROGRAM_PARTS.has(name) || (GO_PARTS.has(name) && existsSync(join(prefix, "VERSION")));
}

function isInHome(path: string, search: ToolchainSearch): boolean {
  const own = homesOf(search);
  return own.some((place) => isWithin(path, place)) || /^\/(?:home|Users)\/[^/]+\/|^\/root\//.test(path + "/");
}

/** Prefixes of programs that `directory` only links to, as pipx, uv and npm do it. */
function linkedPrefixes(directory: string, search: ToolchainSearch): Toolchain[] {
  const homes = new Set<string>();
  const toolchains: Toolchain[] = [];
  for (const link of linksIn(directory).slice(0, MAX_LINKS_PER_DIRECTORY)) {
    const [target] = realOrNone(link, search);
    if (target === undefined || isSystem(target) || isWithin(target, directory)) continue;
    const place = dirname(target);
    if (homes.has(place)) continue;
    homes.add(place);
    const managers = managersBehind(place, search);
    toolchains.push(...(managers.length > 0 ? managers : linked(target, search)));
  }
  return toolchains;
}

function linked(target: string, search: ToolchainSearch): Toolchain[] {
  if (isWithin(target, search.workspace)) return [];
  const place = dirname(target);
  if (basename(place) === "bin") return prefixBehind(place, search);
  // npm links to a script deep in its package: the directory that holds the packages is what the script needs.
  const packages = /^(.*\/node_modules)\//.exec(target)?.[1];
  const root = packages ?? target;
  return [{ kind: "prefix", home: packages ?? place, roots: [root], env: {} }];
}

/** Entries of a prefix that may be granted: no dot entry, nothing named like credentials; `etc` file by file. */
function entriesWithoutCredentials(prefix: string, search: ToolchainSearch): string[] {
  if (!isDirectory(prefix)) return [prefix];
  return namesIn(prefix).flatMap((name) => {
    if (name.startsWith(".") || CREDENTIAL_NAMES.test(name)) return [];
    const path = join(prefix, name);
    return name === "etc" ? entriesWithoutCredentials(path, search) : realOrNone(path, search);
  });
}

/**
 * Security: a PATH entry such as `/` or `~` would open everything to commands; so would a link in a directory of
 * programs that leads to one of these.
 */
function forbiddenRoots(search: ToolchainSearch): (root: string) => boolean {
  const { home, workspace } = search;
  const closed = [workspace, "/etc", "/var", "/proc", "/sys", "/dev", "/run", "/tmp", "/root", "/home", "/opt"];
  if (home !== null) closed.push(...homesOf(search), join(home, ".ssh"), join(home, ".config"), join(home, ".local"));
  if (home !== null) closed.push(join(home, ".local/share"), join(home, ".gnupg"), join(home, ".aws"));
  return (root) =>
    root === "/" || ANY_HOME.test(root) || closed.some((place) => isWithin(place, root)) ||
    CREDENTIAL_NAMES.test(basename(root)) ||
    (home !== null && [".ssh", ".config", ".gnupg", ".aws"].some((name) => isWithin(root, join(home, name))));
}

/** Somebody's home directory, or the `.local` in it: programs may be linked from anywhere. */
const ANY_HOME = /^\/(?:(?:home|Users)\/[^/]+|root)(?:\/\.local(?:\/share)?)?$/;

/** Whether `prefix` holds personal things beside programs: the home directory, `~/.local`, and what lies above them. */
function isPersonal(prefix: string, search: ToolchainSearch): boolean {
  const personal = homesOf(search).flatMap((at) => [at, join(at, ".local")]);
  return prefix === "/" || ANY_HOME.test(prefix) ||
    [...personal, search.workspace].some((place) => isWithin(place, prefix)) ||
    isSystem(prefix);
}

function isSystem(path: string): boolean {
  return SYSTEM_ROOTS.some((root) => isWithin(path, root));
}

function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : root + "/");
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The home directory as spelled and as it is. */
function homesOf(search: ToolchainSearch): string[] {
  return search.home === null ? [] : [search.home, ...realOrNone(search.home, search)];
}

/** The real path; none when nothing is there, or when the way leads through the workspace. */
function realOrNone(path: string, { workspace }: ToolchainSearch): string[] {
  const real = resolveOutside(path, workspace);
  return real === null ? [] : [real];
}

function linksIn(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isSymbolicLink()).map((entry) => join(directory, entry.name));
  } catch {
    return [];
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

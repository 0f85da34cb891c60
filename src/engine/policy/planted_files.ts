/**
 * Notices when a command changes a file that runs something later, outside the sandbox (O-26).
 *
 * Commands may write such files (`git config`, an installed hook); the person who works in the workspace should know.
 */

import { lstatSync, readdirSync, readFileSync, type Stats } from "node:fs";
import { join, relative } from "node:path";
import { NamePresence } from "./name_presence.ts";

/** Files below the workspace that git, editors, agents and shells run or obey. */
const FILES: readonly string[] = [
  ".git",
  ".git/config.worktree",
  ".git/info/attributes",
  ".mcp.json",
  ".vscode/tasks.json",
  ".vscode/settings.json",
  ".vscode/launch.json",
  ".vscode/mcp.json",
  ".cursor/mcp.json",
  ".cursor/hooks.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".gemini/settings.json",
  ".codex/config.toml",
  ".zed/settings.json",
  ".zed/tasks.json",
  ".idea/workspace.xml",
  ".devcontainer/devcontainer.json",
  ".devcontainer.json",
  ".envrc",
  ".direnvrc",
  ".mise.toml",
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".profile",
  ".zshenv",
  ".zshrc",
  ".zprofile",
  ".zlogin",
  ".config/fish/config.fish",
  ".gitconfig",
  ".ssh/config",
  ".ssh/rc",
];

/** Directories of which every entry is run by its name. */
const DIRECTORIES: readonly string[] = [".git/hooks", ".husky", ".githooks", ".claude/hooks"];
/** The repository's configuration: only lines that run something count, since git itself rewrites it all the time. */
const GIT_CONFIG = ".git/config";
/** What the watched paths begin with: most workspaces hold few of these. */
const FIRST_NAMES: readonly string[] = [...new Set([...FILES, ...DIRECTORIES, GIT_CONFIG].map(firstName))];
const RUNNING_SETTING =
  /^\s*(fsmonitor|hookspath|sshcommand|pager|editor|askpass|external|command|textconv|clean|smudge|process|driver|helper|program|gitproxy|path|cmd|tool|packobjectshook|receivepack|uploadpack|vcs|update|proxy|insteadof|pushinsteadof)\s*=|=\s*"?!|^\s*\[\s*(alias|include|includeif|filter|credential)\b/i;
/** Entries of one hook directory that are looked at. */
const MAX_ENTRIES = 256;
/** A larger configuration file is compared by size and time only. */
const MAX_CONFIG_BYTES = 256 * 1024;

/** Watches one command: what changed since it started, each file named once. */
export class PlantedFiles {
  readonly #places: readonly string[];
  readonly #root: string;
  readonly #presence: NamePresence;
  #known: Map<string, string>;

  /** Takes the first look. `workdir` is watched like the root when it is another directory; `presence` may outlive this command. */
  constructor(root: string, workdir: string, presence: NamePresence = new NamePresence()) {
    this.#root = root;
    this.#presence = presence;
    this.#places = root === workdir ? [root] : [root, workdir];
    this.#known = this.#look();
  }

  /** Workspace-relative paths that appeared, changed or vanished since the last call. */
  changes(): string[] {
    const now = this.#look();
    const changed = [...new Set([...this.#known.keys(), ...now.keys()])]
      .filter((path) => this.#known.get(path) !== now.get(path));
    this.#known = now;
    return changed.map((path) => relative(this.#root, path)).sort();
  }

  /** The warnings of a result for `changes()`. */
  warnings(): string[] {
    return this.changes().map((path) => {
      return `${path} was changed by a command and runs or configures programs outside the sandbox; review it before you use it`;
    });
  }

  #look(): Map<string, string> {
    const seen = new Map<string, string>();
    for (const place of this.#places) {
      const present = new Set(this.#presence.among(place, FIRST_NAMES));
      const isThere = (path: string): boolean => present.has(firstName(path));
      for (const file of FILES.filter(isThere)) note(seen, join(place, file));
      for (const directory of DIRECTORIES.filter(isThere)) {
        for (const name of entriesOf(join(place, directory))) note(seen, join(place, directory, name));
      }
      if (isThere(GIT_CONFIG)) noteConfig(seen, join(place, GIT_CONFIG));
    }
    return seen;
  }
}

function firstName(path: string): string {
  return path.split("/", 1)[0] as string;
}

function note(seen: Map<string, string>, path: string): void {
  const stats = statsOf(path);
  // A directory changes with every file in it; as `.git` only the file form (a pointer elsewhere) matters.
  if (stats !== null && !stats.isDirectory()) seen.set(path, signature(stats));
}

function noteConfig(seen: Map<string, string>, path: string): void {
  const stats = statsOf(path);
  if (stats === null) return;
  if (!stats.isFile() || stats.size > MAX_CONFIG_BYTES) {
    seen.set(path, signature(stats));
    return;
  }
  try {
    const lines = readFileSync(path, "utf8").split("\n").filter((line) => RUNNING_SETTING.test(line));
    if (lines.length > 0) seen.set(path, lines.join("\n"));
  } catch {
    // Replaced just now: the next look sees it.
  }
}

function signature({ ino, size, mode, mtimeMs, ctimeMs }: Stats): string {
  return [ino, size, mode, mtimeMs, ctimeMs].join(" ");
}

function statsOf(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function entriesOf(directory: string): string[] {
  try {
    // Samples that `git init` puts there are never run.
    return readdirSync(directory).filter((name) => !name.endsWith(".sample")).slice(0, MAX_ENTRIES);
  } catch {
    return [];
  }
}

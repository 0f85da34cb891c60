/**
 * Carries the few harmless settings of the user's git configuration over to commands (O-36).
 *
 * Commands have another HOME, so git would know neither an author nor the user's ignore rules. Handing them the real
 * file would also hand over its helpers, hooks, URLs and tokens; these five values are copied into a new one instead.
 */

import { execFile } from "node:child_process";
import { chmodSync, existsSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findTrustedProgram } from "./find_trusted_program.ts";
import { resolveOutside } from "./resolve_outside.ts";

/** What is read, as git spells keys in its output. */
const KEYS = ["user.name", "user.email", "core.excludesfile", "core.autocrlf", "init.defaultbranch"] as const;
/** Only reads files; a hanging network home must not hold a command for long. */
const READ_TIMEOUT_MS = 3_000;
/** Ignore files are a few hundred lines; a larger one is something else. */
const MAX_EXCLUDES_BYTES = 256 * 1024;

/** The values that are carried over, by their keys in git-config(1); absent ones are not set. */
export type GitSettings = Readonly<Partial<Record<(typeof KEYS)[number], string>>>;

/** Whose configuration is asked, and for which repository. */
export interface GitConfigurationSource {
  /** Environment of the server: where the user's real configuration is. */
  readonly environment: Readonly<Record<string, string>>;
  /** Canonical workspace root: conditional includes (`includeIf "gitdir:…"`) depend on it. */
  readonly root: string;
}

/** The user's values, by one `git config` call. Empty when git is missing, may not run or fails. */
export function readGitSettings(source: GitConfigurationSource): Promise<GitSettings> {
  const pattern = `^(${KEYS.join("|").replaceAll(".", "\\.")})$`;
  const args = ["config", "--includes", "--show-scope", "--null", "--get-regexp", pattern];
  const program = findTrustedProgram("git", { searchPath: source.environment["PATH"] ?? "", workspace: source.root });
  if (program === null) return Promise.resolve({});
  return new Promise((resolve) => {
    try {
      execFile(
        program,
        args,
        { cwd: source.root, env: { ...source.environment }, timeout: READ_TIMEOUT_MS, encoding: "utf8" },
        (_fault, stdout) => resolve(parseSettings(stdout)),
      );
    } catch {
      // Deno refuses synchronously when the program may not be run.
      resolve({});
    }
  });
}

/** Reads `scope NUL key LF value NUL` records; values of the repository itself stay where they are. */
function parseSettings(output: string): GitSettings {
  const fields = output.split("\0");
  const settings: Partial<Record<string, string>> = {};
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const scope = fields[at];
    const record = fields[at + 1] as string;
    const lineEnd = record.indexOf("\n");
    const key = lineEnd < 0 ? record : record.slice(0, lineEnd);
    if ((scope !== "global" && scope !== "system") || !(KEYS as readonly string[]).includes(key)) continue;
    // A key without `=` means true (git-config(1)).
    settings[key] = lineEnd < 0 ? "true" : record.slice(lineEnd + 1);
  }
  return settings as GitSettings;
}

/** What is written, and where to. */
export interface GeneratedGitConfiguration extends GitConfigurationSource {
  readonly settings: GitSettings;
  /** Where the generated file goes. */
  readonly path: string;
  /** Where a copy of the user's ignore file goes: commands may not read the original. */
  readonly excludesPath: string;
}

/** Writes the file, read-only. Returns the paths that commands must be able to read. */
export function writeGitConfiguration(generated: GeneratedGitConfiguration): string[] {
  const { settings, root, path, excludesPath } = generated;
  const excludes = copyExcludes(generated);
  const lines = ["# Made by vise for the commands it runs.", "[safe]", setting("directory", root)];
  if (settings["user.name"] !== undefined || settings["user.email"] !== undefined) lines.push("[user]");
  if (settings["user.name"] !== undefined) lines.push(setting("name", settings["user.name"]));
  if (settings["user.email"] !== undefined) lines.push(setting("email", settings["user.email"]));
  if (excludes || settings["core.autocrlf"] !== undefined) lines.push("[core]");
  if (excludes) lines.push(setting("excludesFile", excludesPath));
  if (settings["core.autocrlf"] !== undefined) lines.push(setting("autocrlf", settings["core.autocrlf"]));
  if (settings["init.defaultbranch"] !== undefined) {
    lines.push("[init]", setting("defaultBranch", settings["init.defaultbranch"]));
  }
  replaceReadOnly(path, lines.join("\n") + "\n");
  return excludes ? [path, excludesPath] : [path];
}

/** The user's ignore file: the configured one, else git's default place (gitignore(5)). Null when there is none. */
export function excludesFileOf({ settings, environment }: Pick<GeneratedGitConfiguration, "settings" | "environment">):
  | string
  | null {
  const home = environment.HOME;
  const configured = settings["core.excludesfile"];
  if (configured !== undefined) {
    if (configured.startsWith("/")) return configured;
    return configured.startsWith("~/") && home ? join(home, configured.slice(2)) : null;
  }
  const config = environment.XDG_CONFIG_HOME || (home ? join(home, ".config") : "");
  return config === "" ? null : join(config, "git/ignore");
}

function copyExcludes(generated: GeneratedGitConfiguration): boolean {
  const original = excludesFileOf(generated);
  try {
    if (original === null || !existsSync(original)) return false;
    // Security: a command may have put a link to somebody's secrets in the place of an ignore file in the workspace.
    const real = realpathSync(original);
    if (resolveOutside(original, generated.root) === null && !real.startsWith(generated.root + "/")) return false;
    const stats = statSync(original);
    if (!stats.isFile() || stats.size > MAX_EXCLUDES_BYTES) return false;
    replaceReadOnly(generated.excludesPath, readFileSync(original, "utf8"));
    return true;
  } catch {
    // Not readable for this user: git itself would go on without it.
    return false;
  }
}

function replaceReadOnly(path: string, content: string): void {
  rmSync(path, { force: true });
  writeFileSync(path, content, { mode: 0o400, flag: "wx" });
  chmodSync(path, 0o400);
}

/** One `key = value` line with the quoting of git-config(1); other control characters cannot be written there. */
function setting(key: string, value: string): string {
  const escaped = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("\t", "\\t");
  // deno-lint-ignore no-control-regex
  return `\t${key} = "${escaped.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "")}"`;
}

/** What is set for every start of git, so that no configuration runs a program or changes what is printed (git-config(1)). */

import { resolve } from "node:path";

/**
 * Settings that win over every configuration file (they are given in the environment, the scope "command").
 *
 * The first group keeps programs from running, the second keeps the output stable whatever user or repository set.
 */
const SETTINGS: readonly (readonly [string, string])[] = [
  // Security: each of these names a program or a place that git would run or read.
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.attributesFile", "/dev/null"],
  ["core.pager", "cat"],
  ["core.editor", "false"],
  ["core.askPass", "false"],
  ["core.sshCommand", "false"],
  ["core.gitProxy", ""],
  ["core.alternateRefsCommand", "false"],
  ["credential.helper", ""],
  ["diff.external", ""],
  ["gpg.program", "false"],
  ["gpg.ssh.program", "false"],
  ["gpg.x509.program", "false"],
  ["log.showSignature", "false"],
  ["protocol.allow", "never"],
  ["uploadpack.packObjectsHook", ""],
  ["submodule.recurse", "false"],
  ["status.submoduleSummary", "false"],
  ["mailmap.file", ""],
  ["mailmap.blob", ""],
  ["core.notesRef", "refs/notes/commits"],
  ["notes.displayRef", "refs/notes/commits"],

  ["advice.graftFileDeprecated", "false"],
  ["blame.blankBoundary", "false"],
  ["blame.markIgnoredLines", "false"],
  ["blame.markUnblamableLines", "false"],
  ["blame.showRoot", "false"],
  ["color.ui", "false"],
  ["color.diff", "false"],
  ["color.status", "false"],
  ["color.branch", "false"],
  ["column.ui", "never"],
  ["core.abbrev", "auto"],
  ["core.bigFileThreshold", "512m"],
  ["core.quotePath", "false"],
  ["core.safecrlf", "false"],
  ["core.warnAmbiguousRefs", "false"],
  ["core.commentChar", "#"],
  ["diff.algorithm", "default"],
  ["diff.colorMoved", "no"],
  ["diff.context", "3"],
  ["diff.ignoreSubmodules", "dirty"],
  ["diff.indentHeuristic", "true"],
  ["diff.interHunkContext", "0"],
  ["diff.mnemonicPrefix", "false"],
  ["diff.noprefix", "false"],
  ["diff.orderFile", "/dev/null"],
  ["diff.relative", "false"],
  ["diff.renameLimit", "1000"],
  ["diff.renames", "true"],
  ["diff.submodule", "short"],
  ["diff.suppressBlankEmpty", "false"],
  ["diff.wsErrorHighlight", "none"],
  ["i18n.logOutputEncoding", "UTF-8"],
  ["log.abbrevCommit", "false"],
  ["log.date", "iso-strict"],
  ["log.decorate", "false"],
  ["log.diffMerges", "first-parent"],
  ["log.follow", "false"],
  ["log.mailmap", "false"],
  ["log.showRoot", "true"],
  ["status.aheadBehind", "true"],
  ["status.branch", "false"],
  ["status.renameLimit", "1000"],
  ["status.renames", "true"],
  ["status.relativePaths", "false"],
  ["status.short", "false"],
  ["status.showStash", "false"],
  ["status.showUntrackedFiles", "normal"],
];

/** Variables every start of git gets beside PATH and the two configuration files (git(1), "Environment Variables"). */
export const GIT_VARIABLES: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  LANG: "C",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_ASKPASS: "false",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_EDITOR: "false",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_PROTOCOL_FROM_USER: "0",
  GIT_SSH_COMMAND: "false",
  GIT_TERMINAL_PROMPT: "0",
  SSH_ASKPASS: "false",
};

/** The settings above and `extra` as `GIT_CONFIG_COUNT`, `GIT_CONFIG_KEY_n`, `GIT_CONFIG_VALUE_n` (git 2.31 and later). */
export function settingVariables(extra: readonly (readonly [string, string])[]): Record<string, string> {
  const all = [...SETTINGS, ...extra];
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(all.length) };
  all.forEach(([key, value], index) => {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return variables;
}

/**
 * True when configuration text may define something that cannot be switched off by a fixed setting: a content filter,
 * an included file, an ignore file elsewhere, a working tree that is not there. Then git itself has to list it.
 *
 * A section name has no escapes (git-config(1), "Syntax"), so a text without these words cannot define them.
 */
export function needsListing(configText: string): boolean {
  return /filter|include|excludesfile|\bbare\b(?!\s*=\s*false)/i.test(configText);
}

/** What a full listing of the configuration asks for. */
export interface ConfigFindings {
  readonly settings: readonly (readonly [string, string])[];
  readonly bare: boolean;
  /** Names of content filters that are switched off. */
  readonly filters: readonly string[];
}

/**
 * Reads `git config --list -z --show-scope` (`scope NUL key LF value NUL`) and returns the settings that neutralise it.
 *
 * Security: every content filter gets empty commands, which git treats as no filter, and `required=false`, so that the
 * file is compared as it is instead of failing. An ignore file outside `root` could tell what stands in it.
 */
export function inspectConfig(listing: readonly string[], place: { root: string; cwd: string }): ConfigFindings {
  const filters = new Set<string>();
  let bare = false;
  let excludesFile = "";
  for (let at = 0; at + 1 < listing.length; at += 2) {
    const scope = listing[at] as string;
    const entry = listing[at + 1] as string;
    const lineEnd = entry.indexOf("\n");
    const key = lineEnd < 0 ? entry : entry.slice(0, lineEnd);
    const value = lineEnd < 0 ? "true" : entry.slice(lineEnd + 1);
    const filter = /^filter\.([^\n]*)\.[^.]+$/.exec(key)?.[1];
    if (filter !== undefined) filters.add(filter);
    if (key === "core.bare") bare = /^(true|yes|on|1)$/i.test(value);
    if (key === "core.excludesfile") excludesFile = scope === "local" || scope === "worktree" ? value : "";
  }
  const settings: [string, string][] = [];
  for (const name of filters) {
    settings.push([`filter.${name}.clean`, ""], [`filter.${name}.smudge`, ""], [`filter.${name}.process`, ""]);
    settings.push([`filter.${name}.required`, "false"]);
  }
  if (excludesFile !== "" && !(resolve(place.cwd, excludesFile) + "/").startsWith(place.root + "/")) {
    settings.push(["core.excludesFile", "/dev/null"]);
  }
  return { settings, bare, filters: [...filters] };
}

/**
 * Which entries of a directory git would ignore.
 *
 * Lists count from the weakest to the strongest: the user's excludes file, `.git/info/exclude`, then the `.gitignore`
 * of every directory from the top of the repository down (gitignore(5)). `.gitignore` files count outside repositories
 * too (O-45). A directory with its own `.git` is another repository: rules from above end there.
 */

import { pathToBytes } from "../../base/path_text.ts";
import type { EntryKind } from "../../platform/file_facts.ts";
import { nameOf, pathIn } from "../../base/tree_path.ts";
import type { Tree } from "../../platform/tree.ts";
import { IgnoreList } from "./ignore_list.ts";
import type { PathStates } from "./path_patterns.ts";

/** Rules that hold before the workspace's own, as bytes of ignore files. */
export interface OuterRules {
  /** Content of `core.excludesFile`; null when there is none. It holds in nested repositories too. */
  readonly userExcludes: Uint8Array | null;
  /** `info/exclude` of the repository that holds the root; null where it lies in the root's own `.git` directory. */
  readonly repositoryExcludes: Uint8Array | null;
  /** Directories above the root inside the same repository, from the top down, each with the name of the next one. */
  readonly above: readonly { readonly gitignore: Uint8Array | null; readonly next: string }[];
}

/** Nothing from outside: the `.gitignore` files of the tree alone. */
export const NO_OUTER_RULES: OuterRules = { userExcludes: null, repositoryExcludes: null, above: [] };

/** What a listing already knows of a directory; saves opening files that are not there. */
export interface RuleFiles {
  readonly hasGitignore: boolean;
  readonly hasGit: boolean;
}

interface Layer {
  readonly list: IgnoreList;
  readonly states: PathStates;
}

/** Rules seen from one directory; immutable. */
export class IgnoreRules {
  readonly #layers: readonly Layer[];
  readonly #user: IgnoreList | null;

  private constructor(layers: readonly Layer[], user: IgnoreList | null) {
    this.#layers = layers;
    this.#user = user;
  }

  /** Rules inside the root of `tree`. */
  static atRoot(tree: Tree, outer: OuterRules = NO_OUTER_RULES, files?: RuleFiles): IgnoreRules {
    const user = outer.userExcludes === null ? null : IgnoreList.parse(outer.userExcludes);
    let layers: Layer[] = startLayers(user, outer.repositoryExcludes);
    for (const { gitignore, next } of outer.above) {
      layers = enterLayers([...layers, ...layersOf(gitignore)], toByteString(next));
    }
    return new IgnoreRules(layers, user).#withOwn(tree, ".", files);
  }

  /** Rules inside the directory `path` (workspace-relative) of `tree`. */
  static at(tree: Tree, path: string, outer: OuterRules = NO_OUTER_RULES): IgnoreRules {
    let rules = IgnoreRules.atRoot(tree, outer);
    let parent = ".";
    for (const name of componentsOf(path)) {
      parent = pathIn(parent, name);
      rules = rules.enter(tree, parent);
    }
    return rules;
  }

  /** True when git ignores the entry `name` of this directory. Says nothing about parents: ask on the way down. */
  isIgnored(name: string, kind: EntryKind): boolean {
    const entry = { name: toByteString(name), isDirectory: kind === "directory" };
    for (let at = this.#layers.length - 1; at >= 0; at--) {
      const layer = this.#layers[at] as Layer;
      const verdict = layer.list.verdict(layer.states, entry);
      if (verdict !== null) return verdict === "ignored";
    }
    return false;
  }

  /** Rules inside `path`, a child of this directory, its own ignore files included. */
  enter(tree: Tree, path: string, files?: RuleFiles): IgnoreRules {
    const entered = new IgnoreRules(enterLayers(this.#layers, toByteString(nameOf(path))), this.#user);
    return entered.#withOwn(tree, path, files);
  }

  /** The same place without any rule from above: inside an ignored directory that was named (O-45). */
  static inside(tree: Tree, path: string): IgnoreRules {
    return new IgnoreRules([], null).#withOwn(tree, path);
  }

  #withOwn(tree: Tree, path: string, files: RuleFiles = { hasGitignore: true, hasGit: true }): IgnoreRules {
    let layers = this.#layers;
    if (files.hasGit && path !== "." && isRepository(tree, path)) {
      layers = startLayers(this.#user, readFileOf(tree, `${path}/.git/info/exclude`));
    } else if (files.hasGit && path === ".") {
      const excludes = layersOf(readFileOf(tree, ".git/info/exclude"));
      // The root's own exclude file is stronger than the user's file, weaker than every .gitignore above.
      if (excludes.length > 0) layers = [...layers, ...excludes];
    }
    const own = files.hasGitignore
      ? layersOf(readFileOf(tree, path === "." ? ".gitignore" : `${path}/.gitignore`))
      : [];
    if (own.length === 0 && layers === this.#layers) return this;
    return new IgnoreRules([...layers, ...own], this.#user);
  }
}

/** A name as git sees it: one character per byte. */
function toByteString(name: string): string {
  if (IS_PLAIN.test(name)) return name;
  return String.fromCharCode(...pathToBytes(name));
}

// deno-lint-ignore no-control-regex -- every ASCII character but the backslash, which may start an escaped byte.
const IS_PLAIN = /^[\u0000-\u005b\u005d-\u007f]*$/;
/** 1 MiB: thousands of times the size of a real ignore file; what follows is not read. */
const LIMIT_BYTES = 1_048_576;
const LF = 0x0a;

function startLayers(user: IgnoreList | null, excludes: Uint8Array | null): Layer[] {
  return [...(user === null ? [] : [{ list: user, states: user.start() }]), ...layersOf(excludes)];
}

function layersOf(content: Uint8Array | null): Layer[] {
  const list = content === null ? null : IgnoreList.parse(content);
  return list === null ? [] : [{ list, states: list.start() }];
}

function enterLayers(layers: readonly Layer[], name: string): Layer[] {
  return layers.map((layer) =>
    layer.states.length === 0 ? layer : { list: layer.list, states: layer.list.enter(layer.states, name) }
  );
}

function isRepository(tree: Tree, path: string): boolean {
  try {
    const { kind } = tree.facts(`${path}/.git`);
    // A file is the mark of a worktree or submodule; a directory without HEAD is no repository for git either.
    return kind === "file" || (kind === "directory" && tree.facts(`${path}/.git/HEAD`).kind !== "directory");
  } catch {
    // No such entry, or not reachable: no repository as far as anybody can tell.
    return false;
  }
}

/** Content of an ignore file; null when it is missing, no regular file (git follows no link here either) or unreadable. */
function readFileOf(tree: Tree, path: string): Uint8Array | null {
  try {
    using file = tree.openFile(path);
    const { size } = file.facts();
    const content = new Uint8Array(Math.min(LIMIT_BYTES, size));
    let filled = 0;
    while (filled < content.length) {
      const count = file.readSync(content.subarray(filled), filled);
      if (count === 0) break;
      filled += count;
    }
    // Half a line could be another rule: `*` of `*.log`.
    return content.subarray(0, size > LIMIT_BYTES ? content.lastIndexOf(LF, filled - 1) + 1 : filled);
  } catch {
    // Missing is the normal case; an unreadable ignore file ignores nothing, as for git.
    return null;
  }
}

function componentsOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

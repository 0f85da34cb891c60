/**
 * Globs of `list_files` and `search_text` (contract 3.5).
 *
 * A pattern without `/` is matched against the name at any depth; one with `/` against the path below the base of the
 * call and against the path below the workspace root. `*` and `?` stay within one name, `**` crosses, `[…]` and `{a,b}`
 * are understood, and a leading `/` or `./` means nothing.
 */

import { ToolError } from "../../base/tool_error.ts";
import { PathPatterns, type PathStates, STRIDE } from "./path_patterns.ts";
import { type Component, matchesComponent, parseWildcard, WildcardError } from "./wildcard.ts";

/** Globs as the caller wrote them. */
export interface GlobArguments {
  /** Any match includes; empty includes everything. A leading `!` excludes, as ripgrep's `-g` takes it. */
  readonly includes: readonly string[];
  /** Any match excludes; a directory that matches is left out with everything below it. */
  readonly excludes: readonly string[];
}

/** A warning for each pattern that can match nothing, because a part of it is `..`. */
export function globWarnings(patterns: readonly string[]): string[] {
  return patterns.filter((pattern) => pattern.split("/").includes(".."))
    .map((pattern) => `the glob ${JSON.stringify(pattern)} matches nothing: ".." would leave the workspace`);
}

/** Compiled globs of one call. */
export class GlobFilter {
  readonly #includes: GlobList;
  readonly #excludes: GlobList;

  private constructor(includes: GlobList, excludes: GlobList) {
    this.#includes = includes;
    this.#excludes = excludes;
  }

  /** @throws ToolError INVALID_ARGUMENT for a pattern that is not well formed */
  static compile(given: GlobArguments): GlobFilter {
    const includes = given.includes.filter((pattern) => !pattern.startsWith("!"));
    const negated = given.includes.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
    return new GlobFilter(new GlobList(includes), new GlobList([...given.excludes, ...negated]));
  }

  /** The filter inside the base directory of the call, `base` being workspace-relative. */
  at(base: string): GlobPosition {
    return new GlobPosition(this.#includes, this.#excludes, this.#includes.startAt(base), this.#excludes.startAt(base));
  }
}

/** The filter inside one directory; immutable. */
export class GlobPosition {
  readonly #includes: GlobList;
  readonly #excludes: GlobList;
  readonly #includeStates: PathStates;
  readonly #excludeStates: PathStates;

  constructor(includes: GlobList, excludes: GlobList, includeStates: PathStates, excludeStates: PathStates) {
    this.#includes = includes;
    this.#excludes = excludes;
    this.#includeStates = includeStates;
    this.#excludeStates = excludeStates;
  }

  matchesFile(name: string): boolean {
    if (!this.#includes.isEmpty && !this.#includes.matches(this.#includeStates, name)) return false;
    return this.#excludes.isEmpty || !this.#excludes.matches(this.#excludeStates, name);
  }

  /** The filter inside the child directory `name`; null when no file below can match. */
  enter(name: string): GlobPosition | null {
    if (!this.#excludes.isEmpty && this.#excludes.matches(this.#excludeStates, name)) return null;
    const includeStates = this.#includes.enter(this.#includeStates, name);
    if (includeStates.length === 0 && this.#includes.hasPathsOnly) return null;
    if (includeStates.length === 0 && this.#includeStates.length === 0 && this.#excludeStates.length === 0) return this;
    const excludeStates = this.#excludes.enter(this.#excludeStates, name);
    return new GlobPosition(this.#includes, this.#excludes, includeStates, excludeStates);
  }
}

class GlobList {
  readonly #names: Component[] = [];
  readonly #paths: PathPatterns;
  readonly isEmpty: boolean;
  /** True when every pattern has a slash, so that a directory without states holds nothing. */
  readonly hasPathsOnly: boolean;

  constructor(patterns: readonly string[]) {
    const paths: Component[][] = [];
    for (const pattern of patterns.flatMap(alternativesOf)) {
      const components = componentsOf(pattern);
      if (components.length === 1) this.#names.push(components[0] as Component);
      else paths.push(components);
    }
    this.#paths = new PathPatterns(paths);
    this.isEmpty = patterns.length === 0;
    this.hasPathsOnly = !this.isEmpty && this.#names.length === 0;
  }

  startAt(base: string): PathStates {
    const start = this.#paths.start();
    const names = base.split("/").filter((name) => name !== "" && name !== ".");
    const fromRoot = names.reduce((states, name) => this.#paths.enter(states, name), start);
    return names.length === 0 ? start : [...new Set([...start, ...fromRoot])];
  }

  enter(states: PathStates, name: string): PathStates {
    return this.#paths.enter(states, name);
  }

  matches(states: PathStates, name: string): boolean {
    return this.#names.some((component) => matchesComponent(component, name)) || this.#paths.matchesAny(states, name);
  }
}

/** 1,000 alternatives of one pattern: braces multiply, and nobody writes so many. */
const MAX_ALTERNATIVES = 1_000;

function componentsOf(pattern: string): Component[] {
  const trimmed = pattern.replace(/^(?:\.?\/)+/, "");
  if (trimmed === "") throw badGlob(pattern, "it is empty");
  try {
    const components = parseWildcard(trimmed.endsWith("/") ? `${trimmed}**` : trimmed, "glob");
    if (components.length >= STRIDE) throw badGlob(pattern, "it has too many parts");
    return components;
  } catch (fault) {
    if (fault instanceof WildcardError) throw badGlob(pattern, fault.message);
    throw fault;
  }
}

/** The patterns that the braces of `pattern` stand for, in order. */
function alternativesOf(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  while (open.length > 0) {
    const next = open.pop() as string;
    const group = innermostGroup(next, pattern);
    if (group === null) done.push(next);
    else {
      for (const part of group.parts.toReversed()) open.push(next.slice(0, group.start) + part + next.slice(group.end));
    }
    if (done.length + open.length > MAX_ALTERNATIVES) {
      throw badGlob(pattern, `its braces stand for more than ${MAX_ALTERNATIVES} patterns`);
    }
  }
  return done;
}

interface BraceGroup {
  readonly start: number;
  readonly end: number;
  readonly parts: readonly string[];
}

/** The first group that holds no other; null when there is none. Escapes and sets hide braces. */
function innermostGroup(text: string, pattern: string): BraceGroup | null {
  let start = -1;
  let commas: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (character === "[") at = endOfSet(text, at);
    else if (character === "{") {
      start = at;
      commas = [];
    } else if (character === "," && start >= 0) commas.push(at);
    else if (character === "}" && start >= 0) {
      const cuts = [start, ...commas, at];
      const parts = cuts.slice(1).map((cut, index) => text.slice((cuts[index] as number) + 1, cut));
      return { start, end: at + 1, parts };
    }
  }
  if (start >= 0) throw badGlob(pattern, "a { is never closed");
  return null;
}

/** Index of the `]` that closes the set at `open`, or `open` itself when none does. */
function endOfSet(text: string, open: number): number {
  let at = open + 1;
  if (text[at] === "!" || text[at] === "^") at++;
  const close = text.indexOf("]", at + 1);
  return close < 0 ? open : close;
}

function badGlob(pattern: string, fact: string): ToolError {
  return new ToolError("INVALID_ARGUMENT", `Cannot use the glob ${JSON.stringify(pattern)}: ${fact}`, {
    details: { glob: pattern, retry_hint: "Escape special characters with a backslash, or use a simpler pattern." },
  });
}

/** One file of ignore rules, compiled (gitignore(5)). */

import { PathPatterns, type PathStates, STRIDE } from "./path_patterns.ts";
import { type Component, matchesComponent, parseWildcard } from "./wildcard.ts";

/** What a list says of an entry: the last rule that matches decides; null when none does. */
export type Verdict = "ignored" | "kept" | null;

interface Rule {
  readonly isNegated: boolean;
  readonly isDirectoryOnly: boolean;
  readonly components: readonly Component[];
  /** True when the pattern is matched against the name alone, at any depth. */
  readonly isNameOnly: boolean;
}

/** An entry of a directory as the rules see it. */
export interface RuledEntry {
  /** One character per byte. */
  readonly name: string;
  readonly isDirectory: boolean;
}

/**
 * Names and patterns here are byte strings: each character is one byte (`toByteString`), because git matches bytes, so
 * that `?` is one byte of a longer UTF-8 sequence.
 */
export class IgnoreList {
  readonly #rules: readonly Rule[];
  /** Indexes of rules by exact name and by `*.extension`, last rule first: the common forms cost one lookup. */
  readonly #byName = new Map<string, number[]>();
  readonly #byExtension = new Map<string, number[]>();
  readonly #otherNames: number[] = [];
  readonly #paths: PathPatterns;
  readonly #pathRules: number[] = [];

  private constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    for (let index = rules.length - 1; index >= 0; index--) this.#file(index);
    this.#paths = new PathPatterns(this.#pathRules.map((index) => (rules[index] as Rule).components));
  }

  /** Compiles the content of an ignore file; lines that can never match are left out. Null when nothing is left. */
  static parse(content: Uint8Array): IgnoreList | null {
    const rules = linesOf(content).map(parseRule).filter((rule) => rule !== null);
    return rules.length === 0 ? null : new IgnoreList(rules);
  }

  /** States of the slash patterns at the directory of this file. */
  start(): PathStates {
    return this.#paths.start();
  }

  enter(states: PathStates, name: string): PathStates {
    return this.#paths.enter(states, name);
  }

  verdict(states: PathStates, { name, isDirectory }: RuledEntry): Verdict {
    let last = Math.max(
      this.#lastOf(this.#byName.get(name), isDirectory),
      this.#lastOf(this.#byExtension.get(extensionOf(name)), isDirectory),
    );
    for (const index of this.#otherNames) {
      if (index <= last) break;
      if (this.#applies(index, isDirectory) && matchesComponent(this.#nameOf(index), name)) last = index;
    }
    if (states.length > 0) {
      this.#paths.forEachMatch(states, name, (at) => {
        const index = this.#pathRules[at] as number;
        if (index > last && this.#applies(index, isDirectory)) last = index;
      });
    }
    if (last < 0) return null;
    return (this.#rules[last] as Rule).isNegated ? "kept" : "ignored";
  }

  #file(index: number): void {
    const rule = this.#rules[index] as Rule;
    if (!rule.isNameOnly) {
      this.#pathRules.push(index);
      return;
    }
    const component = this.#nameOf(index);
    if (component.kind === "literal") append(this.#byName, component.text, index);
    else if (component.kind === "suffix" && component.text !== "" && component.text === extensionOf(component.text)) {
      append(this.#byExtension, component.text, index);
    } else this.#otherNames.push(index);
  }

  #nameOf(index: number): Component {
    return (this.#rules[index] as Rule).components[0] as Component;
  }

  #applies(index: number, isDirectory: boolean): boolean {
    return isDirectory || !(this.#rules[index] as Rule).isDirectoryOnly;
  }

  #lastOf(indexes: readonly number[] | undefined, isDirectory: boolean): number {
    if (indexes === undefined) return -1;
    return indexes.find((index) => this.#applies(index, isDirectory)) ?? -1;
  }
}

/** `.ts` for `a.b.ts`; empty when there is no dot, which no rule is filed under. */
function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot);
}

function append(map: Map<string, number[]>, key: string, index: number): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [index]);
  else known.push(index);
}

/** Lines as byte strings; LF ends them, a CR before it goes too, a byte order mark at the start is skipped (git: dir.c). */
function linesOf(content: Uint8Array): string[] {
  const start = content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf ? 3 : 0;
  const lines: string[] = [];
  let line = "";
  for (let at = start; at < content.length; at++) {
    const byte = content[at] as number;
    if (byte === 0x0a) {
      lines.push(line.endsWith("\r") ? line.slice(0, -1) : line);
      line = "";
    } else line += String.fromCharCode(byte);
  }
  if (line !== "") lines.push(line);
  return lines;
}

function parseRule(line: string): Rule | null {
  if (line.startsWith("#") || line.includes("\0")) return null;
  let text = trimTrailingSpaces(line);
  const isNegated = text.startsWith("!");
  if (isNegated) text = text.slice(1);
  const isDirectoryOnly = text.endsWith("/");
  if (isDirectoryOnly) text = text.slice(0, -1);
  if (text === "") return null;
  const isNameOnly = !text.includes("/");
  if (text.startsWith("/")) text = text.slice(1);
  try {
    const components = parseWildcard(text, "git");
    if (components.length >= STRIDE) return null;
    return { isNegated, isDirectoryOnly, isNameOnly, components };
  } catch {
    // An unclosed set or a lone backslash: git keeps such a line, and it matches nothing.
    return null;
  }
}

/** Spaces at the end go unless a backslash stands before them (gitignore(5)). */
function trimTrailingSpaces(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "\\") {
      at++;
      end = Math.min(at + 1, line.length);
    } else if (line[at] !== " ") end = at + 1;
  }
  return line.slice(0, end);
}

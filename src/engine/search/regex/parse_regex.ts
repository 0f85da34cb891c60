/**
 * Parses the regular expressions of `search_text`.
 *
 * Grammar: what ripgrep and RE2 have in common, which a finite automaton can match in linear time.
 *
 *   choice    = sequence { "|" sequence }
 *   sequence  = { repeat }
 *   repeat    = atom { "*" | "+" | "?" | "{n}" | "{n,}" | "{n,m}" } each with an optional "?"
 *   atom      = literal | "." | "[" set "]" | "^" | "$" | "(" group ")" | "\" escape
 *   group     = [ "?:" | "?P<name>" | "?<name>" | "?flags" [ ":" ] ] choice
 *
 * A `{` that starts no count is an ordinary character (as in RE2), because people search for code.
 */

import { type CodePoints, complementOf, MAX_CODE_POINT, type UnicodeFacts, unionOf, without } from "./code_points.ts";
import { BORDERS, CONTROLS, LOOK_AROUNDS, POSIX_CLASSES, UNSUPPORTED_ESCAPES } from "./dialect.ts";
import type { Node } from "./syntax_tree.ts";

/** A pattern that cannot be used; the message says why. */
export class RegexError extends Error {
  override readonly name = "RegexError";
}

export interface ParseOptions {
  readonly isCaseSensitive: boolean;
  readonly unicode: UnicodeFacts;
}

/** @throws RegexError */
export function parseRegex(pattern: string, options: ParseOptions): Node {
  return new Parser(pattern, options).parse();
}

/** Groups within groups; deeper ones would overflow the stack before they mean anything. */
const MAX_DEPTH = 200;
/** Largest count in braces, as RE2 and more than anybody needs on one line. */
const MAX_COUNT = 1_000;
const LINE_FEED: CodePoints = [0x0a, 0x0a];
const QUANTIFIER = /^(?:([*+?])|\{(\d{1,9})(,(\d{0,9}))?\}|\{,(\d{1,9})\})\??/;

interface Flags {
  readonly isFolding: boolean;
  /** `x`: blanks and comments in the pattern mean nothing. */
  readonly isSpaced: boolean;
}

class Parser {
  readonly #pattern: string;
  readonly #unicode: UnicodeFacts;
  #flags: Flags;
  #at = 0;
  #depth = 0;

  constructor(pattern: string, options: ParseOptions) {
    this.#pattern = pattern;
    this.#unicode = options.unicode;
    this.#flags = { isFolding: !options.isCaseSensitive, isSpaced: false };
  }

  parse(): Node {
    const node = this.#choice();
    if (this.#at < this.#pattern.length) throw new RegexError("unopened group: a ) closes nothing");
    return node;
  }

  #choice(): Node {
    if (++this.#depth > MAX_DEPTH) throw new RegexError(`groups are nested more than ${MAX_DEPTH} deep`);
    const parts = [this.#sequence()];
    while (this.#take("|")) parts.push(this.#sequence());
    this.#depth--;
    return parts.length === 1 ? parts[0] as Node : { kind: "choice", parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    for (;;) {
      if (this.#flags.isSpaced) this.#skipBlanks();
      const next = this.#pattern[this.#at];
      if (next === undefined || next === "|" || next === ")") break;
      const atom = this.#atom();
      if (atom !== null) parts.push(this.#repeated(atom));
    }
    if (parts.length === 0) return { kind: "empty" };
    return parts.length === 1 ? parts[0] as Node : { kind: "sequence", parts };
  }

  #repeated(atom: Node): Node {
    let node = atom;
    for (;;) {
      if (this.#flags.isSpaced) this.#skipBlanks();
      const match = QUANTIFIER.exec(this.#pattern.slice(this.#at, this.#at + 24));
      if (match === null) return node;
      this.#at += match[0].length;
      const [min, max] = countsOf(match);
      if (min > MAX_COUNT || (max !== null && max > MAX_COUNT)) {
        throw new RegexError(`a repetition count is larger than ${MAX_COUNT}`);
      }
      if (max !== null && min > max) throw new RegexError(`the repetition {${min},${max}} is out of order`);
      node = { kind: "repeat", part: node, min, max };
    }
  }

  /** Null for what stands for nothing, such as a flag. */
  #atom(): Node | null {
    const character = this.#next();
    switch (character) {
      case "(":
        return this.#group();
      case "[":
        return this.#bracket();
      case ".":
        return { kind: "set", points: complementOf(LINE_FEED) };
      case "^":
        return { kind: "assert", assertion: "line-start" };
      case "$":
        return { kind: "assert", assertion: "line-end" };
      case "\\":
        return this.#escape();
      case "*":
      case "+":
      case "?":
        throw new RegexError(`the repetition ${character} follows nothing that could repeat`);
      default:
        return this.#literal(character.codePointAt(0) as number);
    }
  }

  #group(): Node | null {
    const outer = this.#flags;
    if (this.#take("?")) {
      for (const [sign, name] of LOOK_AROUNDS) {
        if (this.#pattern.startsWith(sign, this.#at)) throw unsupported(`(?${sign}`, name);
      }
      const name = /^P?<([A-Za-z_][A-Za-z0-9_.[\]]*)>/.exec(this.#pattern.slice(this.#at));
      if (name !== null) this.#at += name[0].length;
      else if (this.#pattern.startsWith("P=", this.#at)) throw unsupported("(?P=name)", "back-references");
      else if (!this.#groupFlags()) return null;
    }
    const node = this.#choice();
    if (!this.#take(")")) throw new RegexError("unclosed group: a ( is never closed");
    this.#flags = outer;
    return node;
  }

  /** Flags behind `(?`. True when a group follows, false when they hold for the rest of the group they stand in. */
  #groupFlags(): boolean {
    const match = /^([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])/.exec(this.#pattern.slice(this.#at));
    if (match === null) throw new RegexError("unrecognized group: ( is followed by an unknown ? form");
    this.#at += match[0].length;
    const on = match[1] as string;
    const off = match[2] ?? "";
    for (const flag of on + off) {
      if (!"imsxuUR".includes(flag)) throw new RegexError(`there is no flag ${flag}; known are i, m, s, U, u, x`);
    }
    if (off.includes("u")) throw unsupported("(?-u)", "matching of raw bytes");
    this.#flags = {
      isFolding: off.includes("i") ? false : on.includes("i") || this.#flags.isFolding,
      isSpaced: off.includes("x") ? false : on.includes("x") || this.#flags.isSpaced,
    };
    return match[3] === ":";
  }

  #escape(): Node {
    if (this.#at >= this.#pattern.length) throw new RegexError("a backslash at the end escapes nothing");
    const character = this.#pattern[this.#at] as string;
    const border = BORDERS[character];
    if (border !== undefined) {
      if (this.#pattern.startsWith("b{", this.#at)) throw unsupported("\\b{…}", "named word borders");
      this.#at++;
      return { kind: "assert", assertion: border };
    }
    if (/[1-9]/.test(character)) throw unsupported(`\\${character}`, "back-references");
    const name = UNSUPPORTED_ESCAPES[character];
    if (name !== undefined) throw unsupported(`\\${character}`, name);
    const set = this.#classEscape();
    if (set !== null) return { kind: "set", points: without(set, LINE_FEED) };
    return this.#literal(this.#pointEscape());
  }

  #literal(point: number): Node {
    if (point === 0x0a) {
      throw new RegexError("a line feed cannot match: lines are searched one at a time");
    }
    return { kind: "set", points: this.#folded([point, point]) };
  }

  #folded(set: CodePoints): CodePoints {
    return this.#flags.isFolding ? this.#unicode.folded(set) : set;
  }

  /** A class such as `\d` whose backslash was taken; null when the next character starts none. */
  #classEscape(): CodePoints | null {
    const letter = this.#pattern[this.#at] as string;
    const lower = letter.toLowerCase();
    if (lower === "p") return this.#property();
    const set = lower === "d"
      ? this.#unicode.digit
      : lower === "w"
      ? this.#unicode.word
      : lower === "s"
      ? this.#unicode.space
      : null;
    if (set === null) return null;
    this.#at++;
    return letter === lower ? set : complementOf(set);
  }

  #property(): CodePoints {
    const match = /^([pP])(?:\{(\^?)([^}]*)\}|([A-Za-z]))/.exec(this.#pattern.slice(this.#at));
    if (match === null) throw new RegexError("\\p must be followed by a property, such as \\p{Greek}");
    this.#at += match[0].length;
    const name = match[3] ?? match[4] as string;
    const set = this.#unicode.property(name);
    if (set === null) throw new RegexError(`Unicode has no property ${name}`);
    const folded = this.#folded(set);
    return (match[1] === "P") !== (match[2] === "^") ? complementOf(folded) : folded;
  }

  /** One character behind a backslash. */
  #pointEscape(): number {
    const rest = this.#pattern.slice(this.#at, this.#at + 16);
    const hex = /^(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[xuU]\{([0-9A-Fa-f]{1,8})\})/.exec(rest);
    if (hex !== null) {
      this.#at += hex[0].length;
      const point = parseInt((hex[1] ?? hex[2] ?? hex[3] ?? hex[4]) as string, 16);
      if (point > MAX_CODE_POINT || (point >= 0xd800 && point < 0xe000)) {
        throw new RegexError(`${hex[0]} is no Unicode character`);
      }
      return point;
    }
    const character = this.#next();
    const control = CONTROLS[character];
    if (control !== undefined) return control;
    if (/[A-Za-z0-9]/.test(character)) throw new RegexError(`unrecognized escape \\${character}`);
    return character.codePointAt(0) as number;
  }

  #bracket(): Node {
    const isNegated = this.#take("^");
    let set: CodePoints = [];
    for (let isFirst = true;; isFirst = false) {
      if (this.#at >= this.#pattern.length) throw new RegexError("unclosed character class: a [ is never closed");
      if (!isFirst && this.#take("]")) break;
      set = unionOf(set, this.#bracketItem());
    }
    const folded = this.#folded(set);
    return { kind: "set", points: without(isNegated ? complementOf(folded) : folded, LINE_FEED) };
  }

  #bracketItem(): CodePoints {
    const named = /^\[:(\^?)([a-z]+):\]/.exec(this.#pattern.slice(this.#at, this.#at + 16));
    if (named !== null) {
      const known = POSIX_CLASSES[named[2] as string];
      if (known === undefined) throw new RegexError(`there is no character class ${named[0]}`);
      this.#at += named[0].length;
      return named[1] === "^" ? complementOf(known) : known;
    }
    const low = this.#bracketPoint();
    if (typeof low !== "number") return low;
    if (
      this.#pattern[this.#at] !== "-" || this.#pattern[this.#at + 1] === "]" || this.#at + 1 >= this.#pattern.length
    ) {
      return [low, low];
    }
    this.#at++;
    const high = this.#bracketPoint();
    if (typeof high !== "number") return unionOf([low, low], [0x2d, 0x2d], high);
    if (low > high) throw new RegexError("a range in a character class is out of order");
    return [low, high];
  }

  #bracketPoint(): number | CodePoints {
    const character = this.#next();
    if (character !== "\\") return character.codePointAt(0) as number;
    if (this.#at >= this.#pattern.length) throw new RegexError("a backslash at the end escapes nothing");
    const set = this.#classEscape();
    if (set !== null) return set;
    if (this.#take("b")) return 0x08;
    return this.#pointEscape();
  }

  #skipBlanks(): void {
    const blank = /^(?:\s+|#[^\n]*\n?)+/.exec(this.#pattern.slice(this.#at));
    if (blank !== null) this.#at += blank[0].length;
  }

  #take(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  /** The next character, which is there. */
  #next(): string {
    const character = String.fromCodePoint(this.#pattern.codePointAt(this.#at) as number);
    this.#at += character.length;
    return character;
  }
}

function countsOf(match: RegExpExecArray): [number, number | null] {
  if (match[1] === "*") return [0, null];
  if (match[1] === "+") return [1, null];
  if (match[1] === "?") return [0, 1];
  if (match[5] !== undefined) return [0, Number(match[5])];
  const min = Number(match[2]);
  if (match[3] === undefined) return [min, min];
  return [min, match[4] === "" ? null : Number(match[4])];
}

function unsupported(form: string, name: string): RegexError {
  return new RegexError(
    `${form} is not supported: ${name} cannot be matched in linear time or are not part of the dialect`,
  );
}

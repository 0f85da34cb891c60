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

import { type CodePoints, complementOf, type UnicodeFacts, without } from "./code_points.ts";
import { BORDERS, LOOK_AROUNDS, UNSUPPORTED_ESCAPES } from "./dialect.ts";
import { PatternCursor } from "./pattern_cursor.ts";
import { RegexError, unsupported } from "./regex_error.ts";
import { type Folding, SetReader } from "./set_reader.ts";
import type { Node } from "./syntax_tree.ts";

/** How a pattern is read. */
export interface ParseOptions {
  readonly isCaseSensitive: boolean;
  readonly unicode: UnicodeFacts;
}

/** The tree of `pattern`. @throws RegexError where it is wrong or cannot be matched in linear time */
export function parseRegex(pattern: string, options: ParseOptions): Node {
  return new Parser(pattern, options).parse();
}

/** Groups within groups; deeper ones would overflow the stack before they mean anything. */
const MAX_DEPTH = 200;
/** Largest count in braces, as RE2 and more than anybody needs on one line. */
const MAX_COUNT = 1_000;
const LINE_FEED: CodePoints = [0x0a, 0x0a];
const QUANTIFIER = /(?:([*+?])|\{(\d{1,9})(,(\d{0,9}))?\}|\{,(\d{1,9})\})\??/y;
const GROUP_NAME = /P?<([A-Za-z_][A-Za-z0-9_.[\]]*)>/y;
const GROUP_FLAGS = /([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])/y;
const BLANKS = /(?:\s+|#[^\n]*\n?)+/y;

interface Flags extends Folding {
  /** `x`: blanks and comments in the pattern mean nothing. */
  readonly isSpaced: boolean;
}

class Parser {
  readonly #cursor: PatternCursor;
  readonly #sets: SetReader;
  #flags: Flags;
  #depth = 0;

  constructor(pattern: string, options: ParseOptions) {
    this.#cursor = new PatternCursor(pattern);
    this.#sets = new SetReader(this.#cursor, options.unicode);
    this.#flags = { isFolding: !options.isCaseSensitive, isSpaced: false };
  }

  parse(): Node {
    const node = this.#choice();
    if (!this.#cursor.isAtEnd) throw new RegexError("unopened group: a ) closes nothing");
    return node;
  }

  #choice(): Node {
    if (++this.#depth > MAX_DEPTH) throw new RegexError(`groups are nested more than ${MAX_DEPTH} deep`);
    const first = this.#sequence();
    const others: Node[] = [];
    while (this.#cursor.take("|")) others.push(this.#sequence());
    this.#depth--;
    return others.length === 0 ? first : { kind: "choice", parts: [first, ...others] };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    for (;;) {
      if (this.#flags.isSpaced) this.#cursor.match(BLANKS);
      const next = this.#cursor.peek();
      if (next === undefined || next === "|" || next === ")") break;
      const atom = this.#atom();
      if (atom !== null) parts.push(this.#repeated(atom));
    }
    const [first] = parts;
    if (first === undefined) return { kind: "empty" };
    return parts.length === 1 ? first : { kind: "sequence", parts };
  }

  #repeated(atom: Node): Node {
    let node = atom;
    for (;;) {
      if (this.#flags.isSpaced) this.#cursor.match(BLANKS);
      const match = this.#cursor.match(QUANTIFIER);
      if (match === null) return node;
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
    const point = this.#cursor.next();
    const character = String.fromCodePoint(point);
    switch (character) {
      case "(":
        return this.#group();
      case "[":
        return { kind: "set", points: without(this.#sets.bracket(this.#flags), LINE_FEED) };
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
        return this.#literal(point);
    }
  }

  #group(): Node | null {
    const outer = this.#flags;
    if (this.#cursor.take("?")) {
      for (const [sign, name] of LOOK_AROUNDS) {
        if (this.#cursor.startsWith(sign)) throw unsupported(`(?${sign}`, name);
      }
      if (this.#cursor.startsWith("P=")) throw unsupported("(?P=name)", "back-references");
      const hasName = this.#cursor.match(GROUP_NAME) !== null;
      if (!hasName && !this.#groupFlags()) return null;
    }
    const node = this.#choice();
    if (!this.#cursor.take(")")) throw new RegexError("unclosed group: a ( is never closed");
    this.#flags = outer;
    return node;
  }

  /** Flags behind `(?`. True when a group follows, false when they hold for the rest of the group they stand in. */
  #groupFlags(): boolean {
    const match = this.#cursor.match(GROUP_FLAGS);
    if (match === null) throw new RegexError("unrecognized group: ( is followed by an unknown ? form");
    const [, on = "", off = "", end] = match;
    for (const flag of on + off) {
      if (!"imsxuUR".includes(flag)) throw new RegexError(`there is no flag ${flag}; known are i, m, s, U, u, x`);
    }
    if (off.includes("u")) throw unsupported("(?-u)", "matching of raw bytes");
    this.#flags = {
      isFolding: !off.includes("i") && (on.includes("i") || this.#flags.isFolding),
      isSpaced: !off.includes("x") && (on.includes("x") || this.#flags.isSpaced),
    };
    return end === ":";
  }

  #escape(): Node {
    const character = this.#cursor.peek();
    if (character === undefined) throw new RegexError("a backslash at the end escapes nothing");
    const border = BORDERS[character];
    if (border !== undefined) {
      if (this.#cursor.startsWith("b{")) throw unsupported("\\b{…}", "named word borders");
      this.#cursor.take(character);
      return { kind: "assert", assertion: border };
    }
    if (/[1-9]/.test(character)) throw unsupported(`\\${character}`, "back-references");
    const name = UNSUPPORTED_ESCAPES[character];
    if (name !== undefined) throw unsupported(`\\${character}`, name);
    const set = this.#sets.classEscape(this.#flags);
    if (set !== null) return { kind: "set", points: without(set, LINE_FEED) };
    return this.#literal(this.#sets.pointEscape());
  }

  #literal(point: number): Node {
    if (point === 0x0a) {
      throw new RegexError("a line feed cannot match: lines are searched one at a time");
    }
    return { kind: "set", points: this.#sets.folded([point, point], this.#flags) };
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

/** Reads the parts of a pattern that stand for a set of characters: `[…]`, classes such as `\d`, escaped characters. */

import { type CodePoints, complementOf, MAX_CODE_POINT, type UnicodeFacts, unionOf } from "./code_points.ts";
import { CONTROLS, POSIX_CLASSES } from "./dialect.ts";
import type { PatternCursor } from "./pattern_cursor.ts";
import { RegexError, unsupported } from "./regex_error.ts";

/** Whether letters stand for both cases where the set is read. */
export interface Folding {
  readonly isFolding: boolean;
}

/** Reads sets at the place of a cursor that it shares with the parser. */
export class SetReader {
  readonly #cursor: PatternCursor;
  readonly #unicode: UnicodeFacts;

  constructor(cursor: PatternCursor, unicode: UnicodeFacts) {
    this.#cursor = cursor;
    this.#unicode = unicode;
  }

  /** `set` with the other cases of its letters, where they count. */
  folded(set: CodePoints, folding: Folding): CodePoints {
    return folding.isFolding ? this.#unicode.folded(set) : set;
  }

  /** What stands behind `[`, with its `]`. @throws RegexError */
  bracket(folding: Folding): CodePoints {
    const isNegated = this.#cursor.take("^");
    let set: CodePoints = [];
    // A `]` that comes first stands for itself.
    for (let isFirst = true;; isFirst = false) {
      if (this.#cursor.isAtEnd) throw new RegexError("unclosed character class: a [ is never closed");
      if (!isFirst && this.#cursor.take("]")) break;
      set = unionOf(set, this.#bracketItem(folding));
    }
    const folded = this.folded(set, folding);
    return isNegated ? complementOf(folded) : folded;
  }

  /** A class such as `\d` whose backslash was read; null, and nothing read, when none comes next. @throws RegexError */
  classEscape(folding: Folding): CodePoints | null {
    const letter = this.#cursor.peek() ?? "";
    const lower = letter.toLowerCase();
    if (lower === "p") return this.#property(folding);
    const set = this.#perlClass(lower);
    if (set === null) return null;
    this.#cursor.take(letter);
    return letter === lower ? set : complementOf(set);
  }

  /** The one character that an escape stands for, whose backslash was read. @throws RegexError */
  pointEscape(): number {
    const hex = this.#cursor.match(HEX);
    if (hex !== null) {
      const point = parseInt(hex[1] ?? hex[2] ?? hex[3] ?? hex[4] ?? "", 16);
      if (point > MAX_CODE_POINT || (point >= 0xd800 && point < 0xe000)) {
        throw new RegexError(`${hex[0]} is no Unicode character`);
      }
      return point;
    }
    const point = this.#cursor.next();
    const character = String.fromCodePoint(point);
    const control = CONTROLS[character];
    if (control !== undefined) return control;
    if (/[A-Za-z0-9]/.test(character)) throw new RegexError(`unrecognized escape \\${character}`);
    return point;
  }

  #perlClass(letter: string): CodePoints | null {
    if (letter === "d") return this.#unicode.digit;
    if (letter === "w") return this.#unicode.word;
    return letter === "s" ? this.#unicode.space : null;
  }

  #property(folding: Folding): CodePoints {
    const match = this.#cursor.match(PROPERTY);
    if (match === null) throw new RegexError("\\p must be followed by a property, such as \\p{Greek}");
    const [, letter, caret, inBraces, single] = match;
    const name = inBraces ?? single ?? "";
    const set = this.#unicode.property(name);
    if (set === null) throw new RegexError(`Unicode has no property ${name}`);
    const folded = this.folded(set, folding);
    return (letter === "P") !== (caret === "^") ? complementOf(folded) : folded;
  }

  #bracketItem(folding: Folding): CodePoints {
    const named = this.#cursor.match(POSIX_CLASS);
    if (named !== null) {
      const known = POSIX_CLASSES[named[2] ?? ""];
      if (known === undefined) throw new RegexError(`there is no character class ${named[0]}`);
      return named[1] === "^" ? complementOf(known) : known;
    }
    const operator = this.#cursor.match(SET_OPERATOR);
    // Read as characters they would find something else than ripgrep finds, without a word.
    if (operator !== null) {
      throw unsupported(`${operator[0]} in a character class`, "set operations (\\& is the character)");
    }
    const low = this.#bracketPoint(folding);
    if (typeof low !== "number") return low;
    const behindHyphen = this.#cursor.peek(1);
    if (!this.#cursor.startsWith("-") || behindHyphen === "]" || behindHyphen === undefined) return [low, low];
    this.#cursor.take("-");
    const high = this.#bracketPoint(folding);
    if (typeof high !== "number") return unionOf([low, low], HYPHEN, high);
    if (low > high) throw new RegexError("a range in a character class is out of order");
    return [low, high];
  }

  #bracketPoint(folding: Folding): number | CodePoints {
    if (!this.#cursor.take("\\")) return this.#cursor.next();
    if (this.#cursor.isAtEnd) throw new RegexError("a backslash at the end escapes nothing");
    const set = this.classEscape(folding);
    if (set !== null) return set;
    return this.#cursor.take("b") ? BACKSPACE : this.pointEscape();
  }
}

const HEX = /(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[xuU]\{([0-9A-Fa-f]{1,8})\})/y;
const PROPERTY = /([pP])(?:\{(\^?)([^}]*)\}|([A-Za-z]))/y;
/** Longer names are no classes anywhere; their characters are then an ordinary set. */
const POSIX_CLASS = /\[:(\^?)([a-z]{1,12}):\]/y;
/** Intersection, symmetric difference and difference of sets, in dialects that have them; also behind an inner set. */
const SET_OPERATOR = /&&|~~|--(?=\[)|\[[^\]]+\](?:&&|~~|--)/y;
const HYPHEN: CodePoints = [0x2d, 0x2d];
const BACKSPACE = 0x08;

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import {
  collapse,
  foldLookAlikes,
  indentColumns,
  indentLength,
  indentOf,
  isBlank,
  lookAlikesIn,
  trimBoth,
  trimRight,
} from "./whitespace.ts";

Deno.test("whitespace is space, tab, LF, VT, FF and CR, and nothing else of Unicode", () => {
  const blank: number[] = [];
  for (let unit = 0; unit < 0x10000; unit++) if (isBlank(String.fromCharCode(unit))) blank.push(unit);
  deepStrictEqual(blank, [0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20]);
  deepStrictEqual([isBlank(""), isBlank(" \t"), isBlank(" x"), isBlank("x ")], [true, true, false, false]);
});

Deno.test("lines are trimmed at their end or at both, inner whitespace stays", () => {
  deepStrictEqual(["", " ", "a", " a ", "a b \t"].map(trimRight), ["", "", "a", " a", "a b"]);
  deepStrictEqual(["", " ", "a", "\ta ", " a  b\r"].map(trimBoth), ["", "", "a", "a", "a  b"]);
  deepStrictEqual(["", "  ", " \ta ", "a "].map(indentOf), ["", "  ", " \t", ""]);
  deepStrictEqual(["", "  ", " \ta ", "a "].map(indentLength), [0, 2, 2, 0]);
  deepStrictEqual([" a \t b\f\vc ", "a\r\rb", "ab"].map(collapse), ["a b c", "a b", "ab"]);
});

Deno.test("a tab goes to the next multiple of 4 columns, everything else is one column", () => {
  deepStrictEqual(["", " ", "\t", " \t", "   \t", "    \t", "\t ", "\t\t"].map(indentColumns), [
    0,
    1,
    4,
    4,
    4,
    8,
    5,
    8,
  ]);
});

/** What each of the characters that a model retypes from memory looks like. */
const LOOK_ALIKES: readonly (readonly [characters: string, plain: string])[] = [
  ["\u00a0\u2002\u2003\u2007\u2009\u200a\u202f\u3000", " "],
  ["\u200b\ufeff\u00ad", ""],
  ["\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"],
  ["\u2018\u2019\u201a\u201b\u2032", "'"],
  ["\u201c\u201d\u201e\u2033", '"'],
  ["\u2026", "..."],
];

Deno.test("every character that looks like an ASCII one is folded to it and named by its code point", () => {
  for (const [characters, plain] of LOOK_ALIKES) {
    for (const character of characters) {
      strictEqual(foldLookAlikes(`a${character}b`), `a${plain}b`);
      const name = `U+${(character.codePointAt(0) as number).toString(16).padStart(4, "0").toUpperCase()}`;
      deepStrictEqual(lookAlikesIn(`x${character}y${character}`), [name]);
    }
  }
  deepStrictEqual(lookAlikesIn("\u2013 \u00ad"), ["U+2013", "U+00AD"]);
  deepStrictEqual([lookAlikesIn("plain - 'text'"), foldLookAlikes("\u00e9\u20ac")], [[], "\u00e9\u20ac"]);
});

Deno.test("no ASCII character is named as a look-alike", () => {
  for (let unit = 0; unit < 0x80; unit++) deepStrictEqual(lookAlikesIn(String.fromCharCode(unit)), []);
});

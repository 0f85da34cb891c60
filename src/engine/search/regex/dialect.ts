/** The words of the dialect: what the parser of regular expressions knows by name. */

import type { CodePoints } from "./code_points.ts";
import type { Assertion } from "./syntax_tree.ts";

/** What stands behind `(?` in forms that cannot be matched in linear time, and their name. */
export const LOOK_AROUNDS: readonly (readonly [string, string])[] = [
  ["=", "look-ahead"],
  ["!", "look-ahead"],
  ["<=", "look-behind"],
  ["<!", "look-behind"],
  [">", "atomic groups"],
  ["(", "conditionals"],
  ["R", "recursion"],
  ["&", "recursion"],
  ["P>", "recursion"],
];

/** Letters behind a backslash that stand for a place between characters. */
export const BORDERS: Readonly<Record<string, Assertion>> = {
  b: "word-border",
  B: "no-word-border",
  A: "line-start",
  z: "line-end",
};

/** Letters behind a backslash that other dialects know, and what they mean there. */
export const UNSUPPORTED_ESCAPES: Readonly<Record<string, string>> = {
  k: "back-references",
  g: "back-references",
  G: "anchors at the last match",
  K: "match resets",
  Z: "anchors before a final line feed",
  X: "grapheme clusters",
  R: "line breaks",
  Q: "quoted runs",
  "<": "word starts (use \\b)",
  ">": "word ends (use \\b)",
};

/** Letters behind a backslash that stand for control characters. */
export const CONTROLS: Readonly<Record<string, number>> = {
  t: 0x09,
  n: 0x0a,
  v: 0x0b,
  f: 0x0c,
  r: 0x0d,
  a: 0x07,
  "0": 0x00,
};

/** Names in `[[:name:]]`; ASCII, as everywhere. */
export const POSIX_CLASSES: Readonly<Record<string, CodePoints>> = {
  alnum: [0x30, 0x39, 0x41, 0x5a, 0x61, 0x7a],
  alpha: [0x41, 0x5a, 0x61, 0x7a],
  ascii: [0x00, 0x7f],
  blank: [0x09, 0x09, 0x20, 0x20],
  cntrl: [0x00, 0x1f, 0x7f, 0x7f],
  digit: [0x30, 0x39],
  graph: [0x21, 0x7e],
  lower: [0x61, 0x7a],
  print: [0x20, 0x7e],
  punct: [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e],
  space: [0x09, 0x0d, 0x20, 0x20],
  upper: [0x41, 0x5a],
  word: [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a],
  xdigit: [0x30, 0x39, 0x41, 0x46, 0x61, 0x66],
};

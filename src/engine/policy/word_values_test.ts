import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { type Command, parse, type Word } from "unbash";
import { UNKNOWN_PART } from "./shell_reading.ts";
import { joinedWords, type KnownVariables, shellWord, shellWords } from "./word_values.ts";

const KNOWN: KnownVariables = new Map([["X", "a b"], ["L", "one  two "], ["@", "p q"], ["N", null], ["E", ""]]);

function parsedWord(text: string): Word {
  const [statement] = parse(`echo ${text}`).commands;
  return (statement?.command as Command).suffix[0] as Word;
}

/** The words: `?` marks a dynamic one, `~` one that begins with a tilde; unknown parts as `□` behind a bar. */
function values(text: string): string[] {
  return shellWords(parsedWord(text), KNOWN).map(({ value, skeleton, dynamic, tilde }) => {
    const known = skeleton.replaceAll(UNKNOWN_PART, "□");
    return `${tilde ? "~:" : ""}${value}${dynamic ? "?" : ""}${known === value ? "" : `|${known}`}`;
  });
}

const WORDS: readonly (readonly [text: string, values: string[]])[] = [
  ["a", ["a"]],
  ["'a b'\"c\"\\d$'\\x41'", ["a bcdA"]],
  ["~/a", ["~:~/a"]],
  ["a~", ["a~"]],
  ["*.ts", ["*.ts"]],
  ["x*[a]?", ["x*[a]?"]],
  ["$X", ["a", "b"]],
  ["${X}", ["a", "b"]],
  ['"$X"', ["a b"]],
  ["x$X", ["xa b"]],
  ["$X/c", ["a b/c"]],
  ['$"$X"', ["a b"]],
  ["$L", ["one", "two"]],
  ["$E", []],
  ["$N/a", ["$N/a?|□/a"]],
  ["$Y", ["$Y?|□"]],
  ["a${Y}b", ["a${Y}b?|a□b"]],
  ["${X:-c}", ["${X:-c}?|□"]],
  ["${#X}", ["${#X}?|□"]],
  ["${X[0]}", ["${X[0]}?|□"]],
  ["${!X}", ["${!X}?|□"]],
  ["$(a)b", ["$(a)b?|□b"]],
  ["$((1))", ["$((1))?|□"]],
  ["$@", ["p", "q"]],
  ["$*", ["p", "q"]],
  ['"$@"', ["p", "q"]],
  ["${@}", ["p", "q"]],
  ["${*}", ["p", "q"]],
  ["${L[@]}", ["one", "two"]],
  ['"${L[*]}"', ["one", "two"]],
  ["x$@", ["xp q"]],
  ["{a,b}", ["a", "b"]],
  ["x{a,b}{c,d}y", ["xacy", "xady", "xbcy", "xbdy"]],
  ["{a,}", ["a", ""]],
  ["{'a',\"b\",\\c}", ["a", "b", "c"]],
  ["{1..3}", ["{1..3}"]],
  ["{a,{b,c}}", ["{a,{b,c}}"]],
  ["{a,$X}", ["{a,$X}"]],
  ["{a,b}$Y", ["a$Y?|a□", "b$Y?|b□"]],
  ["~{a,b}", ["~:~a", "~:~b"]],
];

for (const [text, expected] of WORDS) {
  Deno.test(`what a word becomes: ${text}`, () => deepStrictEqual(values(text), expected));
}

Deno.test("braces that give more than 64 words stay as written", () => {
  const count = (text: string) => values(text).length;
  deepStrictEqual([count("{a,b}".repeat(6)), count("{a,b}".repeat(7))], [64, 1]);
  const list = (length: number) => `{${Array.from({ length }, (_, index) => index).join()}}`;
  deepStrictEqual([count(list(64)), count(list(65)), values(list(65))[0] === list(65)], [64, 1, true]);
  deepStrictEqual(count("{1..2}".repeat(65)), 1);
});

Deno.test("several words as one are separated by blanks", () => {
  strictEqual(shellWord(parsedWord("{a,b}"), KNOWN).value, "a b");
  deepStrictEqual(joinedWords(shellWords(parsedWord("~{a,$Y}"), KNOWN)).tilde, true);
  const words = [...shellWords(parsedWord("a"), KNOWN), ...shellWords(parsedWord("$Y"), KNOWN)];
  deepStrictEqual(joinedWords(words), { value: "a $Y", skeleton: `a ${UNKNOWN_PART}`, dynamic: true, tilde: false });
  deepStrictEqual(joinedWords([]), { value: "", skeleton: "", dynamic: false, tilde: false });
});

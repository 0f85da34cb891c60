import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { wordReadings } from "./word_readings.ts";

/** Commands with their input, then redirections and substitutions. */
function read(text: string): string {
  const { commands, redirects, substitutions } = wordReadings(text);
  return [
    ...commands.map(({ words, input }) =>
      words.map(({ value }) => value).join(" ") + (input === "inherited" ? "" : `<${input}`)
    ),
    ...redirects.map(({ operator, target }) => `${operator}${target.value}`),
    ...substitutions.map((sign) => `sub ${sign}`),
  ].join(" | ");
}

const TEXTS: readonly (readonly [text: string, read: string])[] = [
  ["", ""],
  ["a b c", "a b c | b c | c"],
  ["a;b", "a | b"],
  ["a&&b||c\nd&e", "a | b | c | d | e"],
  ["(a){b}`c`", "a | b | c | sub ` | sub `"],
  ["a|b", "a | b<pipe"],
  ["a|&b", "a | b<pipe"],
  ["a||b", "a | b"],
  ["a|b;c", "a | b<pipe | c"],
  ["a|(b", "a | b"],
  ["a > x", "a x | x | >x"],
  ["a>x", "a x | x | >x"],
  ["a 2>x", "a 2 x | 2 x | x | >x"],
  ["a &> x", "a | x | >x"],
  ["a >| x", "a x | x | >|x"],
  ["a <> x", "a x | x | <>x"],
  ["a >;b", "a | b"],
  ["a >", "a"],
  ["a << E", "a E<heredoc | E<heredoc"],
  ["a <<< E", "a E<heredoc | E<heredoc"],
  ["a << E\nb", "a E<heredoc | E<heredoc | b"],
  ["a > 'x y'", "a x y | x y | y | >x"],
  ["r''m \"-rf\" \\d", "rm -rf d | -rf d | d"],
  ["a $(b", "a $ | $ | b | sub $("],
  ["a $((1", "a $ | $ | 1"],
  ["a <(b >(c", "a | b | c | sub <( | sub >("],
  ["a-b c", "a-b c | c"],
];

for (const [text, expected] of TEXTS) {
  Deno.test(`words of what no grammar reads: ${JSON.stringify(text)}`, () => strictEqual(read(text), expected));
}

Deno.test("a command keeps 40 arguments, and 4,000 words are looked at", () => {
  const { commands } = wordReadings(Array.from({ length: 60 }, (_, index) => `w${index}`).join(" "));
  deepStrictEqual([commands.length, commands[0]?.words.length, commands[0]?.words.at(-1)?.value], [60, 41, "w40"]);
  deepStrictEqual([commands[19]?.words.length, commands[20]?.words.length], [41, 40]);
  strictEqual(wordReadings("a;".repeat(3_000)).commands.length, 2_000);
  strictEqual(wordReadings("a ".repeat(4_001)).commands.length, 4_000);
});

Deno.test("of long words the first 128,000 characters are looked at", () => {
  const words = wordReadings(`${"a".repeat(127_998)} bcd`).commands.at(-1)?.words;
  strictEqual(words?.[0]?.value, "b");
});

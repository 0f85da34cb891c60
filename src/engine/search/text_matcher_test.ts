import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import fc from "fast-check";
import { encodeUtf8 } from "../../base/utf8.ts";
import { UnicodeFacts } from "./regex/code_points.ts";
import { RegexError } from "./regex/regex_error.ts";
import { ScanKernel } from "./scan_kernel.ts";
import { type Query, TextMatcher } from "./text_matcher.ts";

const unicode = new UnicodeFacts();
const kernel = new ScanKernel();

/** Line number (from 0) and byte column of every matching line of `content`. */
function found(query: Query, content: string | Uint8Array): [number, number][] {
  const matcher = new TextMatcher(kernel, query, { unicode, shouldStop: () => false });
  matcher.prepare();
  const bytes = typeof content === "string" ? encodeUtf8(content) : content;
  kernel.buffer.set(bytes);
  const lines: [number, number][] = [];
  for (let at = 0; at < bytes.length;) {
    const line = matcher.next(at, bytes.length);
    if (line === null) break;
    lines.push([kernel.countByte(0, line.start, 0x0a), line.matchAt - line.start]);
    at = line.next;
  }
  return lines;
}

/** The same by the runtime's own engine, which is no example for speed but for meaning. */
function expected(pattern: string, flags: string, content: string): [number, number][] {
  const lines = content.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.flatMap((line, index): [number, number][] => {
    // A CR before the last line's end is only part of a terminator when a line feed follows.
    const isTerminated = index < lines.length - 1 || content.endsWith("\n");
    const text = isTerminated && line.endsWith("\r") ? line.slice(0, -1) : line;
    const match = new RegExp(pattern, flags).exec(text);
    return match === null ? [] : [[index, encodeUtf8(text.slice(0, match.index)).length]];
  });
}

const piece = fc.constantFrom(..."a b c ab abc bc A k s _ 1".split(" "), " ", "é", "ſ", "K", "ß", "😀", "\r", ".");
const line = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
const content = fc.tuple(fc.array(line, { minLength: 1, maxLength: 6 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
  .map(([lines, end, isEnded]) => lines.join(end) + (isEnded ? end : ""));

const atom = fc.constantFrom(
  ..."a b c ab abc k s é ſ 😀 . \\w \\d \\s \\W [ab] [^a] [a-c] [é-ſ] \\. ^ $ \\b \\B _".split(" "),
);
const pattern = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    atom,
    fc.tuple(tie("node"), tie("node")).map(([a, b]) => a + b),
    fc.tuple(tie("node"), tie("node")).map(([a, b]) => `(?:${a}|${b})`),
    fc.tuple(tie("node"), fc.constantFrom("*", "+", "?", "{2}", "{1,2}", "{2,}", "*?")).map(([a, q]) => `(?:${a})${q}`),
  ),
})).node;

/** The pattern in the runtime's spelling: its classes and word borders are ASCII, ours are Unicode's. */
function runtimeSpelling(text: string): string {
  const word = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}";
  return text
    .replaceAll("\\w", `[${word}]`).replaceAll("\\W", `[^${word}]`)
    .replaceAll("\\d", "\\p{Nd}").replaceAll("\\s", "\\p{White_Space}")
    .replaceAll("\\b", `(?:(?<=[${word}])(?![${word}])|(?<![${word}])(?=[${word}]))`)
    .replaceAll("\\B", `(?:(?<=[${word}])(?=[${word}])|(?<![${word}])(?![${word}]))`)
    .replace(/(?<!\\)\./g, "[^\\n]");
}

Deno.test("TextMatcher finds the same lines and columns as a backtracking engine, for any pattern", () => {
  fc.assert(
    fc.property(pattern, content, fc.boolean(), (text, content, isCaseSensitive) => {
      const flags = isCaseSensitive ? "u" : "iu";
      // The runtime finds the place between the two halves of a surrogate pair, where no character ends.
      fc.pre(!(text.includes("\\B") && content.includes("😀")));
      deepStrictEqual(
        found({ query: text, isRegex: true, isCaseSensitive }, content),
        expected(runtimeSpelling(text), flags, content),
      );
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("TextMatcher finds literal texts, whatever they look like, in both case modes", () => {
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 3 }),
      content,
      fc.boolean(),
      (pieces, content, isCaseSensitive) => {
        const query = pieces.join("");
        const escaped = query.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
        deepStrictEqual(
          found({ query, isRegex: false, isCaseSensitive }, content),
          expected(escaped, isCaseSensitive ? "u" : "iu", content),
        );
      },
    ),
    { numRuns: 1_000 },
  );
});

Deno.test("TextMatcher answers for patterns that hang a backtracking engine", () => {
  const hostile = ["(a+)+b", "(a|aa)+$", "(a*)*c", "(a?){60}a{60}", "(.*)(.*)(.*)(.*)(.*)x", "(\\w+\\s?)+:"];
  const line = "a".repeat(50_000);
  const startedAt = performance.now();
  for (const query of hostile) found({ query, isRegex: true, isCaseSensitive: true }, line);
  // A hang guard: a backtracking engine needs longer than the universe has.
  ok(performance.now() - startedAt < 60_000);
});

Deno.test("TextMatcher starts its automaton anew when a pattern makes more states than there is room for", () => {
  let state = 7;
  const letter = () => "ab"[(state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) >> 16 & 1];
  const lines = Array.from(
    { length: 1_200 },
    (_, index) => Array.from({ length: 150 }, letter).join("") + (index % 100 === 0 ? "c" : ""),
  );
  const content = lines.join("\n");
  // To tell where an "a" stood 17 places ago takes 2^17 states, twice what the table holds.
  const query = "a[ab]{16}c";
  deepStrictEqual(
    found({ query: `(?:${query}|${query})`, isRegex: true, isCaseSensitive: true }, content),
    expected(query, "u", content),
  );
  const onlyStates = "(?:a|b)*a(?:a|b){16}[cd]";
  deepStrictEqual(
    found({ query: onlyStates, isRegex: true, isCaseSensitive: true }, content).map(([line]) => line),
    expected(query, "u", content).map(([line]) => line),
  );
});

Deno.test("TextMatcher searches bytes that are no UTF-8, and counts them as one character each", () => {
  const content = Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x20, 0x54, 0x4f, 0x4b, 0x0a, 0xff, 0xfe, 0x54, 0x4f, 0x4b);
  deepStrictEqual(found({ query: "TOK", isRegex: false, isCaseSensitive: true }, content), [[0, 5], [1, 2]]);
  deepStrictEqual(found({ query: "f.\\s?tok", isRegex: true, isCaseSensitive: false }, content), [[0, 2]]);
  deepStrictEqual(found({ query: "^..TOK$", isRegex: true, isCaseSensitive: true }, content), [[1, 0]]);
});

Deno.test("TextMatcher folds case as Unicode's simple folding does, outside ASCII and at its border", () => {
  const insensitive = (query: string, content: string) =>
    found({ query, isRegex: false, isCaseSensitive: false }, content).length;
  strictEqual(insensitive("straße", "STRAẞE"), 1);
  strictEqual(insensitive("ΣΊΣΥΦΟΣ", "Σίσυφος"), 1);
  strictEqual(insensitive("task", "TA\u017f\u212a"), 1);
  strictEqual(insensitive("ı", "I"), 0);
  strictEqual(insensitive("ǆ", "ǅ"), 1);
});

Deno.test("TextMatcher names what its dialect does not have", () => {
  const cases: [string, RegExp][] = [
    ["a(?=$)", /look-ahead/],
    ["a(?!b)", /look-ahead/],
    ["(?<=a)b", /look-behind/],
    ["(?<!a)b", /look-behind/],
    ["(a)\\1", /back-reference/],
    ["(?P<x>a)(?P=x)", /back-reference/],
    ["(?<x>a)\\k<x>", /back-reference/],
    ["(?>a)", /atomic/],
    ["a\\n", /line feed/],
    ["[a", /never closed/],
    ["(a", /never closed/],
    ["a)", /closes nothing/],
    ["*a", /nothing that could repeat/],
    ["a{3,2}", /out of order/],
    ["a{1001}", /larger than 1000/],
    ["(\\w{1000}){1000}", /too large/],
    ["[a-z&&[^b]]", /&& in a character class is not supported/],
    ["[[a-c]--[b]]", /set operations/],
    ["\\p{Nonsense}", /no property/],
    ["\\y", /unrecognized escape/],
    ["a\\", /escapes nothing/],
    ["[a\\", /escapes nothing/],
    ["(?#note)a", /unknown \? form/],
    ["(?q)a", /no flag q/],
    ["(?-u)a", /raw bytes/],
    ["\\b{start}a", /named word borders/],
    ["\\pé", /followed by a property/],
    ["\\x{110000}", /no Unicode character/],
    ["[[:nonsense:]]", /no character class/],
    ["[z-a]", /out of order/],
    [`${"(".repeat(300)}a${")".repeat(300)}`, /nested more than/],
  ];
  for (const [query, message] of cases) {
    throws(
      () => found({ query, isRegex: true, isCaseSensitive: true }, "a"),
      (fault: unknown) => fault instanceof RegexError && message.test(fault.message),
      query,
    );
  }
});

Deno.test("TextMatcher takes a brace that starts no count as it stands, and named groups, flags and properties", () => {
  const count = (query: string, content: string) =>
    found({ query, isRegex: true, isCaseSensitive: true }, content).length;
  strictEqual(count("function \\w+\\(\\) {", "function foo() {\n"), 1);
  strictEqual(count("(?P<year>\\d{4})-(?<month>\\d\\d)", "on 2024-05\n"), 1);
  strictEqual(count("(?i)abc", "xABC\n"), 1);
  strictEqual(count("a(?i:b)c", "aBc\naBC\n"), 1);
  strictEqual(count("(?x) a  b # both\n c", "abc\n"), 1);
  strictEqual(count("\\p{Greek}+", "αβγ\nabc\n"), 1);
  strictEqual(count("\\p{Lu}\\p{L}+", "abc\nÉa\n"), 1);
  strictEqual(count("[[:digit:]]+x", "12x\n"), 1);
  strictEqual(count("[&~-]x[[^]", "&x[\n-x^\n"), 2);
  strictEqual(count("\\x41\\u{42}", "AB\n"), 1);
});

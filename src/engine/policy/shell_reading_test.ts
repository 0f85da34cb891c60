import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { readShell } from "./read_shell.ts";
import { baseName, literalWord } from "./shell_reading.ts";

/** Everything that is seen in a line, in the order of the members; what is empty is left out. */
function seen(line: string): string {
  const { commands, redirects, inline, substitutions, selfReplicating, readable } = readShell(line);
  const from = (input: string) => input === "inherited" ? "" : `<${input}`;
  return [
    ...commands.map(({ name, args, input }) => [`${name}${from(input)}`, ...args.map(({ value }) => value)].join(" ")),
    ...redirects.map(({ operator, target }) => `${operator}${target.value}`),
    ...inline.map(({ command, option, code }) => `{${command} ${option}: ${code}}`),
    ...substitutions.map((text) => `sub ${text}`),
    ...selfReplicating.map((name) => `bomb ${name}`),
    ...(readable ? [] : ["unreadable"]),
  ].join(" | ");
}

const LINES: readonly (readonly [line: string, seen: string])[] = [
  ["", ""],
  ["ls -l a", "ls -l a"],
  ["/usr/bin/LS; ./Tool.EXE; a\\\\b.exe.x", "ls | tool | b.exe.x"],
  ["a | b || c && d; e & f", "a | b<pipe | c | d | e | f"],
  ["(a; b) | { c; d; }", "a | b | c<pipe | d<pipe"],
  ["if a; then b; elif c; then d; else e; fi", "a | b | c | d | e"],
  ["while a; do b; done; until c; do d; done", "a | b | c | d"],
  ["for x in 1 2; do rm $x; done", "rm $x"],
  ["case a in b) c;; esac", "c"],
  ["f() { a; }; f", "a | f"],
  ["! a; time b", "a | b"],
  ["A=1 B=2 c", "c"],
  ["A=1", ""],
  ["$X a", " a"],
  ["r? a; r* b; [r] c", " a |  b |  c"],
  // What a word is made of.
  ["e'c'h\"o\" a\\ b $'\\x41' ", "echo a b A"],
  ["X=rm; $X -rf d", "rm -rf d"],
  ["X='rm -rf d'; $X", "rm -rf d"],
  ['X=a; echo "$X b" ${X} ${X:-c}', "echo a b a ${X:-c}"],
  ["X=a; X+=b; echo $X", "echo $X"],
  ["X[1]=a; echo $X", "echo $X"],
  ["X=$(a); echo $X", "a | echo $X | sub $(a)"],
  ['X=(a b); echo "${X[@]}" ${X[*]} $X', "echo a b a b a b"],
  ["for X in a; do :; done; echo $X", ": | echo $X"],
  ["X=a; for X in b; do :; done; echo $X", ": | echo $X"],
  ['set -- a b; "$@" $* ${@}', "set -- a b | a b a b a b"],
  ['set a b; "$@"', "set a b | a b"],
  ['ls a b; "$@"', "ls a b | "],
  ["a ) > f", "a | a | f | >f | unreadable"],
  ['set -e; "$@"', "set -e | -e"],
  ['set -- $X; "$@"', "set -- $X | "],
  ["echo {a,b}c", "echo ac bc"],
  // Redirections.
  ["a > x 2> y >> z < w", "a<file | >x | >y | >>z | <w"],
  ["a 2>&1 >&- &> f", "a | >&1 | >&- | &>f"],
  ["a <> f", "a<file | <>f"],
  ["a 3< f", "a | <f"],
  ["a 0< f", "a<file | <f"],
  ["a 0<&3", "a<file | <&3"],
  ["b | a 3< f", "b | a<pipe | <f"],
  ["b | a < f", "b | a<file | <f"],
  ["{ a; b; } > x < y", "a<file | b<file | >x | <y"],
  ["> x", ">x"],
  ["a > {x,y}", "a | >x | >y"],
  ["cat <<E\nx $(b)\nE", "b | cat<heredoc | sub $(b)"],
  ["cat <<'E'\nx $(b)\nE", "cat<heredoc"],
  ['cat <<< "x $(b)"', "b | cat<herestring | sub $(b)"],
  ["cat 3<<E\nx\nE", "cat"],
  ["cat <<E < f\nx\nE", "cat<file | <f"],
  // Substitutions.
  ["echo $(a) `b` <(c) >(d)", "a | b | c | d | echo $(a) `b` <(c) >(d) | sub $(a) | sub `b` | sub <(c) | sub >(d)"],
  ["echo `a \\`b\\``", "b | a `b` | echo `a \\`b\\`` | sub `a \\`b\\`` | sub `b`"],
  ["x | echo $(a)", "x | a | echo<pipe $(a) | sub $(a)"],
  ["$(a) b", "a |  b | sub $(a)"],
  ["A=$(a) b", "a | b | sub $(a)"],
  ["echo > $(a)", "a | echo | >$(a) | sub $(a)"],
  ["echo ${X:-$(a)}", "a | echo ${X:-$(a)} | sub $(a)"],
  ["echo ${x@P} ${x@Q}", "echo ${x@P} ${x@Q} | sub ${x@P}"],
  ["echo ${x:-@P}", "echo ${x:-@P}"],
  ["echo $((1 + $(a)))", "a | echo $((1 + $(a))) | sub $(a)"],
  ["echo '$(a)'", "echo $(a)"],
  // What runs what.
  ["sh -c 'a; b'", "sh -c a; b | a | b | {sh -c: a; b}"],
  ["x | sh -c a", "x | sh<pipe -c a | a<pipe | {sh -c: a}"],
  ["sh -c $X", "sh -c $X |  | {sh -c: $X}"],
  ["echo a | sh", "echo a | sh<pipe | a | {sh |: a}"],
  ["printf 'a\\nb' | sh", "printf a\\nb | sh<pipe | a | b | {sh |: a\nb}"],
  ["echo -ne -E a | sh", "echo -ne -E a | sh<pipe | a | {sh |: a}"],
  ["echo a-n -x -nx | sh", "echo a-n -x -nx | sh<pipe | a-n -x -nx | {sh |: a-n -x -nx}"],
  ["cat f | sh", "cat f | sh<pipe | {sh |: }"],
  ["{ echo a; } | sh", "echo a | sh<pipe | {sh |: }"],
  ["echo a | cat | sh", "echo a | cat<pipe | sh<pipe | {sh |: }"],
  ["sh <<E\na\nE", "sh<heredoc | a | {sh <<: a\n}"],
  ["sh <<< a", "sh<herestring | a | {sh <<<: a}"],
  ["sh < f", "sh<file | <f"],
  ["sh 3<<< a", "sh"],
  ["sh", "sh"],
  ["echo a | python", "echo a | python<pipe | {python |: a}"],
  ["echo a | python -", "echo a | python<pipe - | {python -: a}"],
  ["python -", "python - | {python -: }"],
  ["python -c a", "python -c a | {python -c: a}"],
  ["python -c", "python -c | {python -c: }"],
  ["echo a | python x.py", "echo a | python<pipe x.py"],
  ["x | nice a", "x | nice<pipe a | a<pipe"],
  ["x | xargs sh -s", "x | xargs<pipe sh -s | sh -s"],
  ["x | parallel sh", "x | parallel<pipe sh | sh"],
  ["x | eval a", "x | eval<pipe a | a<pipe"],
  ["time -f x a", "-f x a | a"],
  ["PAGER=a git log", "a | git log"],
  ["GIT_PAGER=a MANPAGER=b EDITOR=c VISUAL=d x", "a | b | c | d | x"],
  [
    "GIT_EDITOR=a GIT_SEQUENCE_EDITOR=b GIT_SSH_COMMAND=c GIT_EXTERNAL_DIFF=d PROMPT_COMMAND=e x",
    "a | b | c | d | e | x",
  ],
  ["PAGERS=a x; PAGER=$X y", "x | y"],
  ["x | PAGER=a b", "x | a | b<pipe"],
  ["export PAGER=a", "a | export PAGER=a"],
  ["export X=a; $X", "export X=a | a"],
  // Functions that start themselves twice.
  ["f() { f | f & }; f", "f | f<pipe | f | bomb f"],
  ["f() { f & f; }", "f | f | bomb f"],
  ["f() { f | cat; }", "f | cat<pipe | bomb f"],
  ["f() { f; }", "f"],
  ["f() { g & }", "g"],
  ["f() { a | b; }", "a | b<pipe"],
  ["f() { g() { f & }; }", "f | bomb f"],
  // Lines that are continued.
  ["r\\\nm -rf d", "rm -rf d | rm -rf d"],
  // What no shell reads.
  ["rm -rf d )", "rm -rf d | rm -rf d | -rf d | d | unreadable"],
];

for (const [line, expected] of LINES) {
  Deno.test(`what is seen in: ${JSON.stringify(line)}`, () => strictEqual(seen(line), expected));
}

Deno.test("scripts in scripts are followed 12 deep, then their words are judged", () => {
  const nested = (depth: number) => "eval ".repeat(depth) + "rm";
  deepStrictEqual([readShell(nested(11)).readable, readShell(nested(12)).readable, readShell(nested(13)).readable], [
    true,
    true,
    false,
  ]);
  ok(readShell(nested(14)).commands.some(({ name }) => name === "rm"));
});

Deno.test("text of more than 128 KiB is judged by its words", () => {
  const text = (length: number) => "a".repeat(length);
  deepStrictEqual([readShell(text(131_072)).readable, readShell(text(131_073)).readable], [true, false]);
});

Deno.test("values of more than 4,096 characters are not followed", () => {
  const used = (length: number) => readShell(`X=${"a".repeat(length)}; $X`).commands.at(-1)?.name.length;
  deepStrictEqual([used(4_096), used(4_097)], [4_096, 0]);
  const set = (length: number) => readShell(`set -- ${"a".repeat(length)}; "$@"`).commands.at(-1)?.name.length;
  deepStrictEqual([set(4_096), set(4_097)], [4_096, 0]);
});

Deno.test("names are the last part of a path in lower case without .exe", () => {
  deepStrictEqual(["a", "/b/C", "d\\e.EXE", "f.exe.g", "h/"].map(baseName), ["a", "c", "e", "f.exe.g", ""]);
});

Deno.test("a word of which everything is known is its own skeleton", () => {
  deepStrictEqual(literalWord("~a"), { value: "~a", skeleton: "~a", dynamic: false, tilde: true });
  deepStrictEqual(literalWord("a~"), { value: "a~", skeleton: "a~", dynamic: false, tilde: false });
});

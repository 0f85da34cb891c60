import { deepStrictEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { classifyCommand, type PolicyContext } from "./classify_command.ts";
import { readShell } from "./read_shell.ts";

/** Hang guard for one command line: the slowest known one (a depth bomb) takes about 0.3 s. */
const CLASSIFY_LIMIT_MS = 20_000;

const SAFE: PolicyContext = {
  mode: "safe",
  network: "none",
  granted: new Set(),
  callEnv: {},
  locate: () => "inside",
  isRuntimePath: () => false,
  setIdProgram: () => null,
};

Deno.test("readShell() lists wrappers and what they wrap, with the source of their input", () => {
  const seen = readShell("cat f | env A=1 nice -n 5 sort -u <<< x > out").commands;
  deepStrictEqual(
    seen.map(({ name, args, input }) => [name, args.map(({ value }) => value), input]),
    [
      ["cat", ["f"], "inherited"],
      ["env", ["A=1", "nice", "-n", "5", "sort", "-u"], "herestring"],
      ["nice", ["-n", "5", "sort", "-u"], "herestring"],
      ["sort", ["-u"], "herestring"],
    ],
  );
});

Deno.test("readShell() reads the text of inline scripts, heredocs and pipes into shells", () => {
  for (const text of ["sh -c 'ls; pwd'", "bash <<E\nls\npwd\nE", "echo 'ls; pwd' | sh", "eval 'ls; pwd'"]) {
    const names = readShell(text).commands.map(({ name }) => name);
    ok(names.includes("ls") && names.includes("pwd"), `${text}: ${names.join(" ")}`);
  }
});

Deno.test("readShell() says when the grammar could not read the line", () => {
  for (const text of ["echo 'x", "if true", "a )", "echo ( x", "case x in"]) {
    deepStrictEqual([text, readShell(text).readable], [text, false]);
  }
  for (
    const text of [
      "a\\\nb",
      "x=(1 2); echo ${x[0]}",
      "f() { :; }; f",
      "cat <<A <<B\n1\nA\n2\nB",
      "echo `echo \\`ls\\``",
    ]
  ) {
    deepStrictEqual([text, readShell(text).readable], [text, true]);
  }
});

Deno.test("readShell() knows a variable only while its value is certain", () => {
  const commandOf = (text: string) => readShell(text).commands.map(({ name }) => name);
  deepStrictEqual(commandOf("X=ls; $X"), ["ls"]);
  deepStrictEqual(commandOf("X=ls; X=$Y; $X"), [""]);
  deepStrictEqual(commandOf("for X in a b; do $X; done"), [""]);
});

const HOSTILE: readonly [string, string][] = [
  ["nested substitutions", "$(".repeat(20_000)],
  ["nested subshells", "(".repeat(20_000) + ")".repeat(20_000)],
  ["closed nested subshells", "(".repeat(200) + "ls" + ")".repeat(200)],
  ["nested groups", "{ ".repeat(20_000)],
  ["nested arithmetic", "echo $((" + "(".repeat(20_000)],
  ["backquotes", "`".repeat(20_001)],
  ["many words", "a ".repeat(60_000)],
  ["many commands", "a;".repeat(60_000)],
  ["many quotes", `'"`.repeat(40_000)],
  ["braces", "{a,b}".repeat(2_000)],
  ["brace product", "echo " + "{a,b,c,d}".repeat(12)],
  ["many heredocs", "cat <<E\nx\nE\n".repeat(5_000)],
  ["unterminated heredocs", "cat <<E ".repeat(5_000)],
  ["shells in shells", "sh -c ".repeat(5_000)],
  ["wrappers in wrappers", "env ".repeat(20_000) + "ls"],
  ["evals in evals", "eval ".repeat(3_000) + "ls"],
  ["more than an argument may hold", "a ".repeat(1_000_000)],
  ["self-referring variables", "X=$X$X;".repeat(2_000) + "$X"],
  ["growing variables", "X=aa;" + "X=$X$X;".repeat(60) + "$X"],
  ["control characters", "\u0000\u0001\u001b[31m\ud800\u2028".repeat(5_000)],
  ["many functions", "f() { f | f & };".repeat(3_000)],
  ["finds", "find . -exec ".repeat(5_000) + ";"],
];

for (const [what, text] of HOSTILE) {
  Deno.test(`classifyCommand() ends soon on ${what}`, () => {
    const startedAt = performance.now();
    classifyCommand(text, SAFE);
    ok(performance.now() - startedAt < CLASSIFY_LIMIT_MS);
  });
}

/** Pieces of shell text: random combinations reach far more of the grammar than random characters. */
const PIECES = [
  ..."'\"`\\$(){}[]<>|&;#!~*?=+-@%^,:./ \t\n".split(""),
  "$(",
  "${",
  "$((",
  "<(",
  "<<E",
  "\nE\n",
  "<<<",
  "&&",
  "||",
  ";;",
  "2>&1",
  "if ",
  "then ",
  "fi",
  "for x in ",
  "do ",
  "done",
  "case x in ",
  "esac",
  "while ",
  "function f",
  "f()",
  "rm ",
  "-rf ",
  "sudo ",
  "sh -c ",
  "env -S ",
  "xargs ",
  "find . -exec ",
  "git ",
  "A=1 ",
  "$A",
  "é",
  "\ud83d",
  "\u0000",
];

Deno.test("classifyCommand() neither fails nor hangs on random shell text", () => {
  const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(text, (cmd) => {
      const startedAt = performance.now();
      const verdict = classifyCommand(cmd, SAFE);
      ok(verdict.kind === "allowed" || verdict.permission !== undefined);
      ok(performance.now() - startedAt < CLASSIFY_LIMIT_MS);
    }),
    { numRuns: 5_000, interruptAfterTimeLimit: 20_000 },
  );
});

Deno.test("a destructive command stays one whatever harmless text stands around it", () => {
  const before = fc.constantFrom("", "ls; ", "true && ", "A=1 ", "(", "{ ", "! ", "time ", "if true; then ", "x | ");
  const closing: Record<string, string> = { "(": ")", "{ ": "; }", "if true; then ": "; fi" };
  const wrapper = fc.constantFrom("", "env ", "nice -n 3 ", "timeout 5 ", "nohup ", "command ", "exec ", "xargs ");
  const spelled = fc.constantFrom("rm", "r\\m", "'rm'", '"rm"', "r''m", "/bin/rm", "$'rm'");
  const options = fc.constantFrom("-rf", "-r -f", "-fr", "-Rf", "--recursive --force", "-r --force", "-'r'f");
  fc.assert(fc.property(before, wrapper, spelled, options, (start, wrap, name, flags) => {
    const cmd = `${start}${wrap}${name} ${flags} d${closing[start] ?? ""}`;
    deepStrictEqual([cmd, classifyCommand(cmd, { ...SAFE, mode: "trusted", network: "open" }).kind], [cmd, "blocked"]);
  }));
});

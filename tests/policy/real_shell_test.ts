/** Compares what the policy sees in a line with what a real shell runs. */

import { deepStrictEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { classifyCommand, type PolicyContext } from "../../src/engine/policy/classify_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

/** Programs that generated lines may call; `rm` is a stand-in that only writes down how it was called. */
const PROGRAMS = ["env", "nice", "nohup", "timeout", "xargs", "setsid", "cat", "sh", "bash", "find", "stdbuf", "true"];
const LINES = 300;
/** A generated line that waits for input or runs on is ended; it then counts by what it called until there. */
const LINE_LIMIT_MS = 5_000;

const TRUSTED: PolicyContext = {
  mode: "trusted",
  network: "open",
  granted: new Set(),
  callEnv: {},
  locate: () => "inside",
  isRuntimePath: () => false,
  setIdProgram: () => null,
};

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const doubleQuoted = (text: string) => `"${text.replace(/[\\"$`]/g, "\\$&")}"`;

const name = fc.constantFrom("rm", "'rm'", '"rm"', "r\\m", "r''m", 'r"m"', "$'rm'", "$'\\x72m'", "\\rm", "r\\\nm");
const flags = fc.constantFrom(
  "-rf",
  "-fr",
  "-r -f",
  "-R --force",
  "--recursive --force",
  "-'r'f",
  '"-rf"',
  "-r\\f",
  "-{r,f}",
  "{-r,-f}",
  "-v -rf",
  "$'-rf'",
);
const removal = fc.tuple(name, flags).map(([rm, option]) => `${rm} ${option} d`);
const harmless = fc.constantFrom(
  "true",
  "echo 'rm -rf d'",
  'echo "rm -rf d"',
  "echo rm \\; rm -rf d > out.txt",
  "cat <<'E'\nrm -rf d\nE",
  "x='rm -rf d'",
  "rm -r d",
  "rm -f d",
  "# rm -rf d",
);

/** Lines around lines: every form in which a shell runs what it is given. */
const { line } = fc.letrec<{ line: string }>((tie) => ({
  line: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    removal,
    harmless,
    fc.tuple(tie("line"), fc.constantFrom(";", "&&", "||", "\n", "|", "&"), tie("line")).map(([a, op, b]) =>
      `${a}\n`.trimEnd() + joinable(a, op) + b
    ),
    tie("line").map((inner) => `( ${inner}\n)`),
    tie("line").map((inner) => `{ ${inner}\n}`),
    tie("line").map((inner) => `if true; then ${inner}\nfi`),
    tie("line").map((inner) => `for i in 1; do ${inner}\ndone`),
    tie("line").map((inner) => `case x in x) ${inner}\n;; esac`),
    tie("line").map((inner) => `f() { ${inner}\n}; f`),
    tie("line").map((inner) => `echo $( ${inner}\n)`),
    tie("line").map((inner) => `echo "$( ${inner}\n)"`),
    tie("line").map((inner) => `y=$( ${inner}\n)`),
    tie("line").map((inner) => `cat < <( ${inner}\n)`),
    tie("line").map((inner) => `eval ${quoted(inner)}`),
    tie("line").map((inner) => `eval ${doubleQuoted(inner)}`),
    tie("line").map((inner) => `sh -c ${quoted(inner)}`),
    tie("line").map((inner) => `bash -ec ${doubleQuoted(inner)}`),
    tie("line").map((inner) => `bash <<< ${quoted(inner)}`),
    tie("line").map((inner) => `sh <<'END_${inner.length}'\n${inner}\nEND_${inner.length}`),
    tie("line").map((inner) => `echo ${quoted(inner)} | bash`),
    tie("line").map((inner) => `trap ${quoted(inner)} EXIT`),
    tie("line").map((inner) => `function g { ${inner}\n}; g`),
    tie("line").map((inner) => `while ! test -e done; do ${inner}\n> done; done`),
    tie("line").map((inner) => `until false; do ${inner}\nbreak; done`),
    tie("line").map((inner) => `coproc { ${inner}\n}; wait`),
    tie("line").map((inner) => `true > >( ${inner}\n); wait`),
    tie("line").map((inner) => `[[ -n $( ${inner}\n) ]]`),
    tie("line").map((inner) => `(( 1 + $( ${inner}\necho 1) ))`),
    tie("line").map((inner) => `a=( $( ${inner}\n) )`),
    tie("line").map((inner) => `echo \${x:-$( ${inner}\n)}`),
    tie("line").map((inner) => `printf '%s\\n' ${quoted(inner)} | sh`),
    tie("line").map((inner) => `env -S ${doubleQuoted(`bash -c ${doubleQuoted(inner.replace(/\n/g, ";"))}`)}`),
    removal.map((inner) => `echo \`${inner.replaceAll("\\", "\\\\").replaceAll("\n", "")}\``),
    removal.map((inner) => `cat <<E\n$(${inner})\nE`),
    removal.map((inner) => `export X=rm; $X ${inner.slice(inner.indexOf(" "))}`),
    removal.map((inner) => `: \${X:=rm}; A=b ${inner}`),
    removal.map((inner) => `X=${quoted(inner.replace(/[\\'"$\n]/g, ""))}; $X`),
    removal.map((inner) => `a=(${inner}); "\${a[@]}"`),
    removal.map((inner) => `set -- ${inner}; "$@"`),
    removal.map((inner) => `! ${inner}`),
    removal.map((inner) => `time ${inner}`),
    removal.map((inner) => `A=1 ${inner}`),
    removal.map((inner) => `> out.txt ${inner}`),
    fc.tuple(
      fc.constantFrom(
        "env",
        "env -i A=1",
        "env -u X",
        "nice -n 1",
        "nohup",
        "timeout 5",
        "timeout -s KILL 5",
        "setsid -w",
        "stdbuf -oL",
        "command",
        "exec",
        "xargs",
        "xargs -n 1",
        "find . -maxdepth 0 -exec",
      ),
      removal,
    ).map(([wrapper, inner]) =>
      wrapper.startsWith("find") ? `${wrapper} ${inner} \\;` : `${wrapper} ${inner} < in.txt`
    ),
  ),
}));

/** A comment, a heredoc or a trailing operator must not swallow the joint. */
function joinable(before: string, operator: string): string {
  const needsLine = /#|<<|\n/.test(before) || before.endsWith("&");
  if (operator === "\n" || needsLine) return "\n";
  return ` ${operator} `;
}

Deno.test(
  "every line of which bash runs rm recursively and by force is seen as destructive",
  { ignore: noBash() },
  () => {
    using workspace = new TempWorkspace();
    const bin = join(workspace.parent, "bin");
    const log = join(workspace.parent, "log");
    mkdirSync(bin);
    writeFileSync(join(bin, "rm"), `#!/bin/sh\nprintf '%s\\n' "$*" >> ${log}\n`);
    chmodSync(join(bin, "rm"), 0o755);
    const path = Deno.env.get("PATH") ?? "/usr/bin:/bin";
    for (const program of PROGRAMS) {
      const real = path.split(":").map((directory) => join(directory, program)).find(existsSync);
      if (real !== undefined) symlinkSync(real, join(bin, program));
    }
    workspace.write("in.txt", "one\n");
    let lines = 0;
    let ran = 0;
    fc.assert(
      fc.property(line, (cmd) => {
        // Each line has its own stand-in: a process that an earlier line left in the background writes elsewhere.
        const own = join(workspace.parent, `own${++lines}`);
        const log = join(own, "log");
        mkdirSync(own);
        writeFileSync(join(own, "rm"), `#!/bin/sh\nprintf '%s\\n' "$*" >> ${log}\n`);
        chmodSync(join(own, "rm"), 0o755);
        // Only the directory of stand-ins is on PATH, and no generated line holds an absolute path.
        try {
          execFileSync("/bin/bash", ["-c", cmd], {
            cwd: workspace.root,
            env: { PATH: `${own}:${bin}` },
            stdio: "ignore",
            timeout: LINE_LIMIT_MS,
          });
        } catch {
          // A line may fail or run too long: what it called before counts all the same.
        }
        const calls = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
        const removed = calls.some((call) => {
          const words = call.split(" ");
          return words.some((word) => /^(-\w*[rR]\w*|--recursive)$/.test(word)) &&
            words.some((word) => /^(-\w*f\w*|--force)$/.test(word));
        });
        if (!removed) return;
        ran++;
        deepStrictEqual([cmd, classifyCommand(cmd, TRUSTED).kind], [cmd, "blocked"]);
      }),
      { numRuns: LINES, interruptAfterTimeLimit: 60_000 },
    );
    deepStrictEqual(ran > LINES / 20, true, `only ${ran} lines ran rm`);
  },
);

function noBash(): boolean {
  const missing = !existsSync("/bin/bash");
  if (missing) console.warn("not run: this machine has no /bin/bash");
  return missing;
}

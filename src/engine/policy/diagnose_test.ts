import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { diagnose, type DiagnoseFacts } from "./diagnose.ts";

const FACTS: DiagnoseFacts = {
  stdout: "",
  stderr: "",
  exitCode: 1,
  timedOut: false,
  truncated: false,
  filesystemConfined: true,
  network: "none",
};

function codesOf(changes: Partial<DiagnoseFacts>): string[] {
  return diagnose({ ...FACTS, ...changes }).map(({ code }) => code);
}

const LINES: readonly [string, string[]][] = [
  ["sh: 1: cannot create /dev/null: Permission denied", ["DEV_NULL_DENIED"]],
  ["curl: (6) Could not resolve host: example.com", ["DNS_RESOLUTION_FAILED"]],
  ["ssh: x: Temporary failure in name resolution", ["DNS_RESOLUTION_FAILED"]],
  ["getaddrinfo EAI_AGAIN packages.example", ["DNS_RESOLUTION_FAILED"]],
  ["Error: getaddrinfo ENOTFOUND packages.example", ["DNS_RESOLUTION_FAILED"]],
  ["FileNotFoundError: [Errno 2] No such file or directory: 'x'", []],
  ["dial tcp 10.0.0.1:443: connect: permission denied", ["NETWORK_BLOCKED"]],
  ["PermissionError: [Errno 1] Operation not permitted (socket)", ["NETWORK_BLOCKED"]],
  ["Error loading java.security file", ["JDK_SECURITY_CONFIG_BLOCKED"]],
  ["mktemp: TMPDIR is not writable", ["TMPDIR_NOT_WRITABLE"]],
  ["error: cannot write to $HOME/.npm", ["HOME_NOT_WRITABLE"]],
  ["mkdir: cannot create directory '/home/u/.cache': Permission denied", ["HOME_NOT_WRITABLE"]],
  ["sh: 1: /root/.pyenv/shims/python3: Permission denied", ["LANDLOCK_READ_ROOT_BLOCKED"]],
  ["mkdir: cannot create directory '/root/.pyenv/versions/3': Permission denied", ["LANDLOCK_READ_ROOT_BLOCKED"]],
  ["/usr/bin/sh: 1: pyenv: Permission denied", []],
  ["cat: /etc/shadow: Permission denied", ["LANDLOCK_READ_ROOT_BLOCKED"]],
  ["open '/var/lib/x': EACCES", ["LANDLOCK_READ_ROOT_BLOCKED"]],
  ["sh: 1: foo: not found", []],
  ["bash: foo: command not found", ["EXECUTABLE_NOT_FOUND"]],
  ['exec: "go": executable file not found in $PATH', ["EXECUTABLE_NOT_FOUND"]],
  ["tests failed: 3", []],
  ["src/a.ts: Permission denied", []],
];

Deno.test("diagnose() reads the known complaints of programs", () => {
  for (const [line, codes] of LINES) {
    deepStrictEqual([line, codesOf({ stderr: `before\n${line}\nafter` })], [line, codes]);
  }
});

Deno.test("diagnose() names time-out, truncation and a missing program without any text", () => {
  deepStrictEqual(codesOf({ timedOut: true, truncated: true, exitCode: null }), [
    "COMMAND_TIMED_OUT",
    "OUTPUT_TRUNCATED",
  ]);
  deepStrictEqual(codesOf({ exitCode: 127 }), ["EXECUTABLE_NOT_FOUND"]);
  deepStrictEqual(codesOf({ exitCode: 127, stderr: "sh: 1: foo: not found" }), ["EXECUTABLE_NOT_FOUND"]);
});

Deno.test("diagnose() ignores what a successful command prints to standard output", () => {
  deepStrictEqual(codesOf({ exitCode: 0, stdout: "log: command not found\ncat: /etc/x: Permission denied" }), []);
  deepStrictEqual(codesOf({ exitCode: 0, stderr: "cat: /etc/x: Permission denied" }), ["LANDLOCK_READ_ROOT_BLOCKED"]);
});

Deno.test("diagnose() does not blame the sandbox for a network that is open", () => {
  deepStrictEqual(codesOf({ network: "open", stderr: "connect: network is unreachable" }), []);
  const unresolved = "curl: (6) Could not resolve host: example.com";
  strictEqual(diagnose({ ...FACTS, stderr: unresolved })[0]?.suggested_server_flag, "--network open");
  strictEqual(diagnose({ ...FACTS, network: "open", stderr: unresolved })[0]?.suggested_server_flag, undefined);
});

Deno.test("diagnose() quotes its evidence in one bounded line and names the path", () => {
  const [found] = diagnose({ ...FACTS, stderr: `cat:   /etc/shadow: Permission denied ${"x".repeat(500)}` });
  ok(found);
  strictEqual(found.evidence?.length, 240);
  ok(found.evidence.startsWith("cat: /etc/shadow: Permission denied") && found.evidence.endsWith("..."));
  ok(found.suggested_fix?.includes("/etc/shadow"));
});

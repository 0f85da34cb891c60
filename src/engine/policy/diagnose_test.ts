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

/** Lines in other words and letters, and lines that only look like a complaint. */
const MORE_LINES: readonly [string, string[]][] = [
  ["wrote /dev/null, not found", []],
  ["FAILED TO CREATE SOCKET", ["NETWORK_BLOCKED"]],
  ["Network is unreachable", ["NETWORK_BLOCKED"]],
  ["BIND: Permission denied", ["NETWORK_BLOCKED"]],
  ["reconnecting: permission denied", []],
  ["disconnect: permission denied", []],
  ["sockets: permission denied", []],
  ["java.security not found", []],
  ["TMPDIR not found", []],
  ["tmpdir: PERMISSION DENIED", ["TMPDIR_NOT_WRITABLE"]],
  ["HOME: socket", []],
  ["HOME is NOT WRITABLE", ["HOME_NOT_WRITABLE"]],
  ["~/x: Read-only File System", ["HOME_NOT_WRITABLE"]],
  ["HOMEPAGE is not writable", []],
  ["MYHOME is not writable", []],
  ["ahome directory not writable", []],
  ["/etc/x not found", []],
  ["x/etc/y: Permission denied", []],
  ["open /etc/: EACCES", ["LANDLOCK_READ_ROOT_BLOCKED"]],
  ["ls /opt: Permission denied", ["LANDLOCK_READ_ROOT_BLOCKED"]],
  ["exec: x: NOT FOUND", ["EXECUTABLE_NOT_FOUND"]],
  ["EXEC failed, not found", ["EXECUTABLE_NOT_FOUND"]],
  ["exec socket", []],
  ["x: Command Not Found", ["EXECUTABLE_NOT_FOUND"]],
  ["x not found in path", ["EXECUTABLE_NOT_FOUND"]],
];

Deno.test("diagnose() is no stricter about letters than programs are, and no looser about words", () => {
  for (const [line, codes] of MORE_LINES) deepStrictEqual([line, codesOf({ stderr: line })], [line, codes]);
  deepStrictEqual(codesOf({ exitCode: 127, stderr: "x: No Such File" }), ["EXECUTABLE_NOT_FOUND"]);
  deepStrictEqual(codesOf({ exitCode: 126, stderr: "x: no such file" }), []);
});

Deno.test("diagnose() quotes the first line that tells, and only the last 64 KiB of a stream", () => {
  const [found] = diagnose({ ...FACTS, stderr: "bash: a: command not found\nbash: b: command not found" });
  deepStrictEqual([found?.evidence, found?.severity], ["bash: a: command not found", "error"]);
  const line = "bash: a: command not found";
  const behind = (bytes: number) => codesOf({ stderr: line + "x".repeat(bytes - line.length) }).length;
  deepStrictEqual([behind(65_536), behind(65_536 + line.length)], [1, 0]);
  const exact = "command not found".padEnd(240, "x");
  deepStrictEqual(diagnose({ ...FACTS, stderr: `  ${exact}  ` })[0]?.evidence, exact);
});

Deno.test("diagnose() counts standard output of a failed command as well", () => {
  deepStrictEqual(codesOf({ exitCode: 1, stdout: "bash: a: command not found" }), ["EXECUTABLE_NOT_FOUND"]);
});

Deno.test("diagnose() says how bad each thing is", () => {
  const severities = diagnose({ ...FACTS, timedOut: true, truncated: true, exitCode: 127 }).map(({ severity }) =>
    severity
  );
  deepStrictEqual(severities, ["error", "warning", "error"]);
});

Deno.test("diagnose() names the flag of the server that helps, and the path that is closed", () => {
  const found = (stderr: string) => {
    const [first] = diagnose({ ...FACTS, stderr });
    return [first?.code, first?.suggested_server_flag, first?.suggested_fix?.match(/open (\S+);/)?.[1]];
  };
  deepStrictEqual(found("network is unreachable"), ["NETWORK_BLOCKED", "--network open", undefined]);
  deepStrictEqual(found("java.security denied"), ["JDK_SECURITY_CONFIG_BLOCKED", "VISE_EXEC_ALLOW_ROOTS", undefined]);
  const closed = (path: string) => ["LANDLOCK_READ_ROOT_BLOCKED", "VISE_EXEC_ALLOW_ROOTS", path];
  deepStrictEqual(found("cat: /etc/shadow: Permission denied"), closed("/etc/shadow"));
  deepStrictEqual(found("open /etc/: EACCES"), closed("/etc/"));
  deepStrictEqual(found("/bin/sh: 12: cannot open /etc/x: Permission denied"), closed("/etc/x"));
  deepStrictEqual(found("/bin/bash: line 12: /opt/x: Permission denied"), closed("/opt/x"));
  deepStrictEqual(found("/bin/bash: /opt/x: Permission denied"), closed("/opt/x"));
});

import assert from "node:assert/strict";
import { type DenialFacts, explainDenial } from "./explain_denial.ts";
import type { SandboxReport } from "./report.ts";

const REPORT: SandboxReport = {
  filesystem: "confined",
  attributes: "confined",
  network: "none",
  signals: "scoped",
  abi: 7,
};

function explain(stderr: string, change: Partial<DenialFacts> = {}): string[] {
  const facts: DenialFacts = {
    stdout: "",
    stderr,
    exitCode: 1,
    report: REPORT,
    workspace: "/work/tree",
    writableRoots: ["/tmp/vise-0/x/y"],
    workspaceReadOnly: false,
    ...change,
  };
  return explainDenial(facts).map((entry) =>
    `${entry.code} | ${entry.suggested_fix} | ${entry.suggested_server_flag ?? ""}`
  );
}

/** `[output of a program, words that the explanation must have]`. */
const TABLE: readonly (readonly [string, readonly string[]])[] = [
  ["cat: /etc/shadow: Permission denied", [
    "LANDLOCK_READ_ROOT_BLOCKED",
    "read or execute /etc/shadow",
    "into the workspace",
  ]],
  ["/bin/sh: 1: cannot create /tmp/evil: Permission denied", ["SANDBOX_WRITE_DENIED", "write /tmp/evil", "$TMPDIR"]],
  ["/bin/sh: 1: cannot create /tmp/evil: Read-only file system", ["SANDBOX_WRITE_DENIED", "write /tmp/evil"]],
  ["touch: cannot touch '/opt/x y': Operation not permitted", ["SANDBOX_WRITE_DENIED", "/opt/x"]],
  ["PermissionError: [Errno 13] Permission denied: '/srv/app/data.db'", [
    "LANDLOCK_READ_ROOT_BLOCKED",
    "/srv/app/data.db",
    "VISE_EXEC_ALLOW_ROOTS=/srv/app",
  ]],
  ["Error: EACCES: permission denied, open '/root/.npmrc'", ["LANDLOCK_READ_ROOT_BLOCKED", "/root/.npmrc"]],
  ["curl: (7) Failed to connect to 127.0.0.1 port 8080 after 0 ms: Couldn't connect to server", [
    "NETWORK_PERMISSION_REQUIRED",
    "connect to 127.0.0.1 port 8080",
    "--network loopback",
  ]],
  ["curl: (6) Could not resolve host: example.com", ["NETWORK_PERMISSION_REQUIRED", "--network open"]],
  ["Error: connect EACCES 93.184.216.34:443", ["connect to 93.184.216.34 port 443", "--network open"]],
  ["Error: listen EACCES: permission denied 0.0.0.0:3000", ["listen on 0.0.0.0 port 3000", "--network loopback"]],
  ["ssh: Could not resolve hostname github.com: Temporary failure in name resolution", ["--network open"]],
  ["PermissionError: [Errno 13] Permission denied: socket", []],
  ["connect ENETUNREACH 93.184.216.34:80 - Local (0.0.0.0:0)", ["connect to 93.184.216.34 port 80", "--network open"]],
  ["    s.bind(('127.0.0.1', 0))\nPermissionError: [Errno 13] Permission denied", ["listen on", "--network loopback"]],
  [
    '  File "socket.py", line 232\n    _socket.socket.__init__(self, family)\nPermissionError: [Errno 1] Not permitted',
    ["NETWORK_PERMISSION_REQUIRED", "--network open"],
  ],
  ["    os.remove(path)\nPermissionError: [Errno 13] Permission denied", []],
  ["open /opt/x: Read-only file system at -e line 1.", ["SANDBOX_WRITE_DENIED", "write /opt/x"]],
  ["unshare: unshare failed: Operation not permitted", ["SANDBOX_OPERATION_DENIED", "--permission-mode dangerous"]],
  ["sh: 1: kill: Operation not permitted", ["SANDBOX_OPERATION_DENIED"]],
  ["pyenv: cannot rehash: /root/.pyenv/shims isn't writable", ["SANDBOX_WRITE_DENIED", "write /root/.pyenv/shims"]],
  ["mkdir: cannot create directory ‘/var/x’: Read-only file system", ["SANDBOX_WRITE_DENIED", "/var/x"]],
];

Deno.test("explainDenial() names the path or address, the missing right and the flag", () => {
  for (const [output, words] of TABLE) {
    const lines = explain(output);
    assert.equal(lines.length, words.length === 0 ? 0 : 1, output);
    for (const word of words) assert.ok(lines[0]?.includes(word), `${output}\n  gave ${lines[0]}\n  without ${word}`);
  }
});

Deno.test("explainDenial() names a program that PATH finds and the sandbox does not start", () => {
  for (const line of ["/usr/bin/sh: 1: pyenv: Permission denied", "bash: line 1: pyenv: Permission denied"]) {
    assert.match(explain(line, { exitCode: 126 })[0] ?? "", /^LANDLOCK_READ_ROOT_BLOCKED .* execute pyenv /);
    assert.deepEqual(explain(line), []);
  }
});

Deno.test("explainDenial() says nothing about ordinary failures", () => {
  for (
    const output of [
      "main.c:3:1: error: expected ';' before '}' token",
      "cat: missing.txt: No such file or directory",
      "chmod: changing permissions of '/work/tree/a': Operation not permitted",
      "rm: cannot remove '/tmp/vise-0/x/y/tmp/q': Permission denied",
      "AssertionError: expected 'permission denied' to equal 'ok'",
    ]
  ) {
    assert.deepEqual(explain(output), [], output);
  }
});

Deno.test("explainDenial() stays silent when the command succeeded or nothing confines it", () => {
  assert.deepEqual(explain("cat: /etc/shadow: Permission denied", { exitCode: 0 }), []);
  const open: SandboxReport = { ...REPORT, filesystem: "unconfined", network: "open", abi: null };
  assert.deepEqual(explain("cat: /etc/shadow: Permission denied", { report: open }), []);
});

Deno.test("explainDenial() sends changes of a read-only workspace to the editing tools", () => {
  const [line] = explain("touch: cannot touch '/work/tree/a': Permission denied", { workspaceReadOnly: true });
  assert.match(line ?? "", /^WORKSPACE_READ_ONLY .*apply_patch.*--write-path/);
});

Deno.test("explainDenial() gives at most three explanations, each once", () => {
  const stderr = Array.from({ length: 9 }, (_, index) => `cat: /etc/f${index % 5}: Permission denied`).join("\n");
  assert.equal(explain(stderr).length, 3);
});

Deno.test("explainDenial() never suggests to open places that hold secrets or everybody's files", () => {
  const paths = [
    "/root/.npmrc",
    "/home/u/.ssh/id_rsa",
    "/home/u/x.txt",
    "/etc/ssl/private/a.pem",
    "/srv/a.db",
    "/tmp/x/y",
  ];
  for (const path of paths) {
    const [line] = explain(`cat: ${path}: Permission denied`);
    assert.match(line ?? "", /LANDLOCK_READ_ROOT_BLOCKED .* \| $/, path);
  }
});

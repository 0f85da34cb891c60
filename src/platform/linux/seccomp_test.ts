/** The filter as the kernel would run it: every rule, both architectures. */

import assert from "node:assert/strict";
import { runFilter } from "./bpf.ts";
import { AUDIT_ARCHITECTURE, makeFilter } from "./seccomp.ts";
import { PIPES_ONLY_RULES, type Rule, seccompRules } from "./seccomp_rules.ts";
import { type Architecture, SYSCALL_NAMES, syscallNumber } from "./syscalls.ts";

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const EACCES = 0x0005000d;
const ENOSYS = 0x00050026;
const ARCHITECTURES = ["x86_64", "aarch64"] as const;

function verdictOf(
  rules: readonly Rule[],
  call: { name: string; args?: readonly (number | bigint)[]; architecture: Architecture },
): number {
  const number = syscallNumber(call.name as never, call.architecture);
  assert.notEqual(number, null, call.name);
  return runFilter(makeFilter(rules, call.architecture), {
    number: number as number,
    architecture: AUDIT_ARCHITECTURE[call.architecture],
    arguments: (call.args ?? []).map(BigInt),
  });
}

/** `[call, arguments, verdict with network none, loopback, open]`. */
const TABLE: readonly (readonly [string, readonly (number | bigint)[], number, number, number])[] = [
  ["execve", [], ALLOW, ALLOW, ALLOW],
  ["openat", [], ALLOW, ALLOW, ALLOW],
  ["ptrace", [], ALLOW, ALLOW, ALLOW],
  ["socket", [1, 1, 0], ALLOW, ALLOW, ALLOW],
  ["socket", [1, 0o2000001, 0], ALLOW, ALLOW, ALLOW],
  ["socket", [1, 5, 0], ALLOW, ALLOW, ALLOW],
  ["socket", [1, 2, 0], EACCES, ALLOW, ALLOW],
  ["socket", [1, 3, 0], EACCES, ALLOW, ALLOW],
  ["socket", [2, 1, 0], EACCES, ALLOW, ALLOW],
  ["socket", [2, 2, 0], EACCES, ALLOW, ALLOW],
  ["socket", [2, 3, 1], EACCES, ALLOW, ALLOW],
  ["socket", [10, 1, 0], EACCES, ALLOW, ALLOW],
  ["socket", [16, 3, 0], ALLOW, ALLOW, ALLOW],
  ["socket", [16, 3, 4], EACCES, ALLOW, ALLOW],
  ["socket", [16, 3, 9], EACCES, EACCES, ALLOW],
  ["socket", [17, 3, 0], EACCES, EACCES, ALLOW],
  ["socket", [38, 5, 0], EACCES, EACCES, ALLOW],
  ["socket", [40, 1, 0], EACCES, EACCES, ALLOW],
  ["socketpair", [1, 1, 0], ALLOW, ALLOW, ALLOW],
  ["socketpair", [1, 2, 0], EACCES, ALLOW, ALLOW],
  ["connect", [3], EACCES, ALLOW, ALLOW],
  ["io_uring_setup", [], ENOSYS, ENOSYS, ALLOW],
  ["io_uring_enter", [], ENOSYS, ENOSYS, ALLOW],
  ["io_uring_register", [], ENOSYS, ENOSYS, ALLOW],
  ["clone", [0x1200011], ALLOW, ALLOW, ALLOW],
  ["clone", [0x10000011], EPERM, EPERM, EPERM],
  ["clone", [0x40000011], EPERM, EPERM, EPERM],
  ["clone3", [], ENOSYS, ENOSYS, ENOSYS],
  ["unshare", [0x400], ALLOW, ALLOW, ALLOW],
  ["unshare", [0x10000000], EPERM, EPERM, EPERM],
  ["unshare", [0x80], EPERM, EPERM, EPERM],
  ["ioctl", [0, 0x5401], ALLOW, ALLOW, ALLOW],
  ["ioctl", [0, 0x5412], EPERM, EPERM, EPERM],
  // The kernel looks at the low half only, and so must the filter.
  ["ioctl", [0, 0xffff_ffff_0000_5412n], EPERM, EPERM, EPERM],
  ["ioctl", [0, 0x541c], EPERM, EPERM, EPERM],
  ["prlimit64", [0, 7], ALLOW, ALLOW, ALLOW],
  ["prlimit64", [1, 7], EPERM, EPERM, EPERM],
  ...[
    ...["setns", "mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig"],
    ...["fsmount", "fspick", "mount_setattr", "open_tree_attr", "open_by_handle_at", "bpf", "perf_event_open"],
    ...["add_key", "request_key", "keyctl", "init_module", "finit_module", "delete_module", "kexec_load"],
    ...["kexec_file_load", "userfaultfd", "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd"],
    ...["sethostname", "setdomainname", "settimeofday", "clock_settime", "syslog", "fanotify_init"],
  ].map((name) => [name, [], EPERM, EPERM, EPERM] as const),
];

for (const architecture of ARCHITECTURES) {
  for (const [index, network] of (["none", "loopback", "open"] as const).entries()) {
    Deno.test(`the filter for network ${network} answers every call of the table on ${architecture}`, () => {
      const rules = seccompRules({ network, landlock: true });
      for (const [name, args, ...verdicts] of TABLE) {
        const verdict = verdictOf(rules, { name, args, architecture });
        assert.equal(verdict.toString(16), verdicts[index]?.toString(16), `${name}(${args.join(", ")})`);
      }
    });
  }

  Deno.test(`the filter on ${architecture} refuses calls of another architecture`, () => {
    const filter = makeFilter(seccompRules({ network: "open", landlock: true }), architecture);
    const i386 = 0x4000_0003;
    assert.equal(runFilter(filter, { number: 1, architecture: i386, arguments: [] }), ENOSYS);
  });

  Deno.test(`the filter without Landlock on ${architecture} also refuses other processes' memory`, () => {
    const rules = seccompRules({ network: "open", landlock: false });
    for (const name of ["ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "process_madvise"]) {
      assert.equal(verdictOf(rules, { name, architecture }), EPERM, name);
    }
  });

  Deno.test(`the filter for pipes only on ${architecture} allows no socket but the runtime's own pair`, () => {
    for (const args of [[1, 1, 0], [1, 2, 0], [2, 1, 0], [16, 3, 0]]) {
      assert.equal(verdictOf(PIPES_ONLY_RULES, { name: "socket", args, architecture }), EACCES);
    }
    assert.equal(verdictOf(PIPES_ONLY_RULES, { name: "socketpair", args: [1, 1, 0], architecture }), ALLOW);
    assert.equal(verdictOf(PIPES_ONLY_RULES, { name: "socketpair", args: [1, 2, 0], architecture }), EACCES);
    assert.equal(verdictOf(PIPES_ONLY_RULES, { name: "connect", architecture }), EACCES);
  });
}

Deno.test("the filter refuses x32 numbers, which would pass every comparison", () => {
  const filter = makeFilter(seccompRules({ network: "none", landlock: true }), "x86_64");
  const x32Socket = 0x4000_0000 + 41;
  const data = { number: x32Socket, architecture: AUDIT_ARCHITECTURE.x86_64, arguments: [2n, 1n, 0n] };
  assert.equal(runFilter(filter, data), ENOSYS);
});

Deno.test("every rule gives its reason, and every call it names exists on one of the architectures", () => {
  for (const rule of [...seccompRules({ network: "none", landlock: false }), ...PIPES_ONLY_RULES]) {
    assert.ok(rule.why.length > 10, rule.calls.join(", "));
    assert.ok(!rule.why.includes("\n"));
    for (const call of rule.calls) assert.ok(SYSCALL_NAMES.includes(call));
  }
});

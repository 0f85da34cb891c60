import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { decodeUtf8, encodeUtf8 } from "../../base/utf8.ts";
import { createChildHost } from "../../platform/create_child_host.ts";
import { SystemError } from "../../platform/errno.ts";
import { PortableChildHost } from "../../platform/portable_child_host.ts";
import { type ChildRun, runChild, spawnFailed } from "./run_child.ts";

const HOSTS = [
  { name: "this system's host", host: createChildHost() },
  { name: "the portable host", host: new PortableChildHost("a test") },
];

function shell(script: string, more: Partial<ChildRun> = {}): ChildRun {
  return {
    argv: ["sh", "-c", script],
    env: { PATH: "/usr/bin:/bin" },
    cwd: "/tmp",
    maxBytes: 1 << 20,
    deadlineMs: 20_000,
    ...more,
  };
}

for (const { name, host } of HOSTS) {
  Deno.test(`runChild() with ${name} gives both streams and the exit code`, async () => {
    const result = await runChild(host, shell("echo out; echo err >&2; exit 7"));
    strictEqual(decodeUtf8(result.stdout), "out\n");
    strictEqual(decodeUtf8(result.stderr), "err\n");
    deepStrictEqual([result.exit.exitCode, result.exit.signal, result.stopped], [7, null, null]);
  });

  Deno.test(`runChild() with ${name} feeds more input than a pipe holds and reads it back`, async () => {
    const input = encodeUtf8("0123456789abcdef".repeat(40_000));
    const result = await runChild(host, shell("cat", { stdin: input }));
    strictEqual(result.stdout.length, input.length);
    deepStrictEqual(result.stdout.subarray(-16), input.subarray(-16));
  });

  Deno.test(`runChild() with ${name} ends a child that writes more than asked for`, async () => {
    const result = await runChild(host, shell("exec yes", { maxBytes: 1000 }));
    strictEqual(result.stdout.length, 1000);
    deepStrictEqual([result.stopped, result.exit.signal], ["bytes", "SIGKILL"]);
  });

  Deno.test(`runChild() with ${name} ends a child at its deadline and on abort`, async () => {
    const late = await runChild(host, shell("exec sleep 60", { deadlineMs: 50 }));
    deepStrictEqual([late.stopped, late.exit.signal], ["deadline", "SIGKILL"]);
    const aborted = await runChild(host, shell("exec sleep 60", { signal: AbortSignal.timeout(50) }));
    strictEqual(aborted.stopped, "aborted");
  });

  Deno.test(`runChild() with ${name} reports a program that is not there`, async () => {
    await rejects(runChild(host, shell("", { argv: ["no-such-program"] })), /ENOENT/);
    await rejects(runChild(host, shell("", { argv: ["/no/such/program"] })), /ENOENT/);
  });
}

Deno.test("a start that failed names the next step, and may be tried again where something ran short", () => {
  const facts = ["EAGAIN", "ENOMEM", "EPERM", "ENOENT"].map((errno) => {
    const { retryable, details } = spawnFailed(new SystemError(errno, "posix_spawn", "/bin/sh"));
    return [retryable, /kill_command|--allow-ffi|vise doctor/.exec(String(details["retry_hint"]))?.[0]];
  });
  deepStrictEqual(facts, [[true, "kill_command"], [true, "kill_command"], [false, "--allow-ffi"], [
    false,
    "vise doctor",
  ]]);
});

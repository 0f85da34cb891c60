/** Attacks that need a terminal, a flag or a look from outside. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { landlockSupport } from "../../src/platform/linux/landlock.ts";
import { AttackScene, showsSecret } from "./support/attack_scene.ts";
import { serverUsers } from "./support/other_user.ts";

const support = landlockSupport();
const ignore = Deno.build.os !== "linux" || support.abi === null;
const TRUSTED = ["--permission-mode", "trusted"] as const;

for (const user of serverUsers()) {
  for (const flags of [[], TRUSTED]) {
    const mode = flags.length === 0 ? "safe" : "trusted";
    Deno.test({
      name: `in ${mode} mode, as ${user.name}, a command cannot type into a terminal, keep descriptors, or see secrets`,
      ignore,
      async fn(t) {
        await using scene = await AttackScene.create(user, flags);

        await t.step("a command cannot inject input into its terminal (TIOCSTI)", async () => {
          scene.install("sti.pl", 'my $x = "x"; print ioctl(STDIN, 0x5412, $x) ? "INJECTED" : "blocked: $!", "\\n";\n');
          const { stdout } = await scene.run("perl sti.pl", { tty: true });
          assert.match(stdout, /blocked: Operation not permitted/);
        });

        await t.step("a command has no descriptor of the server", async () => {
          const { stdout } = await scene.script("ls -l /proc/self/fd | cat");
          const numbers = [...stdout.matchAll(/ (\d+) -> /g)].map((match) => Number(match[1]));
          assert.deepEqual(numbers.filter((number) => number > 3), [], stdout);
          assert.ok(!stdout.includes("landlock") && !stdout.includes("memfd"), stdout);
        });

        await t.step("the environment of a command holds no secret of the server", async () => {
          const { stdout } = await scene.script(
            "env; cat /proc/self/environ | tr '\\0' '\\n'; cat /proc/[0-9]*/environ; true",
          );
          assert.ok(!showsSecret(stdout), stdout);
        });

        await t.step("a command leaves no core dump and starts no core handler", async () => {
          const { value } = await scene.script("sh -c 'kill -SEGV $$'; ulimit -c; ulimit -Hc");
          assert.match(String(value["stdout"]), /^0\n0\n$/);
          assert.deepEqual(readdirSync(scene.workspace.root).filter((name) => name.startsWith("core")), []);
        });

        await t.step("a command gains nothing by a set-user-id program", async () => {
          const { stdout } = await scene.script(
            "grep -E '^(NoNewPrivs|CapEff|CapPrm|CapBnd|CapAmb|Seccomp):' /proc/self/status",
          );
          assert.match(stdout, /NoNewPrivs:\t1/);
          assert.match(stdout, /Seccomp:\t2/);
          const effective = /CapEff:\t([0-9a-f]+)/.exec(stdout)?.[1] as string;
          assert.equal(BigInt(`0x${effective}`) & ~0x1fn, 0n, stdout);
        });

        if (Deno.uid() === 0 && user.uid !== 0) {
          await t.step("a set-user-id program of root runs as the user who started it", async () => {
            const program = scene.workspace.path("suid-id");
            Deno.copyFileSync("/usr/bin/id", program);
            Deno.chownSync(program, 0, 0);
            Deno.chmodSync(program, 0o4755);
            const { stdout } = await scene.script("./suid-id -u");
            assert.equal(stdout.trim(), String(user.uid));
            Deno.removeSync(program);
          });
        }

        await t.step("a command in the background keeps its confinement", async () => {
          scene.install(
            "late.sh",
            '(sleep 0.3; cat "$V_OUT/secret.txt"; echo x > "$V_OUT/late.txt") > late.log 2>&1 &\n',
          );
          await scene.run("sh late.sh; sleep 1");
          assert.ok(!showsSecret(scene.workspace.read("late.log")));
        });

        await t.step("a program that a command wrote is confined like itself", async () => {
          scene.install(
            "write.sh",
            "printf '#!/bin/sh\\ncat \"$V_OUT/secret.txt\"\\n' > made.sh; chmod +x made.sh; ./made.sh\n",
          );
          const { stdout } = await scene.run("sh write.sh");
          assert.ok(!showsSecret(stdout));
        });

        await t.step("a command cannot see the launcher or change what the next command runs through", async () => {
          scene.install("memfd.sh", 'for f in /proc/$V_SERVER/fd/*; do [ -e "$f" ] && echo reached $f; done; true\n');
          const { stdout } = await scene.run("sh memfd.sh");
          assert.doesNotMatch(stdout, /reached/);
        });

        await t.step("nothing outside was changed, reached or ended", async () => {
          assert.deepEqual(await scene.damage(), []);
        });
      },
    });
  }
}

for (const user of serverUsers()) {
  Deno.test({
    name: `as ${user.name}, a process that left its session and cleared its environment ends with the server`,
    ignore,
    async fn() {
      const seconds = 100_000 + Math.floor(Math.random() * 100_000);
      {
        await using scene = await AttackScene.create(user, []);
        await scene.script(`setsid env -i /bin/sleep ${seconds} >/dev/null 2>&1 </dev/null &\nsleep 0.2`);
        assert.equal(sleepers(seconds), 1);
      }
      assert.equal(sleepers(seconds), 0);
    },
  });
}

/** Processes that sleep for exactly that long. */
function sleepers(seconds: number): number {
  let count = 0;
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (Deno.readTextFileSync(`/proc/${name}/cmdline`) === `/bin/sleep\0${seconds}\0`) count++;
    } catch {
      // It ended meanwhile.
    }
  }
  return count;
}

Deno.test({
  name: "two commands cannot signal or read each other",
  ignore: ignore || (support.abi ?? 0) < 6,
  async fn() {
    const [user] = serverUsers();
    await using scene = await AttackScene.create(user as ReturnType<typeof serverUsers>[0], []);
    const first = await scene.run("echo $$; exec sleep 30", { yield_time_ms: 300 });
    const pid = first.stdout.trim();
    scene.install("other.sh", `kill -9 ${pid}; cat /proc/${pid}/environ; cat /proc/${pid}/maps\n`);
    const { value } = await scene.run("sh other.sh");
    assert.equal(value["stdout"], "");
    assert.match(String(value["stderr"]), /not permitted[^]*Permission denied[^]*Permission denied/);
    await scene.vise.value("kill_command", { command_id: first.value["command_id"] });
  },
});

Deno.test({
  name:
    "under structured-only a command can neither change the workspace nor its attributes, and can write the write path",
  ignore,
  async fn() {
    for (const user of serverUsers()) {
      const flags = ["--workspace-mutation", "structured-only", "--write-path", "build"];
      await using scene = await AttackScene.create(user, flags);
      scene.workspace.write("kept.txt", "kept", 0o666);
      const cmd =
        "echo a > new.txt; echo b >> kept.txt; rm kept.txt; mv kept.txt x; mkdir d; truncate -s 0 kept.txt; chmod 600 kept.txt; " +
        "ln kept.txt build/k; ln -s x y; echo ok > build/out.txt; cat build/out.txt; cat kept.txt";
      const { stdout } = await scene.run(cmd);
      assert.equal(stdout, "ok\nkept");
      assert.equal(scene.workspace.read("kept.txt"), "kept");
      assert.equal((Deno.statSync(scene.workspace.path("kept.txt")).mode as number) & 0o777, 0o666);
      assert.deepEqual(readdirSync(scene.workspace.root).sort(), ["build", "kept.txt"]);
    }
  },
});

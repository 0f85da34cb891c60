/** Programs that would ask or page end by themselves when there is nobody to answer. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

/** Four times what each needs on a quiet machine (O-54). */
const YIELD_MS = 20_000;

Deno.test("editors, pagers and password prompts never hang a command without a terminal", async (t) => {
  using workspace = new TempWorkspace();
  workspace.sh("git init -q; git config user.email a@example.com; git config user.name A; printf z > z; git add z");
  await using vise = new ViseProcess(workspace.root, { flags: ["--permission-mode", "trusted"] });
  const cases: readonly [string, RegExp | null, "fails" | "succeeds" | "either"][] = [
    ["git commit", /abort|error/i, "fails"],
    ["git commit -m one && git commit --amend", /one/, "fails"],
    ["git log", /one/, "succeeds"],
    ["git -c color.ui=always log -p", /one/, "succeeds"],
    ["git clone http://user@localhost:9/none.git", /fatal/, "fails"],
    ["man ls 2>&1 | head -3", null, "either"],
    ["ssh -o ConnectTimeout=1 localhost true", null, "fails"],
  ];
  for (const [cmd, words, outcome] of cases) {
    await t.step(cmd, async () => {
      const value = await vise.value("exec_command", { cmd, yield_time_ms: YIELD_MS });
      strictEqual(value.status, "exited");
      if (words !== null) match(value.stdout + value.stderr, words);
      if (outcome !== "either") strictEqual(value.exit_code === 0, outcome === "succeeds");
      strictEqual(value.background_processes, undefined);
    });
  }
  const kept = await vise.value("exec_command", {
    cmd: "echo $GIT_EDITOR; env | grep -c ^GIT_PAGER= || true",
    tty: true,
    env: { GIT_EDITOR: "my-editor" },
  });
  deepStrictEqual(kept.stdout.split("\n")[0], "my-editor");
});

Deno.test("no secret of the server's environment reaches a command, by any way", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root, {
    flags: ["--permission-mode", "dangerous"],
    env: { VISE_AUTH_TOKEN: "kserver", PLAIN_SETTING: "ok" },
  });
  const server = await vise.value("exec_command", {
    cmd: "env; ps axww 2>/dev/null | cat",
    max_output_bytes: 1_048_576,
  });
  ok(!server.stdout.includes("kserver"));
  await using safe = new ViseProcess(workspace.root, {
    flags: ["--permission-mode", "trusted"],
    env: {
      SVC_API_KEY: "k1k1k1",
      AWS_SECRET_ACCESS_KEY: "k2k2k2",
      DB_PASSWORD: "k3k3k3",
      MY_TOKEN_0: "k4k4k4",
      SSH_AUTH_SOCK: "sock",
      PLAIN_SETTING: "ok",
      LD_PRELOAD: "",
      LANG: "C.UTF-8",
    },
  });
  const script =
    "env; cd /proc; for d in self $PPID; do tr '\\0' '\\n' < $d/environ; done; ps axww 2>/dev/null | cat; " +
    'cd "$HOME" && echo w > w && cat w; echo ${TERM:?} ${PATH:?} ${LANG:?}';
  workspace.write("probe.sh", script);
  const value = await safe.value("exec_command", { cmd: "sh probe.sh", max_output_bytes: 1_048_576 });
  for (const secret of ["k1k1k1", "k2k2k2", "k3k3k3", "k4k4k4"]) {
    ok(!(value.stdout + value.stderr).includes(secret), secret);
  }
  match(value.stdout, /\nw\ndumb \S+ C\.UTF-8\n$/);
  strictEqual((await safe.value("exec_command", { cmd: "echo $EXTRA", env: { EXTRA: "v" } })).stdout, "v\n");
  for (const env of [{ LD_PRELOAD: "./x.so" }, { GITHUB_TOKEN: "t" }]) {
    strictEqual((await safe.failure("exec_command", { cmd: "true", env })).code, "PERMISSION_REQUIRED");
  }
});

/** The second layer: a git without any of our settings, started in the sandbox's plan for git. */

import { ok, strictEqual } from "node:assert/strict";
import { existsSync } from "node:fs";
import { runChild } from "../../src/engine/run/run_child.ts";
import { makeEngines } from "../../src/engine/make_engines.ts";
import { createChildHost } from "../../src/platform/create_child_host.ts";
import { createConfinement } from "../../src/platform/create_confinement.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { testConfig } from "../support/test_config.ts";
import { NEW_REPOSITORY } from "./open_engine.ts";

const abi = createConfinement().abi;
const hasLandlock = abi !== null && abi > 0;
if (!hasLandlock) console.log("ignored: this kernel has no Landlock, so there is no second layer around git");

async function confinedGit(root: string, args: readonly string[]): Promise<string> {
  const engines = makeEngines(testConfig(root), () => {});
  try {
    const sandbox = await engines.sandbox();
    const { launch } = await sandbox.prepare(["/usr/bin/git", ...args], { purpose: "git" });
    const result = await runChild(createChildHost(), {
      argv: ["/usr/bin/git", ...args],
      launch,
      env: { PATH: "/usr/bin:/bin", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" },
      cwd: root,
      maxBytes: 1 << 20,
      deadlineMs: 20_000,
    });
    return new TextDecoder().decode(result.stdout) + new TextDecoder().decode(result.stderr);
  } finally {
    await engines.shutDown();
  }
}

Deno.test({
  name: "a program of the repository that git is made to run can neither be executed nor write anywhere",
  ignore: !hasLandlock,
  async fn() {
    using ws = new TempWorkspace();
    ws.sh(`${NEW_REPOSITORY} printf 'x\\n' > a; git add .; git commit -qm one; printf 'y\\n' > a`);
    ws.write("evil", "#!/bin/sh\n: > mark\n", 0o755);
    ws.sh(`git config core.fsmonitor "$PWD/evil"; git config diff.external ': > mark; : > ${ws.parent}/mark; true'`);
    await confinedGit(ws.root, ["status"]);
    await confinedGit(ws.root, ["diff"]);
    strictEqual(ws.exists("mark") || existsSync(`${ws.parent}/mark`), false);
  },
});

Deno.test({
  name: "a private repository that a configuration or link leads to cannot be read",
  ignore: !hasLandlock,
  async fn() {
    using ws = new TempWorkspace();
    ws.sh(
      `(mkdir ../private; cd ../private; ${NEW_REPOSITORY} echo SECRET > secret-name; git add .; git commit -qm secret-subject)
      ${NEW_REPOSITORY} echo "$PWD/../private/.git/objects" > .git/objects/info/alternates
      git -C ../private rev-parse HEAD > .git/refs/heads/main`,
    );
    const shown = await confinedGit(ws.root, ["show"]);
    ok(!/SECRET|secret-/.test(shown), shown);
  },
});

/** What a command leaves in a directory of PATH that lies in the workspace never runs outside the sandbox. */

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { serverCommand } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

Deno.test({
  name:
    "a git or sh planted in node_modules/.bin is started by no tool and not by doctor, also where a link leads there",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using workspace = new TempWorkspace();
    const ran = join(workspace.parent, "ran");
    const links = join(workspace.parent, "links");
    for (const path of [ran, links]) mkdirSync(path);
    for (const name of ["git", "sh", "bash", "id", "ps", "setpriv"]) {
      const script = `#!/bin/dash\n: > ${ran}/${name}\nexec /usr/bin/${name} "$@"\n`;
      workspace.write(`node_modules/.bin/${name}`, script, 0o755);
      symlinkSync(join(workspace.root, "node_modules/.bin", name), join(links, name));
    }
    workspace.sh("/usr/bin/git init -q");
    const planted = join(workspace.root, "node_modules/.bin");
    for (const first of [planted, links, "node_modules/.bin", "."]) {
      const env = { ...Deno.env.toObject(), PATH: `${first}:${Deno.env.get("PATH")}` };
      {
        await using vise = new ViseProcess(workspace.root, { env });
        strictEqual((await vise.value("exec_command", { cmd: "echo works" })).stdout, "works\n");
        for (const tool of ["git_status", "server_info", "check_exec_environment"]) await vise.call(tool, {});
      }
      const [program, ...leading] = serverCommand();
      spawnSync(program, [...leading, "doctor", "--workspace", workspace.root], { env, cwd: workspace.root });
      deepStrictEqual(readdirSync(ran), [], first);
    }
  },
});

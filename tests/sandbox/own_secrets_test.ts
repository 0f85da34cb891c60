/** Secrets that the server was given leave its own command line and environment area after the start. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { serverCommand } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

Deno.test({
  name: "the bearer token is neither in the command line nor in the environment area of a running server",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using workspace = new TempWorkspace();
    const flags = ["--auth-token", "flag-token-0123456789"];
    const env = { VISE_OAUTH_PASSWORD: "password-0123456789", HARMLESS: "kept" };
    await using vise = new ViseProcess(workspace.root, { flags, env, command: serverCommand() });
    await vise.request("ping");
    const own = (name: string): string => readFileSync(`/proc/${vise.child.pid}/${name}`, "latin1");
    const [line, environment] = [own("cmdline"), own("environ")];
    assert.ok(!line.includes("flag-token-0123456789"), line.replaceAll("\0", " "));
    assert.ok(!environment.includes("password-0123456789"));
    assert.ok(line.includes("--auth-token\0*********************\0"), line.replaceAll("\0", " "));
    assert.ok(environment.includes("HARMLESS=kept"));
  },
});

/** `vise setup` as it is typed: printed, written, taken back, refused. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { ALL_CLIENTS } from "../../src/cli/setup/all_clients.ts";
import { serverCommand } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

function vise(ws: TempWorkspace, args: readonly string[], env: Record<string, string> = {}) {
  const [program, ...leading] = serverCommand();
  return spawnSync(program, [...leading, ...args], {
    encoding: "utf8",
    input: "",
    cwd: ws.root,
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: `${ws.parent}/home`, DENO_DIR: denoDir(), NO_COLOR: "1", ...env },
  });
}

Deno.test("vise setup prints only the entry on standard output, with this program, the workspace and the flags", () => {
  using ws = new TempWorkspace();
  const ended = vise(ws, ["setup", "claude-code", "--permission-mode", "trusted", "--enable-view-image", "off"]);
  strictEqual(ended.status, 0, ended.stderr);
  const entry = JSON.parse(ended.stdout).mcpServers.vise;
  const [program, ...leading] = serverCommand();
  strictEqual(entry.command, program);
  // From its sources a server is told the bounds of the heap that the executable is built with.
  if (leading.length > 0) leading.push("--v8-flags=--max-semi-space-size=2,--initial-old-space-size=16");
  deepStrictEqual(entry.args.filter((arg: string) => !leading.includes(arg)), [
    "serve",
    "--workspace",
    ws.root,
    "--permission-mode",
    "trusted",
    "--enable-view-image=off",
  ]);
  match(ended.stderr, /--write/);
  match(ended.stderr, /Read-only tools: server_info, .*read_file/);
  ok(!existsSync(ws.path(".mcp.json")));
});

Deno.test("the printed entry starts a server that answers", () => {
  using ws = new TempWorkspace();
  const { command, args } = JSON.parse(vise(ws, ["setup", "cursor", "--workspace", "."]).stdout).mcpServers.vise;
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "server_info", arguments: {} } };
  const ended = spawnSync(command, args, {
    encoding: "utf8",
    input: JSON.stringify(request) + "\n",
    cwd: "/",
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: `${ws.parent}/home`, DENO_DIR: denoDir() },
  });
  strictEqual(JSON.parse(ended.stdout).result.structuredContent.workspace, ws.root);
});

Deno.test("vise setup --write, again, and --undo, for every client and scope", () => {
  using ws = new TempWorkspace();
  mkdirSync(`${ws.parent}/home`);
  for (const client of ALL_CLIENTS) {
    for (const scope of Object.keys(client.files)) {
      const args = ["setup", client.name, "--scope", scope];
      const file = /(?:project|user) file: (.+)\n/.exec(vise(ws, args).stderr)?.[1] as string;
      ok(file.startsWith(scope === "project" ? `${ws.root}/` : `${ws.parent}/home/`), file);
      const written = vise(ws, [...args, "--write"]);
      strictEqual(written.status, 0, written.stderr);
      const content = readFileSync(file, "utf8");
      ok(content.includes(serverCommand()[0]));
      match(vise(ws, [...args, "--write"]).stdout, /holds this entry already/);
      strictEqual(readFileSync(file, "utf8"), content);
      match(vise(ws, [...args, "--undo"]).stdout, /Removed /);
      ok(!existsSync(file));
    }
  }
});

Deno.test("a project file names the opened project by the client's variable, unless a workspace is given", () => {
  using ws = new TempWorkspace();
  const workspaceOf = (args: string[]) => {
    const { args: words } = JSON.parse(vise(ws, ["setup", ...args]).stdout).servers.vise;
    return words[words.indexOf("--workspace") + 1];
  };
  strictEqual(workspaceOf(["vscode"]), "${workspaceFolder}");
  strictEqual(workspaceOf(["vscode", "--scope", "user"]), ws.root);
  strictEqual(workspaceOf(["vscode", "--workspace", ws.root]), ws.root);
});

Deno.test("opencode.jsonc is used where it is there already", () => {
  using ws = new TempWorkspace();
  ws.write("opencode.jsonc", "// mine\n{}\n");
  strictEqual(vise(ws, ["setup", "opencode", "--write"]).status, 0);
  match(ws.read("opencode.jsonc"), /^\/\/ mine\n\{\n {2}"mcp"/);
  ok(!existsSync(ws.path("opencode.json")));
});

const REFUSALS: readonly [string, readonly string[], RegExp][] = [
  ["no client", [], /needs the name of a client: claude-code/],
  ["a client that is spelled wrong", ["cursr"], /did you mean cursor\?/],
  ["a scope that the client does not have", ["windsurf", "--scope", "project"], /--scope of Windsurf is user/],
  ["a transport that an entry cannot have", ["cursor", "--http"], /over stdio/],
  ["a token, which would stand in the file", ["cursor", "--auth-token", "x"], /over stdio/],
  ["both directions at once", ["cursor", "--write", "--undo"], /exclude each other/],
  ["an unknown flag", ["cursor", "--permision-mode", "safe"], /did you mean --permission-mode/],
  ["a workspace that is not there", ["cursor", "--workspace", "nowhere"], /does not exist/],
  ["two clients", ["cursor", "zed"], /unexpected argument zed/],
];

for (const [what, args, words] of REFUSALS) {
  Deno.test(`vise setup refuses ${what} with one line and exit code 2`, () => {
    using ws = new TempWorkspace();
    const ended = vise(ws, ["setup", ...args]);
    strictEqual(ended.status, 2, ended.stderr);
    strictEqual(ended.stdout, "");
    match(ended.stderr, /^ERROR: [^\n]+\n$/);
    match(ended.stderr, words);
  });
}

Deno.test("a link in the project does not lead vise setup out of it", () => {
  using ws = new TempWorkspace();
  mkdirSync(`${ws.parent}/home`);
  symlinkSync(`${ws.parent}/home`, ws.path(".cursor"));
  const ended = vise(ws, ["setup", "cursor", "--write"]);
  strictEqual(ended.status, 2);
  match(ended.stderr, /symbolic link.*--file/);
  ok(!existsSync(`${ws.parent}/home/mcp.json`));
});

Deno.test("help and completions know the clients and the flags of vise setup", () => {
  using ws = new TempWorkspace();
  match(vise(ws, ["--help"]).stdout, /vise setup CLIENT[\s\S]*--undo/);
  for (const shell of ["bash", "zsh", "fish"]) {
    const script = vise(ws, ["completions", shell]).stdout;
    for (const { name } of ALL_CLIENTS) ok(script.includes(name), `${shell}: ${name}`);
    for (const flag of ["write", "undo", "scope"]) match(script, new RegExp(`(?:--|-l )${flag}`));
  }
  const checked = spawnSync("bash", ["-n"], { input: vise(ws, ["completions", "bash"]).stdout, encoding: "utf8" });
  strictEqual(checked.status, 0, checked.stderr);
});

function denoDir(): string {
  return Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;
}

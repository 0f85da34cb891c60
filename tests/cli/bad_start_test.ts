/** What a wrong command line gets: one line on standard error, exit code 2, nothing on standard output. */

import { match, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY, serverCommand } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function vise(args: readonly string[], env: Record<string, string> = {}): Ended {
  const [program, ...leading] = serverCommand();
  return spawnSync(program, [...leading, ...args], {
    encoding: "utf8",
    input: "",
    env: { ...Deno.env.toObject(), ...env },
  });
}

const REFUSALS: readonly [string, readonly string[], RegExp][] = [
  ["a missing workspace", ["serve", "--workspace", "/no/such/place"], /does not exist/],
  ["a workspace that is a file", ["--workspace", "/etc/passwd"], /not a directory/],
  ["the root of the file system", ["--workspace", "/"], /root of the file system/],
  ["an unknown flag", ["--workspce", "."], /did you mean --workspace/],
  ["a short flag", ["-w"], /unknown flag/],
  ["a missing value", ["--workspace"], /needs a value/],
  ["a value for a flag without one", ["--stdio=yes"], /takes no value/],
  ["a mode that does not exist", ["--permission-mode", "yolo"], /safe, trusted, dangerous/],
  ["a number out of range", ["--max-active-commands", "0"], /1 to 256/],
  ["a number that is none", ["--stream-buffer-bytes", "64k"], /whole number/],
  ["a stray argument", ["serve", "here"], /unexpected argument/],
  ["an unknown command", ["srve"], /did you mean serve/],
  ["faked annotations without dangerous mode", ["--dangerously-fake-readonly-annotations"], /dangerous/],
  ["a write path without structured-only", ["--write-path", "x"], /structured-only/],
  ["a public address without authentication", ["--http", "0.0.0.0:0"], /needs authentication/],
  ["an address without a port", ["--http=localhost"], /HOST:PORT/],
  ["a certificate without its key", ["--http", "127.0.0.1:0", "--tls-cert", "c.pem"], /--tls-key go together/],
  ["a stray word for tools", ["tools", "--yaml"], /--json or --markdown/],
  ["call without a tool", ["call"], /needs the name of a tool/],
  ["call of an unknown tool", ["call", "read_fle"], /did you mean read_file/],
  ["call with arguments that are not JSON", ["call", "read_file", "{path}"], /not valid JSON/],
];

for (const [what, args, words] of REFUSALS) {
  Deno.test(`vise refuses ${what} with one line and exit code 2`, () => {
    using ws = new TempWorkspace();
    const placed = args.includes("--workspace") || args[0] === "srve" || args[0] === "tools"
      ? args
      : [...args, "--workspace", ws.root];
    const ended = vise(placed);
    strictEqual(ended.status, 2, ended.stderr);
    strictEqual(ended.stdout, "");
    match(ended.stderr, /^ERROR: [^\n]+\n$/);
    match(ended.stderr, words);
  });
}

const WRONG_VARIABLES: readonly [string, Record<string, string>, RegExp][] = [
  ["a bearer mode without a token", { VISE_AUTH_MODE: "bearer" }, /needs a token/],
  ["an authentication mode that does not exist", { VISE_AUTH_MODE: "none" }, /bearer, noauth, oauth/],
  ["a token secret that is no long hexadecimal number", {
    VISE_AUTH_MODE: "oauth",
    VISE_OAUTH_TOKEN_SECRET: "ab".repeat(31),
  }, /VISE_OAUTH_TOKEN_SECRET .* 32 bytes/],
  ["faked annotations for everybody who can reach it", {
    VISE_PERMISSION_MODE: "dangerous",
    VISE_DANGEROUSLY_FAKE_READONLY_ANNOTATIONS: "1",
  }, /over HTTP needs authentication/],
  ["an environment for commands that is no JSON", { VISE_SHELL_ENV_SET: "A=1" }, /VISE_SHELL_ENV_SET .* JSON object/],
  ["an environment for commands that is no object", { VISE_SHELL_ENV_SET: "[1]" }, /VISE_SHELL_ENV_SET .* JSON object/],
  ["a variable for commands that has no name", { VISE_SHELL_ENV_SET: '{"A=B":"x"}' }, /cannot set "A=B"/],
  ["a variable for commands that is no text", { VISE_SHELL_ENV_SET: '{"A":{}}' }, /cannot set "A"/],
  ["a public address that is none", { VISE_SERVER_URL: "example.org" }, /VISE_SERVER_URL/],
  ["a public address with the endpoint's path", { VISE_SERVER_URL: "https://example.org/mcp/" }, /final \/mcp/],
  ["a redirect that leads over plain HTTP", {
    VISE_AUTH_MODE: "oauth",
    VISE_OAUTH_CLIENT_ID: "me",
    VISE_OAUTH_REDIRECT_URIS: "http://example.org/cb",
  }, /VISE_OAUTH_REDIRECT_URIS .* https/],
];

for (const [what, env, words] of WRONG_VARIABLES) {
  Deno.test(`vise over HTTP refuses ${what} with one line and exit code 2`, () => {
    using ws = new TempWorkspace();
    const ended = vise(["--http", "127.0.0.1:0", "--workspace", ws.root], env);
    strictEqual(ended.status, 2, ended.stderr);
    match(ended.stderr, /^ERROR: [^\n]+\n$/);
    match(ended.stderr, words);
  });
}

Deno.test("vise refuses the home directory as workspace", () => {
  using ws = new TempWorkspace();
  const ended = vise(["--workspace", ws.root], { HOME: ws.root, DENO_DIR: denoDir() });
  strictEqual(ended.status, 2, ended.stderr);
  match(ended.stderr, /^ERROR: [^\n]*home directory[^\n]*\n$/);
});

Deno.test("vise names the variable whose value is wrong", () => {
  using ws = new TempWorkspace();
  const ended = vise(["--workspace", ws.root], { VISE_PERMISSION_MODE: "root" });
  strictEqual(ended.status, 2);
  match(ended.stderr, /VISE_PERMISSION_MODE/);
});

Deno.test("the older variable prefix is read where the new one is not set", () => {
  using ws = new TempWorkspace();
  strictEqual(vise(["--workspace", ws.root], { CODING_TOOLS_MCP_PERMISSION_MODE: "root" }).status, 2);
  strictEqual(
    vise(["--workspace", ws.root], { CODING_TOOLS_MCP_PERMISSION_MODE: "root", VISE_PERMISSION_MODE: "safe" }).status,
    0,
  );
});

Deno.test("--version and --help answer on standard output with exit code 0", () => {
  const version = vise(["--version"]);
  strictEqual(version.status, 0);
  match(version.stdout, /^vise \d+\.\d+\.\d+\n$/);
  const help = vise(["--help"]);
  strictEqual(help.status, 0);
  for (const word of ["--workspace", "--permission-mode", "vise call", "default"]) match(help.stdout, new RegExp(word));
});

function denoDir(): string {
  return Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;
}

Deno.test("vise refuses a kept cache inside the workspace, also through a link and before it exists", () => {
  using ws = new TempWorkspace();
  const link = join(ws.parent, "link");
  symlinkSync(ws.root, link);
  for (const place of ["cache", join(ws.root, "a/b"), join(link, "cache/deep")]) {
    const { status, stderr } = vise([
      "--cache-dir",
      place.startsWith("/") ? place : join(ws.root, place),
      "--workspace",
      ws.root,
    ]);
    strictEqual(status, 2, stderr);
    match(stderr, /^ERROR: --cache-dir [^\n]* inside the workspace[^\n]*\n$/);
  }
  strictEqual(vise(["--cache-dir", join(ws.parent, "kept"), "--workspace", ws.root]).status, 0);
});

Deno.test("without read permission for its own files the program says so in one line", () => {
  using ws = new TempWorkspace();
  const args = ["run", "--no-prompt", "--quiet", `--allow-read=${ws.root}`, `${REPOSITORY}main.ts`];
  const ended = spawnSync(Deno.execPath(), [...args, "--workspace", ws.root], { encoding: "utf8", input: "" });
  strictEqual(ended.status, 2, ended.stderr);
  match(ended.stderr, /^ERROR: [^\n]*--allow-read=[^\n]+\n$/);
});

Deno.test("vise refuses a runtime directory inside the workspace, also through a link", () => {
  using ws = new TempWorkspace();
  const link = join(ws.parent, "link");
  symlinkSync(ws.root, link);
  for (const VISE_RUNTIME_ROOT of [join(ws.root, "run"), link]) {
    const { status, stderr } = vise(["--workspace", ws.root], { VISE_RUNTIME_ROOT });
    strictEqual(status, 2, stderr);
    match(stderr, /^ERROR: VISE_RUNTIME_ROOT [^\n]* inside the workspace\n$/);
  }
});

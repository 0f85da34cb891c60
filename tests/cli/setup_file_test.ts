/** Files that `vise setup` refuses to change, and what of a file it keeps. */

import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { BACKUP_ENDING, undoEntry, writeEntry } from "../../src/cli/setup/change_entry.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { client, LAUNCH, modeOf, POSIX } from "./setup_samples.ts";

for (
  const [what, text] of [
    ["an inline table", 'mcp_servers = { a = { command = "a" } }\n'],
    ["dotted keys", 'mcp_servers.vise.command = "a"\n'],
    ["an inline entry", '[mcp_servers]\nvise = { command = "a" }\n'],
  ] as const
) {
  Deno.test(`a Codex file with ${what} is refused, not rewritten`, () => {
    using ws = new TempWorkspace();
    ws.write("config", text);
    throws(() => writeEntry(client("codex"), ws.path("config"), LAUNCH), /cannot edit/);
    strictEqual(ws.read("config"), text);
  });
}

for (
  const [what, text] of [
    ["a list instead of an object", "[]"],
    ["a number instead of the list of servers", '{"mcpServers": 3}'],
    ["the list of servers twice", '{"mcpServers": {}, "mcpServers": {"a": {}}}'],
    ["a file cut in the middle", '{"mcpServers": {'],
  ] as const
) {
  Deno.test(`a JSON file with ${what} is refused, not rewritten`, () => {
    using ws = new TempWorkspace();
    ws.write("config", text);
    throws(() => writeEntry(client("cursor"), ws.path("config"), LAUNCH), /cannot edit/);
    strictEqual(ws.read("config"), text);
  });
}

Deno.test({
  name: "a symbolic link is not written through, and neither is what is no file",
  ignore: !POSIX,
  fn: noWriteThroughLinks,
});

function noWriteThroughLinks(): void {
  using ws = new TempWorkspace();
  ws.write("real", "{}");
  symlinkSync(ws.path("real"), ws.path("link"));
  symlinkSync(ws.path("nowhere"), ws.path("dangling"));
  mkdirSync(ws.path("directory"));
  for (const name of ["link", "dangling"]) {
    throws(() => writeEntry(client("cursor"), ws.path(name), LAUNCH), /symbolic link to .*--file/);
  }
  throws(() => writeEntry(client("cursor"), ws.path("directory"), LAUNCH), /not a regular file/);
  strictEqual(ws.read("real"), "{}");
  ok(!existsSync(ws.path("nowhere")));
  ok(lstatSync(ws.path("link")).isSymbolicLink());
}

Deno.test({
  name: "a file of another user stays theirs when root sets up a client",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  fn() {
    using ws = new TempWorkspace();
    ws.write("config", "{}");
    chownSync(ws.path("config"), 1234, 1235);
    writeEntry(client("cursor"), ws.path("config"), LAUNCH);
    for (const name of ["config", "config" + BACKUP_ENDING]) {
      const { uid, gid } = statSync(ws.path(name));
      deepStrictEqual([uid, gid], [1234, 1235]);
    }
    ok(readdirSync(ws.root).every((name) => !name.endsWith(".tmp")));
  },
});

Deno.test("a file that is not UTF-8 is refused, a byte order mark and the mode are kept", () => {
  using ws = new TempWorkspace();
  writeFileSync(ws.path("latin"), new Uint8Array([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]));
  throws(() => writeEntry(client("zed"), ws.path("latin"), LAUNCH), /not UTF-8/);
  for (const deep of ["[".repeat(200_000), '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000)]) {
    ws.write("deep", deep);
    throws(() => writeEntry(client("zed"), ws.path("deep"), LAUNCH), {
      name: "ConfigError",
      message: /nests too deeply/,
    });
    strictEqual(ws.read("deep"), deep);
  }
  ws.write("marked", "\ufeff{}");
  chmodSync(ws.path("marked"), 0o640);
  writeEntry(client("zed"), ws.path("marked"), LAUNCH);
  ok(ws.read("marked").startsWith("\ufeff{"));
  strictEqual(modeOf(ws.path("marked")), POSIX ? 0o640 : 0);
  strictEqual(undoEntry(client("zed"), ws.path("marked")), "restored");
  strictEqual(ws.read("marked"), "\ufeff{}");
});

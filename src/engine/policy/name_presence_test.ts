import { deepStrictEqual } from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { NamePresence } from "./name_presence.ts";

Deno.test("the names that a directory holds are found, links that lead nowhere included", () => {
  using workspace = new TempWorkspace();
  workspace.write("a", "");
  symlinkSync("/nowhere", workspace.path("b"));
  deepStrictEqual(new NamePresence().among(workspace.root, ["a", "b", "c"]), ["a", "b"]);
});

Deno.test("a directory that is not there holds nothing", () => {
  using workspace = new TempWorkspace();
  deepStrictEqual(new NamePresence().among(workspace.path("x"), ["a"]), []);
});

Deno.test("a change of the directory is seen at once, also right after it was made", () => {
  using workspace = new TempWorkspace();
  mkdirSync(workspace.path("d"));
  const presence = new NamePresence();
  for (let round = 0; round < 20; round++) {
    workspace.write("d/a", "");
    deepStrictEqual(presence.among(workspace.path("d"), ["a"]), ["a"]);
    rmSync(workspace.path("d/a"));
    deepStrictEqual(presence.among(workspace.path("d"), ["a"]), []);
  }
});

Deno.test("a directory that has not changed for a while is not looked through again", async () => {
  using workspace = new TempWorkspace();
  mkdirSync(workspace.path("d"));
  workspace.write("d/a", "");
  const presence = new NamePresence();
  await new Promise((resolve) => setTimeout(resolve, 150));
  deepStrictEqual(presence.among(workspace.path("d"), ["a"]), ["a"]);
  // The same time stamps as before, so nothing tells of other names.
  deepStrictEqual(presence.among(workspace.path("d"), ["b"]), ["a"]);
  workspace.write("d/b", "");
  deepStrictEqual(presence.among(workspace.path("d"), ["b"]), ["b"]);
  const old = new Date(Date.now() - 60_000);
  utimesSync(workspace.path("d"), old, old);
  deepStrictEqual(presence.among(workspace.path("d"), ["a"]), ["a"]);
});

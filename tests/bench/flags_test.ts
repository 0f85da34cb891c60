/** The command line of the benchmark. */

import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { isWanted, readFlags, USAGE } from "../../bench/driver/flags.ts";
import { readServerFlag } from "../../bench/peers/given_peers.ts";
import { REPOSITORY } from "../support/server_command.ts";

const ROOMS = ["start", "git"];

Deno.test("flags have their defaults, and several rooms and servers can be named", () => {
  const { rounds, only, servers, hasPeers, check } = readFlags([], ROOMS);
  deepStrictEqual([rounds, only, servers, hasPeers, check], [9, [], [], true, false]);
  const given = readFlags(
    ["--only", "git/diff", "--only", "start", "--server", "a=x", "--server", "y", "--check"],
    ROOMS,
  );
  deepStrictEqual(given.only, [{ room: "git", text: "diff" }, { room: "start", text: "" }]);
  deepStrictEqual([given.servers, given.check], [["a=x", "y"], true]);
});

Deno.test("a room, a number or a flag that is not known is refused in one line", () => {
  throws(() => readFlags(["--only", "gti"], ROOMS), /knows the rooms start, git, not gti/);
  for (const rounds of ["0", "1.5", "many"]) throws(() => readFlags(["--rounds", rounds], ROOMS), /whole number/);
  throws(() => readFlags(["--chek"], ROOMS), /chek/);
});

Deno.test("a part of a name chooses workloads of that room only", () => {
  const flags = readFlags(["--only", "git/diff"], ROOMS);
  const asked = [{ room: "git" }, { room: "start" }, { room: "git", workload: "git diff, staged" }, {
    room: "git",
    workload: "git log",
  }];
  deepStrictEqual(asked.map((at) => isWanted(flags, at)), [true, false, true, false]);
  ok(isWanted({ only: [] }, { room: "start", workload: "anything" }));
});

Deno.test("a server is a command, with a name before it or not, and quotes keep blanks", () => {
  const read = (text: string) => {
    const { name, command } = readServerFlag(text);
    return [name, command];
  };
  deepStrictEqual(read("npx some-server {workspace}"), ["npx", ["npx", "some-server", "{workspace}"]]);
  deepStrictEqual(read("peer=some-server --root {workspace}"), ["peer", ["some-server", "--root", "{workspace}"]]);
  deepStrictEqual(read(`p='/a b/server' --x="1 2" ''`), ["p", ["/a b/server", "--x=1 2", ""]]);
});

Deno.test("a wrong flag ends the benchmark with code 2 and one line; --help shows the flags", async () => {
  const bench = (...args: string[]) =>
    new Deno.Command(Deno.execPath(), { args: ["run", "-A", "--quiet", `${REPOSITORY}bench/bench.ts`, ...args] })
      .output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const [wrong, help] = await Promise.all([bench("--only", "nothing"), bench("--help")]);
  strictEqual(wrong.code, 2);
  match(text(wrong.stderr), /^bench: --only knows the rooms start, .*; --help names the flags\n$/);
  deepStrictEqual([help.code, text(help.stdout).trim()], [0, USAGE.trim()]);
});

/** A machine that lacks the programs beside which Vise is measured gets reasons, not a crash. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, isThere, versionOf } from "../../bench/driver/command.ts";
import { REPOSITORY } from "../support/server_command.ts";

Deno.test("a program is found on PATH only, and one that is not there has no version", async () => {
  strictEqual(findProgram("no-such-program"), null);
  deepStrictEqual([await isThere("no-such-program"), await versionOf("no-such-program")], [false, "not there"]);
  if (findProgram("git") !== null) match(await versionOf("git"), /^git version \d/);
});

Deno.test({
  name: "without any other program the benchmark says what it leaves out, and ends with the code of its limits (Linux)",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const directory = mkdtempSync(join(tmpdir(), "vise-programs-test-"));
    try {
      const places = ["--corpus", join(directory, "corpus"), "--json", join(directory, "bench.json")];
      const rooms = ["--only", "size", "--only", "session", "--only", "git", "--only", "files/small"];
      const { code, stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--quiet", `${REPOSITORY}bench/bench.ts`, "--rounds", "1", ...rooms, ...places, "--check"],
        env: { PATH: directory, NO_COLOR: "1", DENORT_BIN: "", VISE_COMPILE_DENO: "/no/such/deno" },
      }).output();
      const text = new TextDecoder().decode(stdout);
      for (const what of ["public servers: node is not installed", "repair session: needs git and node", "git: not"]) {
        ok(text.includes(`skipped: ${what}`), `${what}\n${text}`);
      }
      match(text, /skipped: vise \(executable\): /);
      match(text, /\nread small file\n.*\n {2}file calls .*\n {2}vise \(deno run\) /);
      match(text, /0 limits kept, 0 exceeded, 0 failed, \d+ not compared\n$/);
      strictEqual(code, 2);
      const { runs } = JSON.parse(Deno.readTextFileSync(join(directory, "bench.json")));
      strictEqual(runs[0].machine.programs.node, "not there");
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
});

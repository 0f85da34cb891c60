/** The coverage task: what it keeps of profiles, and how it reads and shows lines. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readdirSync } from "node:fs";
import { coveragePage } from "../../build/coverage/coverage_page.ts";
import { lineRanges, readLcov } from "../../build/coverage/lcov.ts";
import { ProfileThinner } from "../../build/coverage/thin_profiles.ts";
import { REPOSITORY, serverCommand } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

function profile(url: string, counts: readonly number[]): string {
  const ranges = counts.map((count, at) => ({ startOffset: at * 10, endOffset: at * 10 + 9, count }));
  return JSON.stringify({ scriptId: String(Math.random()), url, functions: [{ functionName: "", ranges }] });
}

Deno.test("ProfileThinner keeps one profile for each set of reached ranges of the sources", () => {
  using ws = new TempWorkspace();
  const files = {
    "a.json": profile("file:///r/src/a.ts", [1, 0]),
    "b.json": profile("file:///r/src/a.ts", [7, 0]),
    "c.json": profile("file:///r/src/a.ts", [1, 2]),
    "d.json": profile("file:///r/src/b.ts", [1, 0]),
    "e.json": profile("file:///r/src/b_test.ts", [1, 0]),
    "f.json": profile("file:///r/tests/x.ts", [1, 0]),
    "g.json": '{"scriptId":"1","url":"file:///r/sr',
  };
  for (const [name, text] of Object.entries(files)) ws.write(name, text);
  const thinner = new ProfileThinner(ws.root, "file:///r/src/");
  thinner.thin(60_000);
  strictEqual(thinner.seen, 0, "files that may still be written are left alone");
  thinner.thin(0);
  const kept = readdirSync(ws.root).sort();
  deepStrictEqual([kept.length, kept.at(-1), thinner.seen], [3, "d.json", 7]);
  // Either of the first two may be the one that stays.
  ok(kept.includes("c.json"));
  ws.write("h.json", profile("file:///r/src/a.ts", [1, 2]));
  thinner.thin(0);
  deepStrictEqual(readdirSync(ws.root).sort(), kept);
});

Deno.test("readLcov() takes the files of the repository with their unreached lines", () => {
  const text = "SF:/r/src/a.ts\nFN:1,f\nDA:1,5\nDA:2,0\nDA:3,0\nDA:7,0\nLH:1\nLF:4\nend_of_record\n" +
    "SF:/elsewhere/b.ts\nDA:1,0\nend_of_record\n";
  const [file, ...others] = readLcov(text, "/r/");
  deepStrictEqual([file, others], [{ path: "src/a.ts", found: 4, hit: 1, unreached: [2, 3, 7] }, []]);
  strictEqual(lineRanges(file?.unreached ?? []), "2-3, 7");
});

Deno.test("coveragePage() has a row for each room and one for all", () => {
  const room = (path: string, found: number, hit: number) => ({ path, found, hit, unreached: [] });
  const page = coveragePage([room("src/a", 10, 9), room("src/b", 30, 30)], new Date(0));
  match(page, /1970-01-01, /);
  ok(page.includes("| `src/a` | 10 | 9 | 90.0 |\n| `src/b` | 30 | 30 | 100.0 |\n| all | 40 | 39 | 97.5 |\n"), page);
});

Deno.test({
  name: "a server that a test starts writes its coverage when its input ends",
  ignore: serverCommand()[0] !== Deno.execPath(),
  async fn() {
    using ws = new TempWorkspace();
    const args = ["run", "--quiet", "-A", `--coverage=${ws.path("profiles")}`, `${REPOSITORY}main.ts`];
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: [...args, "serve", "--workspace", ws.root],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).output();
    strictEqual(code, 0);
    const urls = readdirSync(ws.path("profiles")).map((name) => JSON.parse(ws.read(`profiles/${name}`)).url as string);
    ok(urls.includes(`file://${REPOSITORY}src/transport/stdio.ts`), urls.join("\n"));
  },
});

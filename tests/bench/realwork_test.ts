/** The packages that `deno task realwork` repairs are a whole table, and its seeding is the same each time. No network here. */

import { match, notStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PACKAGES } from "../../bench/realwork/packages.ts";
import { seedFault, wordToSearch } from "../../bench/realwork/seed_fault.ts";

const EXACT = /^\d+\.\d+\.\d+$/;

Deno.test("five packages, each named once, with exact versions of it and of what runs its tests", () => {
  strictEqual(PACKAGES.length, 5);
  strictEqual(new Set(PACKAGES.map(({ name }) => name)).size, 5);
  for (const { name, version, runner, style } of PACKAGES) {
    match(name, /^(@[a-z0-9-]+\/)?[a-z0-9-]+$/);
    match(version, EXACT);
    for (const needed of runner) match(needed.slice(needed.lastIndexOf("@") + 1), EXACT);
    ok(style.length > 0 && !style.includes("|"));
  }
});

Deno.test("each package names sources inside itself, apart from its tests, and a command that node runs", () => {
  for (const { sources, test } of PACKAGES) {
    ok(sources.length > 0);
    strictEqual(new Set(sources).size, sources.length);
    for (const file of sources) {
      match(file, /^[\w/]+\.js$/);
      ok(!/^(test|bench|node_modules)/.test(file), file);
    }
    match(test, /^node .*test/);
  }
});

Deno.test("the packages differ in what runs their tests", () => {
  const runners = new Set(PACKAGES.map(({ test }) => /mocha|tape|--test/.exec(test)?.[0]));
  strictEqual(runners.size, 3);
});

Deno.test("the word to search is the longest name of the line", () => {
  strictEqual(wordToSearch("  if (stack.length > 0) return cycleReplacer"), "cycleReplacer");
  strictEqual(wordToSearch("  1 + 2;"), "1 + 2;");
});

Deno.test({
  name: "the same seed puts the same fault in, one that the tests notice; tests that notice none are an error",
  ignore: Deno.build.os === "windows",
  fn: () => {
    const first = seeded("grep -q 'alpha + beta' a.js");
    strictEqual(first.fault.original, "sum = alpha + beta;");
    strictEqual(first.fault.broken, "sum = alpha - beta;");
    strictEqual(first.text, "less = alpha < beta;\nsum = alpha + beta;\n".replace("+", "-"));
    notStrictEqual(first.commits, "1");
    strictEqual(seeded("grep -q 'alpha + beta' a.js").fault.unnoticed, first.fault.unnoticed);
    throws(() => seeded("true"), /no fault was noticed/);
    throws(() => seeded("false"), /fail as published/);
  },
});

function seeded(test: string) {
  const root = mkdtempSync(join(tmpdir(), "vise-realwork-test-"));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  try {
    writeFileSync(join(root, "a.js"), "less = alpha < beta;\nsum = alpha + beta;\n");
    git("init", "--quiet");
    for (const [key, value] of [["user.name", "A"], ["user.email", "a@example.com"], ["commit.gpgsign", "false"]]) {
      git("config", key as string, value as string);
    }
    git("add", "a.js");
    git("commit", "--quiet", "--message", "First");
    const one = { name: "a", version: "1.0.0", style: "", sources: ["a.js"], runner: [], test };
    const fault = seedFault(one, { root, seed: 1 });
    return { fault, text: readFileSync(join(root, "a.js"), "utf8"), commits: git("rev-list", "--count", "HEAD") };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

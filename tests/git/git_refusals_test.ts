/** What the git tools refuse or cannot show, and what they say then. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readdirSync } from "node:fs";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";
import { NEW_REPOSITORY } from "./open_engine.ts";

Deno.test("a revision or path that looks like an option of git is never taken as one", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} printf 'x\\n' > a.txt; printf y > ./--stat; git add .; git commit -qm one`);
  await using vise = new ViseProcess(ws.root);
  const refused: [string, Record<string, unknown>][] = [
    ["git_log", { ref: "--output=pwn1" }],
    ["git_show", { rev: "--output=pwn2" }],
    ["git_blame", { path: "a.txt", rev: "--contents=a.txt" }],
    ["git_log", { ref: "-1" }],
    ["git_log", { ref: "HEAD --all" }],
    ["git_log", { ref: "HEAD\n--all" }],
  ];
  for (const [tool, args] of refused) {
    strictEqual((await vise.failure(tool, args)).code, "INVALID_ARGUMENT", JSON.stringify(args));
  }
  strictEqual((await vise.value("git_diff", { path: "--output=pwn3" })).diff, "");
  strictEqual((await vise.value("git_show", { rev: "HEAD:a.txt" })).content, "x\n");
  strictEqual((await vise.value("git_log", { path: "--stat" })).commits.length, 1);
  ws.sh("printf z > ./--stat");
  strictEqual((await vise.value("git_diff", { path: ":(top)a.txt" })).diff, "");
  deepStrictEqual((await vise.value("git_diff", { path: "--stat" })).files.map((f: { path: string }) => f.path), [
    "--stat",
  ]);
  strictEqual((await vise.value("git_blame", { path: "--stat" })).lines.length, 1);
  deepStrictEqual(readdirSync(ws.root).filter((name) => name.startsWith("pwn")), []);
});

Deno.test("git tools refuse paths that leave the workspace and take links as links", async () => {
  using ws = new TempWorkspace();
  ws.sh(
    `${NEW_REPOSITORY} printf 'NEEDLE\\n' > ../outside; ln -s ../outside q; ln -s .. up; : > a; git add a; git commit -qm one`,
  );
  await using vise = new ViseProcess(ws.root);
  for (
    const [tool, path] of [["git_diff", "../x"], ["git_status", "../x"], ["git_log", "up/x"], [
      "git_blame",
      "up/outside",
    ]] as const
  ) {
    strictEqual((await vise.failure(tool, { path })).code, "PATH_OUTSIDE_WORKSPACE", tool);
  }
  strictEqual((await vise.failure("git_diff", { path: "/etc" })).code, "ABSOLUTE_PATH_DENIED");
  const diff = await vise.value("git_diff");
  ok(diff.diff.includes("new file mode 120000") && !JSON.stringify(diff).includes("NEEDLE"));
});

Deno.test("without git the tools name what is needed, and everything else works", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} : > a; git add .; git commit -qm one; mkdir ../bin ../old
    printf '#!/bin/sh\\necho git version 2.20.1\\n' > ../old/git; chmod +x ../old/git`);
  for (const [directory, reason] of [["bin", "git_missing"], ["old", "git_too_old"]] as const) {
    await using vise = new ViseProcess(ws.root, { env: { PATH: `${ws.parent}/${directory}` } });
    const failure = await vise.failure("git_status");
    deepStrictEqual([failure.code, failure.details.reason], ["GIT_ERROR", reason]);
    match(failure.message + failure.details.retry_hint, /2\.31/);
    strictEqual((await vise.value("read_file", { path: "a" })).content, "");
  }
});

Deno.test("git that is removed while the server runs is looked for again", async () => {
  using ws = new TempWorkspace();
  ws.sh(`${NEW_REPOSITORY} : > a; git add .; git commit -qm one; mkdir ../bin; cp "$(command -v git)" ../bin/git`);
  await using vise = new ViseProcess(ws.root, { env: { PATH: `${ws.parent}/bin` } });
  strictEqual((await vise.value("git_log")).commits.length, 1);
  ws.sh("mv ../bin/git ../bin/gone");
  strictEqual((await vise.failure("git_log")).code, "GIT_ERROR");
  strictEqual((await vise.failure("git_log")).details.reason, "git_missing");
  ws.sh("mv ../bin/gone ../bin/git");
  strictEqual((await vise.value("git_log")).commits.length, 1);
});

Deno.test("git tools refuse what names no lines, no file, no single revision or another repository, and say why", async () => {
  using ws = new TempWorkspace();
  ws.sh(
    `mkdir inner; cd inner; ${NEW_REPOSITORY} printf 'x\\n' > a.txt; git add .; git commit -qm one; printf new > new.txt
    printf 'odd\\n' > "$(printf 'odd\\377')"; cd ..; printf y > beside.txt`,
  );
  await using vise = new ViseProcess(ws.root);
  const refused: [string, Record<string, unknown>, string, RegExp][] = [
    [
      "git_blame",
      { path: "inner/a.txt", start_line: 3, end_line: 2 },
      "INVALID_ARGUMENT",
      /end_line is before start_line/,
    ],
    ["git_blame", { path: "inner/a.txt", start_line: 9 }, "GIT_ERROR", /it has 1 lines?/],
    ["git_blame", { path: "inner/new.txt" }, "GIT_ERROR", /no such file in the last commit; it is untracked or new/],
    ["git_blame", { path: "inner/new.txt", rev: "HEAD" }, "GIT_ERROR", /no such file in HEAD/],
    ["git_show", { rev: "HEAD~1..HEAD", path: "inner" }, "INVALID_ARGUMENT", /a range names several commits/],
    ["git_show", { rev: "^HEAD", path: "inner" }, "INVALID_ARGUMENT", /a range names several commits/],
    ["git_diff", { paths: ["inner/a.txt", "beside.txt"] }, "INVALID_ARGUMENT", /outside the repository inner/],
  ];
  for (const [tool, args, code, words] of refused) {
    const failure = await vise.failure(tool, args);
    strictEqual(failure.code, code, `${tool} ${JSON.stringify(args)}: ${failure.message}`);
    match(failure.message, words);
  }
  const { entries } = await vise.value("list_dir", { path: "inner" });
  const odd = entries.map(({ path }: { path: string }) => path).find((path: string) => path.includes("odd"));
  match((await vise.failure("git_diff", { path: odd })).message, /its name is not UTF-8/);
});

Deno.test("outside a repository git_diff names what it cannot show, passes over what is as before, and cuts what is long", async () => {
  using ws = new TempWorkspace();
  ws.write("same.txt", "one\n");
  ws.write("gone.txt", "one\n");
  ws.write("long.txt", "one\n");
  ws.write("binary", "one\n");
  await using vise = new ViseProcess(ws.root);
  const change = (path: string, before: string, after: string) =>
    vise.value("apply_patch", {
      patch: `*** Begin Patch\n*** Update File: ${path}\n-${before}\n+${after}\n*** End Patch\n`,
    });
  for (const path of ["same.txt", "gone.txt", "binary"]) await change(path, "one", "two");
  await change("same.txt", "two", "one");
  await change("long.txt", "one", Array(2_000).fill("line").join("\n+"));
  ws.write("binary", new Uint8Array([1, 0, 2]));
  ws.sh("rm gone.txt; mkdir gone.txt");
  const { files, diff, warnings, truncated } = await vise.value("git_diff", { max_bytes: 2_000 });
  deepStrictEqual(
    files.map((file: Record<string, unknown>) => [file["path"], file["status"], file["binary"] ?? false]),
    [
      ["binary", "modified", true],
      ["long.txt", "modified", false],
    ],
  );
  ok(diff.length <= 2_000 && diff.includes("Binary files a/binary and b/binary differ"), diff.slice(0, 300));
  strictEqual(truncated, true);
  match(warnings.join("\n"), /diff truncated/);
  match(warnings.join("\n"), /gone\.txt: cannot be read \(IS_DIRECTORY\)/);
});

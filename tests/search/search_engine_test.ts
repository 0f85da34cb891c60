import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { NO_OUTER_RULES, type OuterRules } from "../../src/engine/search/ignore_rules.ts";
import { readOuterRules } from "../../src/engine/search/read_outer_rules.ts";
import { SearchEngine, type TextRequest } from "../../src/engine/search/search_engine.ts";
import { Workspace } from "../../src/engine/workspace/workspace.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

const ENTRY = new URL("./search_worker.ts", import.meta.url).href;
const NOWHERE = new URL("./no_such_entry.ts", import.meta.url).href;
const { signal } = new AbortController();

class Place implements Disposable {
  readonly workspace = new TempWorkspace();
  readonly engine: SearchEngine;

  constructor(entryUrl: string | null, outer: OuterRules = NO_OUTER_RULES) {
    const workspace = new Workspace(this.workspace.root);
    this.engine = new SearchEngine({ workspace, entryUrl, outerRules: () => Promise.resolve(outer), threads: 2 });
  }

  fill(files: number): void {
    for (let file = 0; file < files; file++) {
      this.workspace.write(`d${file % 10}/f${file}.txt`, `first line\nneedle ${file}\nlast line\n`);
    }
  }

  [Symbol.dispose](): void {
    this.engine.close();
    this.workspace[Symbol.dispose]();
  }
}

function request(query: string, given: Partial<TextRequest> = {}): TextRequest {
  const globs = { includes: [], excludes: [] };
  const shown = { contextLines: 0, maxPreviewBytes: 512, offset: 0, maxResults: 10_000 };
  return { query, isRegex: false, isCaseSensitive: true, path: ".", globs, ...shown, ...given };
}

for (
  const [name, entryUrl] of [["Workers", ENTRY], ["this thread alone", null], [
    "an entry that is not there",
    NOWHERE,
  ]] as const
) {
  Deno.test(`SearchEngine gives the same answers with ${name}`, async () => {
    using place = new Place(entryUrl);
    place.fill(700);
    const found = await place.engine.searchText(request("needle"), { signal });
    strictEqual(found.lines, 700);
    deepStrictEqual([found.searched, found.isComplete], [700, true]);
    const paths = found.matches.map((file) => file.path);
    deepStrictEqual(paths, [...paths].sort());
    const page = await place.engine.searchText(request("needle", { offset: 650, maxResults: 20 }), { signal });
    deepStrictEqual(page.matches.map((file) => file.path), paths.slice(650, 670));
    await rejects(place.engine.searchText(request("(", { isRegex: true }), { signal }), { code: "INVALID_ARGUMENT" });
    const listing = {
      path: ".",
      globs: { includes: ["d3/*"], excludes: [] },
      includeHidden: false,
      includeIgnored: false,
    };
    const { files } = await place.engine.listFiles({ ...listing, offset: 0, maxResults: 100, order: "path" }, {
      signal,
    });
    strictEqual(files.length, 70);
  });
}

Deno.test("SearchEngine serves many searches and listings at once and keeps them apart", async () => {
  using place = new Place(ENTRY);
  place.fill(300);
  const queries = Array.from({ length: 12 }, (_, index) => `needle ${index}`);
  const answers = await Promise.all(
    queries.map((query) => place.engine.searchText(request(`^${query}$`, { isRegex: true }), { signal })),
  );
  deepStrictEqual(answers.map((answer) => answer.lines), queries.map(() => 1));
});

Deno.test("SearchEngine stops a search that is cancelled and goes on with others", async () => {
  using place = new Place(ENTRY);
  place.fill(2_000);
  await place.engine.searchText(request("warm", { path: "d0" }), { signal });
  const cancel = new AbortController();
  const stopped = place.engine.searchText(request("\\w{30}", { isRegex: true }), { signal: cancel.signal });
  const other = place.engine.searchText(request("needle 77"), { signal });
  cancel.abort(new Error("no longer wanted"));
  await rejects(stopped, /no longer wanted/);
  strictEqual((await other).lines, 11);
});

Deno.test("SearchEngine does not hold up the event loop while it searches", async () => {
  using place = new Place(ENTRY);
  place.fill(3_000);
  await place.engine.searchText(request("warm", { path: "d0" }), { signal });
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  await place.engine.searchText(request("(\\w+\\s?)+:", { isRegex: true }), { signal });
  clearInterval(timer);
  // A hang guard: on an idle machine it is a few milliseconds.
  ok(longest < 2_000, `${longest} ms`);
});

Deno.test("SearchEngine works without FFI and without any permission but to read", () => {
  using place = new Place(null);
  place.fill(20);
  place.workspace.write(".gitignore", "d1/\n");
  const script = `
    import { SearchEngine } from "${new URL("../../src/engine/search/search_engine.ts", import.meta.url)}";
    import { Workspace } from "${new URL("../../src/engine/workspace/workspace.ts", import.meta.url)}";
    const outer = { userExcludes: null, repositoryExcludes: null, above: [] };
    const workspace = new Workspace(${JSON.stringify(place.workspace.root)});
    const engine = new SearchEngine({ workspace, entryUrl: "${ENTRY}", outerRules: () => Promise.resolve(outer), threads: 2 });
    const answer = await engine.searchText(${
    JSON.stringify(request("needle"))
  }, { signal: new AbortController().signal });
    console.log(answer.lines);
    Deno.exit();
  `;
  place.workspace.write("../script.ts", script);
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const args = [
    "run",
    "--no-prompt",
    "--quiet",
    "--no-check",
    "--config",
    config,
    "--allow-read",
    `${place.workspace.parent}/script.ts`,
  ];
  strictEqual(execFileSync(Deno.execPath(), args, { encoding: "utf8" }), "18\n");
});

Deno.test("ignore rules of an outer repository, a worktree and the user hold inside the workspace", async () => {
  using place = new Place(null);
  const { parent, root } = place.workspace;
  place.workspace.sh(
    `cd ..; git init -q; printf '/work/gone\\n*.tmp\\n!work/deep/kept.tmp\\n' > .gitignore; echo 'excluded' > .git/info/exclude`,
  );
  for (const path of ["gone", "a.tmp", "deep/kept.tmp", "excluded", "a.user", "seen"]) {
    place.workspace.write(path, "needle\n");
  }
  place.workspace.write("../user-ignore", "*.user\n");
  const outer = readOuterRules(root, `${parent}/user-ignore`);
  const workspace = new Workspace(root);
  const engine = new SearchEngine({ workspace, entryUrl: null, outerRules: () => Promise.resolve(outer) });
  const found = await engine.searchText(request("needle"), { signal });
  engine.close();
  deepStrictEqual(found.matches.map((file) => file.path), ["deep/kept.tmp", "seen"]);
  const listed = execFileSync("git", [
    "-c",
    `core.excludesFile=${parent}/user-ignore`,
    "ls-files",
    "--others",
    "--exclude-standard",
  ], {
    cwd: root,
    encoding: "utf8",
  });
  deepStrictEqual(listed.trim().split("\n"), ["deep/kept.tmp", "seen"]);
});

Deno.test("the exclude file of the main repository holds in its worktrees", () => {
  using place = new Place(null);
  place.workspace.sh(
    "cd ..; git init -q main; cd main; echo mine > .git/info/exclude; git -c user.name=a -c user.email=b commit -q --allow-empty -m c; git worktree add -q ../tree",
  );
  const outer = readOuterRules(`${place.workspace.parent}/tree`, null);
  strictEqual(new TextDecoder().decode(outer.repositoryExcludes ?? new Uint8Array()), "mine\n");
});

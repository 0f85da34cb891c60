import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import process from "node:process";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { ToolError } from "../../base/tool_error.ts";
import { openTree } from "../../platform/tree.ts";
import { GlobFilter } from "./glob_filter.ts";
import { pathIn } from "../../base/tree_path.ts";
import { IgnoreRules } from "./ignore_rules.ts";
import { walkFiles, type WalkRequest } from "./walk_files.ts";

class Place implements Disposable {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "vise-walk-")));

  constructor(files: Readonly<Record<string, string>>) {
    for (const [path, content] of Object.entries(files)) this.write(path, content);
  }

  write(path: string, content: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), content);
  }

  git(...args: string[]): string {
    // The user's own excludes file must not take part, and check-ignore exits 1 when nothing is ignored.
    const env = {
      ...process.env,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      XDG_CONFIG_HOME: this.root,
    };
    return execFileSync("git", args, { cwd: this.root, env, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] });
  }

  walk(request: Partial<WalkRequest> & { includes?: string[]; excludes?: string[] } = {}): string[] {
    using tree = openTree(this.root);
    const base = request.base ?? ".";
    const globs = GlobFilter.compile({ includes: request.includes ?? [], excludes: request.excludes ?? [] }).at(base);
    const counts = request.counts ?? { hidden: 0, ignored: 0, unreadable: 0 };
    const whole = { includeHidden: false, includeIgnored: false, ...request, base, globs, counts };
    return [...walkFiles(tree, whole)].filter((entry) => entry !== null)
      .map(({ directory, name }) => directory === "." ? name : `${directory}/${name}`);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

const NAMES = ["a", "b", "foo", "bar.txt", "x.gen", "keep.gen", "é", "A b", ".dot", "[x]"];
const name = fc.constantFrom(...NAMES);
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const wildcard = fc.constantFrom(
  ..."a b foo bar.txt x.gen *.gen *.txt fo? ?? [a-c] [!a] [[:alpha:]]* ba* *a* ** **/foo foo/** a/**/b **/b/** * é ? .* \\[x\\] [x] f**o"
    .split(" "),
  "A b",
  "A\\ b  ",
  "foo ",
);
const rule = fc.record({
  negation: fc.constantFrom("", "", "", "!"),
  anchor: fc.constantFrom("", "", "/"),
  parts: fc.array(wildcard, { minLength: 1, maxLength: 2 }),
  end: fc.constantFrom("", "", "/"),
}).map(({ negation, anchor, parts, end }) => negation + anchor + parts.join("/") + end)
  // git matches a literal prefix apart from the rest, which turns a "**" right after it into one that crosses slashes.
  .filter((text) => !/[^/*]\*\*/.test(text));
const rules = fc.array(rule, { maxLength: 5 }).chain((lines) =>
  fc.constantFrom("\n", "\r\n").map((end) => lines.map((line) => line + end).join(""))
);

Deno.test("walkFiles() lists exactly what git ls-files --others --exclude-standard lists, and isIgnored() agrees with git check-ignore", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(path, { minLength: 1, maxLength: 12 }),
      rules,
      fc.array(fc.tuple(path, rules), { maxLength: 2 }),
      rules,
      (paths, top, nested, excludes) => {
        using place = new Place({});
        place.git("init", "-q");
        const made = paths.filter((path) => writes(place, path, "x"));
        writes(place, ".gitignore", top);
        writes(place, ".git/info/exclude", excludes);
        for (const [directory, text] of nested) writes(place, `${directory}/.gitignore`, text);
        const expected = place.git("ls-files", "--others", "--exclude-standard", "-z").split("\0").filter((p) =>
          p !== ""
        );
        deepStrictEqual(place.walk({ includeHidden: true }).sort(), expected.sort());
        const all = [...new Set(made.flatMap(withParents))];
        const ignored = checkIgnore(place, all);
        using tree = openTree(place.root);
        for (const path of all) strictEqual(isIgnoredAnywhere(tree, path, all), ignored.has(path), path);
      },
    ),
    { numRuns: 60 },
  );
});

function writes(place: Place, path: string, content: string): boolean {
  try {
    place.write(path, content);
    return true;
  } catch {
    // A generated file stands where a generated directory would have to be.
    return false;
  }
}

function withParents(path: string): string[] {
  const names = path.split("/");
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

function checkIgnore(place: Place, paths: string[]): Set<string> {
  try {
    const env = {
      ...process.env,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      XDG_CONFIG_HOME: place.root,
    };
    const out = execFileSync("git", ["check-ignore", "--no-index", "-z", "--stdin"], {
      cwd: place.root,
      env,
      input: paths.join("\0") + "\0",
      encoding: "utf8",
    });
    return new Set(out.split("\0").filter((path) => path !== ""));
  } catch (fault) {
    // Exit code 1: not one of them is ignored.
    if ((fault as { status?: number }).status === 1) return new Set();
    throw fault;
  }
}

function isIgnoredAnywhere(tree: ReturnType<typeof openTree>, path: string, all: string[]): boolean {
  let rules = IgnoreRules.atRoot(tree);
  let parent = ".";
  for (const name of path.split("/")) {
    const here = pathIn(parent, name);
    const isDirectory = all.some((other) => other.startsWith(`${here}/`));
    if (rules.isIgnored(name, isDirectory ? "directory" : "file")) return true;
    rules = rules.enter(tree, here);
    parent = here;
  }
  return false;
}

Deno.test("walkFiles() leaves out hidden, excluded and ignored entries, counts them, and honours .gitignore outside repositories", () => {
  using place = new Place({
    ".gitignore": "out/\n*.gen\n",
    "out/a.js": "",
    ".cfg/b.yml": "",
    "src.js": "",
    "x.gen": "",
    "node_modules/m.js": "",
  });
  const counts = { hidden: 0, ignored: 0, unreadable: 0 };
  deepStrictEqual(place.walk({ counts }), ["src.js"]);
  deepStrictEqual(counts, { hidden: 2, ignored: 3, unreadable: 0 });
  deepStrictEqual(place.walk({ includeIgnored: true }), ["node_modules/m.js", "out/a.js", "src.js", "x.gen"]);
  deepStrictEqual(place.walk({ base: "out" }), ["out/a.js"]);
  deepStrictEqual(place.walk({ base: ".cfg" }), [".cfg/b.yml"]);
});

Deno.test("walkFiles() lets the rules of an outer repository end at a nested repository and at a worktree", () => {
  using place = new Place({
    ".gitignore": "*.log\n",
    "nested/.git/HEAD": "ref: refs/heads/main\n",
    "nested/.git/info/exclude": "secret\n",
    "nested/a.log": "",
    "nested/secret": "",
    "tree/.git": "gitdir: elsewhere\n",
    "tree/b.log": "",
    "plain/c.log": "",
    "plain/.git/x": "",
  });
  deepStrictEqual(place.walk({ includeHidden: true }), [".gitignore", "nested/a.log", "tree/b.log"]);
});

Deno.test("walkFiles() never follows a symlink to a directory, lists odd names exactly, and goes in order of names", () => {
  using place = new Place({ "b/x": "", "b-c": "", "a\nb": "", "-dash": "", "z/y/x": "" });
  symlinkSync(".", join(place.root, "loop"));
  deepStrictEqual(place.walk(), ["-dash", "a\nb", "b/x", "b-c", "loop", "z/y/x"]);
});

Deno.test("GlobFilter understands base names, paths from the base and from the root, braces, sets and exclusions", () => {
  using place = new Place({
    "a.ts": "",
    "src/b.ts": "",
    "src/c.js": "",
    "src/deep/d.ts": "",
    "docs/e.md": "",
    "--x": "",
  });
  const cases: [Partial<WalkRequest> & { includes?: string[]; excludes?: string[] }, string[]][] = [
    [{ includes: ["*.ts"] }, ["a.ts", "src/b.ts", "src/deep/d.ts"]],
    [{ includes: ["src/*.ts"] }, ["src/b.ts"]],
    [{ includes: ["src/**"] }, ["src/b.ts", "src/c.js", "src/deep/d.ts"]],
    [{ includes: ["./src/**/*.ts"] }, ["src/b.ts", "src/deep/d.ts"]],
    [{ includes: ["**/*"] }, ["--x", "a.ts", "docs/e.md", "src/b.ts", "src/c.js", "src/deep/d.ts"]],
    [{ includes: ["*.{js,md}"] }, ["docs/e.md", "src/c.js"]],
    [{ includes: ["[ac].*"] }, ["a.ts", "src/c.js"]],
    [{ includes: ["--x"] }, ["--x"]],
    [{ includes: ["!*.ts"] }, ["--x", "docs/e.md", "src/c.js"]],
    [{ excludes: ["src"] }, ["--x", "a.ts", "docs/e.md"]],
    [{ excludes: ["src/**"] }, ["--x", "a.ts", "docs/e.md"]],
    [{ base: "src", includes: ["deep/*"] }, ["src/deep/d.ts"]],
    [{ base: "src", includes: ["src/deep/*"] }, ["src/deep/d.ts"]],
    [{ base: "src", includes: ["src/"] }, ["src/b.ts", "src/c.js", "src/deep/d.ts"]],
  ];
  for (const [request, expected] of cases) deepStrictEqual(place.walk(request), expected, JSON.stringify(request));
});

Deno.test("a glob that cannot be read is refused with what is wrong in it", () => {
  using place = new Place({ "a.ts": "" });
  const cases: [string, RegExp][] = [
    ["", /empty/],
    ["a[b", /\[ is never closed/],
    ["a[b\\", /\[ is never closed/],
    ["[[:alpha:", /\[ is never closed/],
    ["[[:nonsense:]]", /no character class \[:nonsense:\]/],
    ["[z-a]", /backwards/],
    ["{a,b", /\{ is never closed/],
    ["{a,b}".repeat(11), /more than 1000 patterns/],
    ["a/".repeat(5_000) + "b", /too many parts/],
  ];
  for (const [glob, words] of cases) {
    throws(
      () => place.walk({ includes: [glob] }),
      (fault: unknown) => fault instanceof ToolError && fault.code === "INVALID_ARGUMENT" && words.test(fault.message),
      glob,
    );
  }
  deepStrictEqual(place.walk({ includes: ["[[]a.ts", "[^[:digit:]].ts", "[!b].ts"] }), ["a.ts"]);
});

/** Compares the search with ripgrep's on a tree of awkward files: the same lines, columns and order. */

import { deepStrictEqual, ok } from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { Buffer } from "node:buffer";
import { DEFAULT_EXCLUDED_NAMES } from "../../src/engine/search/default_excludes.ts";
import { NO_OUTER_RULES } from "../../src/engine/search/ignore_rules.ts";
import { SearchEngine } from "../../src/engine/search/search_engine.ts";
import { Workspace } from "../../src/engine/workspace/workspace.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";

const missing = missingReason();
if (missing !== null) console.log(`comparisons with ripgrep are ignored: ${missing}`);

const ENTRY = new URL("./search_worker.ts", import.meta.url).href;

/** Literal texts and regular expressions; what the two engines mean differently on purpose is not among them. */
const TEXTS = [
  "return",
  "TODO",
  "todo",
  "a",
  "straße",
  "STRASSE",
  "Σ",
  "ς",
  "task",
  "K",
  "-- x",
  "foo()",
  "[x]",
  "é",
  "日本",
];
const PATTERNS = [
  "createHash",
  "create[A-Z]\\w+\\(",
  "\\b(todo|fixme)\\b",
  "^import ",
  "^\\s*//",
  ";$",
  "^$",
  "\\w{12,}",
  "[0-9]{3}",
  "(foo|bar)+baz",
  "a.*b.*c",
  "x?y?z",
  "\\d+\\.\\d+",
  "[^a-z ]{4}",
  "\\p{Lu}\\p{Ll}+",
  "\\bé",
  "\\Bx",
  "日.語",
  "(?i)straße",
  "\\x41b",
  "colou?r",
  "end\\b$",
  "[[:upper:]]{3}",
  "(a|ab)(c|bcd)",
];

function missingReason(): string | null {
  const probe = spawnSync("rg", ["--version"], { encoding: "utf8" });
  if (probe.error !== undefined) return "rg is not installed";
  return probe.status === 0 ? null : "rg does not run here";
}

/** `path:line:column` with columns in characters, as ripgrep finds them. */
function ripgrep(root: string, args: readonly string[]): string[] {
  const excludes = [...DEFAULT_EXCLUDED_NAMES].flatMap((name) => ["-g", `!${name}`]);
  const options = ["--no-config", "--json", "--crlf", "--sort", "path", "--no-require-git", "--no-ignore-global"];
  const run = spawnSync("rg", [...options, ...excludes, ...args, "./"], { cwd: root, maxBuffer: 1 << 28 });
  ok(run.status === 0 || run.status === 1, run.stderr.toString());
  return run.stdout.toString().split("\n").filter((line) => line !== "").flatMap((line) => {
    const { type, data } = JSON.parse(line);
    if (type !== "match") return [];
    const bytes = data.lines.text === undefined
      ? Buffer.from(data.lines.bytes, "base64")
      : Buffer.from(data.lines.text);
    const prefix = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, data.submatches[0].start));
    return [`${data.path.text.slice(2)}:${data.line_number}:${Array.from(prefix).length + 1}`];
  });
}

async function ours(
  engine: SearchEngine,
  query: string,
  flags: { isRegex: boolean; isCaseSensitive: boolean },
): Promise<string[]> {
  const request = { query, ...flags, path: ".", globs: { includes: [], excludes: [] }, contextLines: 0 };
  const page = { maxPreviewBytes: 80, offset: 0, maxResults: 1_000_000 };
  const { matches } = await engine.searchText({ ...request, ...page }, { signal: new AbortController().signal });
  return matches.flatMap(({ path, lines }) => lines.map(({ line, column }) => `${path}:${line}:${column}`));
}

/** Files of all the kinds that searches stumble over, the same on every run. */
function fill(workspace: TempWorkspace): void {
  workspace.sh("git init -q");
  const words =
    "return createHash create CREATE TODO todo fixme foo() [x] -- x task TASK ta\u017f\u212a straße STRASSE STRAẞE Σ ς σ é É 日本 日本語 foobarbaz abcd import // ; 3.14 12345 color colour AbC xyz the end averylongidentifier"
      .split(" ");
  let state = 12345;
  const random = (below: number) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
  const line = () =>
    "  ".repeat(random(3)) + Array.from({ length: random(7) }, () => words[random(words.length)]).join(" ");
  for (let file = 0; file < 300; file++) {
    const end = file % 5 === 0 ? "\r\n" : "\n";
    const lines = Array.from({ length: 1 + random(40) }, line).join(end) + (file % 7 === 0 ? "" : end);
    const path = `d${random(6)}/${random(2) === 0 ? "" : `e-${random(4)}/`}f${file}.${
      ["ts", "gen", "md", "js"][random(4)]
    }`;
    if (file % 11 === 0) workspace.write(path, Buffer.concat([Buffer.from([0x62, 0]), Buffer.from(lines)]));
    else if (file % 13 === 0) {
      workspace.write(
        path,
        Buffer.concat([Buffer.from(lines), Buffer.from([0xff, 0x20, 0xe9]), Buffer.from(" TODO x\n")]),
      );
    } else workspace.write(path, lines);
  }
  workspace.write(".gitignore", "*.gen\n/d1/e-2/\n!keep.gen\n");
  workspace.write("d2/.gitignore", "!*.gen\n*.md\n");
  workspace.write("d3/keep.gen", "return TODO\n");
  workspace.write("node_modules/m/index.js", "return TODO\n");
  workspace.write("d4/.hidden/x.ts", "return TODO\n");
  workspace.write("d4-a", "return TODO\n");
  workspace.write("d4.b", "return TODO\n");
  // With coverage counters in every loop the whole line would not be searched within the time limit of a search.
  const count = Deno.env.has("DENO_COVERAGE_DIR") ? 40_000 : 400_000;
  workspace.write("long.js", `${"word ".repeat(count)}TODO ${"x".repeat(200_000)}\nreturn\n`);
  workspace.write("empty", "");
  const marked = Array.from({ length: 20 }, line).join("\r\n");
  workspace.write("marked.ts", `\ufeff${marked}`);
  workspace.write("utf16.ts", Buffer.from(`\ufeff${marked}`, "utf16le"));
}

Deno.test("searches find what ripgrep finds, in the same order", { ignore: missing !== null }, async (test) => {
  using workspace = new TempWorkspace();
  fill(workspace);
  const outerRules = () => Promise.resolve(NO_OUTER_RULES);
  const engine = new SearchEngine({
    workspace: new Workspace(workspace.root),
    entryUrl: ENTRY,
    outerRules,
    threads: 2,
  });
  try {
    for (const isCaseSensitive of [true, false]) {
      const mode = isCaseSensitive ? [] : ["-i"];
      for (const query of TEXTS) {
        await test.step(`text ${query} ${mode}`, async () => {
          const found = await ours(engine, query, { isRegex: false, isCaseSensitive });
          deepStrictEqual(found, ripgrep(workspace.root, [...mode, "-F", "-e", query]));
        });
      }
      for (const query of PATTERNS) {
        await test.step(`pattern ${query} ${mode}`, async () => {
          const found = await ours(engine, query, { isRegex: true, isCaseSensitive });
          deepStrictEqual(found, ripgrep(workspace.root, [...mode, "-e", query]));
        });
      }
    }
  } finally {
    engine.close();
  }
});

Deno.test("listings hold the files that rg --files lists", { ignore: missing !== null }, async () => {
  using workspace = new TempWorkspace();
  fill(workspace);
  const outerRules = () => Promise.resolve(NO_OUTER_RULES);
  const engine = new SearchEngine({ workspace: new Workspace(workspace.root), entryUrl: ENTRY, outerRules });
  try {
    const request = { path: ".", globs: { includes: [], excludes: [] }, includeHidden: false, includeIgnored: false };
    const page = { offset: 0, maxResults: 50_000, order: "path" as const };
    const { files } = await engine.listFiles({ ...request, ...page }, { signal: new AbortController().signal });
    const excludes = [...DEFAULT_EXCLUDED_NAMES].flatMap((name) => ["-g", `!${name}`]);
    const listed = execFileSync("rg", ["--no-config", "--files", "--sort", "path", "--no-ignore-global", ...excludes], {
      cwd: workspace.root,
      encoding: "utf8",
    });
    deepStrictEqual(files.map((file) => file.path), listed.split("\n").filter((path) => path !== ""));
  } finally {
    engine.close();
  }
});

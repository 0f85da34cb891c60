/** The layout rules of docs/architecture.md, read again from the sources so that nobody has to remember them. */

import { deepStrictEqual } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { REPOSITORY } from "../support/server_command.ts";

/** Calls go from a lower number to a higher one, never back. */
const ROOM_ORDER: Readonly<Record<string, number>> = {
  cli: 0,
  transport: 1,
  protocol: 2,
  catalog: 3,
  tool: 4,
  engine: 5,
  platform: 6,
  config: 7,
  schema: 7,
  base: 8,
};
const MAX_LINES = 500;
const BANNED_NAMES = /^_?(utils?|helpers?|common|misc|manager|index)\.ts$|[-_](utils?|helpers?)\.ts$/;
const MAY_USE_DENO = [/^main\.ts$/, /^src\/platform\//, /^src\/transport\/stdio\.ts$/, /^src\/transport\/http\//];
/** Rooms that may use every built-in module; the others get what they need from these. */
const MAY_REACH_THE_SYSTEM: ReadonlySet<string> = new Set(["cli", "engine", "platform"]);
/** Built-in modules that only compute. */
const PURE_MODULES: ReadonlySet<string> = new Set(["buffer", "crypto", "timers", "util"]);

interface Source {
  readonly path: string;
  readonly text: string;
}

const sources = readSources();
const production = sources.filter((source) => !source.path.endsWith("_test.ts"));

Deno.test("imports go from transport towards platform and never back", () => {
  const wrong: string[] = [];
  for (const { path, text } of production) {
    const from = roomOf(path);
    if (from === null) continue;
    for (const target of importsOf(path, text)) {
      const to = roomOf(target);
      if (to === null ? target.startsWith("src/") && from !== "cli" : rank(to) < rank(from)) {
        wrong.push(`${path} imports ${target}`);
      }
    }
  }
  deepStrictEqual(wrong, []);
});

Deno.test("a file whose name starts with an underscore is imported only from its own folder", () => {
  const wrong = production.flatMap(({ path, text }) =>
    importsOf(path, text)
      .filter((target) => /(?:^|\/)_[^/]*$/.test(target) && dirname(target) !== dirname(path))
      .map((target) => `${path} imports ${target}`)
  );
  deepStrictEqual(wrong, []);
});

Deno.test("the runtime's own namespace is used only at the edges", () => {
  const wrong = production
    .filter(({ path }) => !MAY_USE_DENO.some((allowed) => allowed.test(path)))
    .filter(({ text }) => /(?<![\w"'`])Deno(?:\.|\?\.|\[|\s*[;,)}]|\s+as\b)/.test(withoutComments(text)))
    .map(({ path }) => path);
  deepStrictEqual(wrong, []);
});

Deno.test("files, processes and sockets are reached only from the rooms that work with them", () => {
  const wrong = production.flatMap(({ path, text }) => {
    const room = roomOf(path);
    if (room === null || MAY_REACH_THE_SYSTEM.has(room) || MAY_USE_DENO.some((allowed) => allowed.test(path))) {
      return [];
    }
    return [...text.matchAll(/(?:from|import)\s*\(?\s*["']node:([^"']+)["']/g)]
      .map((match) => match[1] as string)
      .filter((name) => !PURE_MODULES.has(name))
      .map((name) => `${path} imports node:${name}`);
  });
  deepStrictEqual(wrong, []);
});

Deno.test("only the command line prints", () => {
  const wrong = production
    .filter(({ path }) => !path.startsWith("src/cli/"))
    .filter(({ text }) => /(?<![\w."'`])console\./.test(withoutComments(text)))
    .map(({ path }) => path);
  deepStrictEqual(wrong, []);
});

Deno.test("no file is longer than 500 lines or has a name that says nothing", () => {
  const wrong = production
    .filter(({ path, text }) =>
      (text.split("\n").length > MAX_LINES && !path.endsWith("_data.ts")) ||
      BANNED_NAMES.test(path.split("/").at(-1) as string)
    )
    .map(({ path, text }) => `${path} (${text.split("\n").length} lines)`);
  deepStrictEqual(wrong, []);
});

Deno.test("no module outside the platform room keeps mutable state", () => {
  const wrong = production
    .filter(({ path }) => path.startsWith("src/") && !path.startsWith("src/platform/"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^(?:export )?(?:let |(?:const \w+[^=]*= new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\))).*/gm)]
        .map((match) => `${path}: ${match[0]}`)
    );
  deepStrictEqual(wrong, []);
});

Deno.test("nobody silences a whole file or leaves unfinished work behind", () => {
  const wrong = production.flatMap(({ path, text }) =>
    [...text.matchAll(/deno-lint-ignore-file|@ts-nocheck|@ts-ignore|\b(?:TODO|FIXME|XXX)\b(?! ?#\d)/g)]
      .map((match) => `${path}: ${match[0]}`)
  );
  deepStrictEqual(wrong, []);
});

Deno.test("every exported symbol has a doc comment of its own", () => {
  const wrong = [...production, ...["build", "bench", "demo", "tests"].flatMap(readFolder)]
    .filter(({ path }) => !/_(?:data|test)\.ts$/.test(path))
    .flatMap(({ path, text }) => undocumented(text).map((line) => `${path}: ${line}`));
  deepStrictEqual(wrong, []);
});

Deno.test("an export without a comment, or with nothing but tags, counts as undocumented", () => {
  const documented =
    "/** One. */\n// deno-lint-ignore no-explicit-any\nexport const a = 1;\n/**\n * Two.\n */\nexport type B = 1;\n";
  deepStrictEqual(undocumented(documented), []);
  deepStrictEqual(undocumented("/** The file. */\n\nexport const a = 1;\n"), ["export const a = 1;"]);
  deepStrictEqual(undocumented("/** @throws Error */\nexport function a(): void;\n"), ["export function a(): void;"]);
});

Deno.test("every package is imported under its name in the import map, with its version pinned there", () => {
  const wrong = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:from|import)\s*\(?["'](npm:|jsr:|https?:)[^"']*["']/g)].map((match) => `${path}: ${match[0]}`)
  );
  const config = JSON.parse(readFileSync(join(REPOSITORY, "deno.json"), "utf8")) as { imports: Record<string, string> };
  for (const [name, target] of Object.entries(config.imports)) {
    if (!/^npm:\/?(?:@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+(?:-[\w.]+)?\/?(?:[\w./-]*)$/.test(target)) {
      wrong.push(`${name}: ${target} is not pinned`);
    }
  }
  deepStrictEqual(wrong, []);
});

/** Exports at the start of a line, as the formatter puts them, without a sentence right above. */
function undocumented(text: string): string[] {
  const lines = text.split("\n");
  return lines.filter((line, index) => {
    if (!/^export (?!\{|\*)/.test(line)) return false;
    let above = index - 1;
    while (lines[above]?.startsWith("//") === true) above--;
    if (lines[above]?.trimEnd().endsWith("*/") !== true) return true;
    let opening = above;
    while (lines[opening]?.startsWith("/**") === false) opening--;
    return /^\/\*\*\s*(?:\*\s*)?@/.test(lines.slice(opening, above + 1).join(" "));
  });
}

function readSources(): Source[] {
  return [readSource("main.ts"), ...readFolder("src")];
}

function readFolder(folder: string): Source[] {
  return readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts")).map((name) => readSource(join(folder, name)));
}

function readSource(path: string): Source {
  return { path, text: readFileSync(join(REPOSITORY, path), "utf8") };
}

/** `src/engine/…` → `engine`; the files at the top (main, serve) see all rooms. */
function roomOf(path: string): string | null {
  const room = /^src\/([^/]+)\//.exec(path)?.[1];
  return room === undefined ? null : room;
}

function rank(room: string): number {
  const order = ROOM_ORDER[room];
  if (order === undefined) throw new Error(`the room src/${room} is not in the map of rooms`);
  return order;
}

/** Repository-relative targets of the relative imports of a file, type imports included. */
function importsOf(path: string, text: string): string[] {
  const here = dirname(join(REPOSITORY, path));
  return [...text.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']*)["']/g)]
    .map((match) => relative(REPOSITORY, resolve(here, match[1] as string)));
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|[^:"'`\\])\/\/.*$/gm, "$1");
}

/** Links, numbers and names in the documentation and in comments lead to something. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ALL_CLIENTS } from "../../src/cli/setup/all_clients.ts";
import { entryText } from "../../src/cli/setup/change_entry.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { ERROR_CODES } from "../../src/base/error_codes.ts";
import { TOOLS } from "../../src/catalog/tool_loaders.ts";
import { REPOSITORY } from "../support/server_command.ts";
import { anchors, blocks, pages, withoutBlocks } from "./markdown_pages.ts";

const sources = ["src", "tests", "build", "bench", "demo"].filter((name) => existsSync(join(REPOSITORY, name)))
  .flatMap((directory) =>
    readdirSync(join(REPOSITORY, directory), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith("_data.ts")).map((name) => join(directory, name))
  ).concat("main.ts");

/** Written by `deno task bench`, so it may be missing before the first run. */
const WRITTEN_BY_A_RUN: ReadonlySet<string> = new Set(["docs/benchmarks.md"]);

const read = (path: string) => readFileSync(join(REPOSITORY, path), "utf8");

Deno.test("every link between the pages leads to a file, and to a heading where it names one", () => {
  const broken: string[] = [];
  for (const { path, text } of pages()) {
    for (const [, target] of withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      const [file = "", anchor] = (target as string).split("#");
      if (/^[a-z]+:/.test(file)) continue;
      const place = file === "" ? path : join(dirname(path), file);
      if (WRITTEN_BY_A_RUN.has(place)) continue;
      if (!existsSync(join(REPOSITORY, place))) broken.push(`${path}: ${target}`);
      else if (anchor !== undefined && !anchors(read(place)).has(anchor)) {
        broken.push(`${path}: ${target} (no such heading)`);
      }
    }
  }
  deepStrictEqual(broken, []);
});

Deno.test("every decision and section of the contract that a comment cites is written down", () => {
  const decisions = new Set([...read("docs/decisions.md").matchAll(/\*\*([OD]-\d+)/g)].map(([, id]) => id));
  const sections = new Set([...read("docs/contract.md").matchAll(/^##+ (\d+(?:\.\d+)*)/gm)].map(([, id]) => id));
  const unknown = new Set<string>();
  for (const path of sources) {
    const text = read(path);
    for (const [, id] of text.matchAll(/(?<![\w-])([OD]-\d{1,2})(?![\w-])/g)) {
      if (!decisions.has(id)) unknown.add(`${path}: ${id}`);
    }
    for (const [, id] of text.matchAll(/\bcontract (\d+(?:\.\d+)*)/g)) {
      if (!sections.has(id)) unknown.add(`${path}: ${id}`);
    }
  }
  deepStrictEqual([...unknown], []);
});

Deno.test("files that the pages name in code are there", () => {
  const missing = pages().flatMap(({ path, text }) =>
    [...withoutBlocks(text).matchAll(/`((?:src|tests|build|bench|demo|docs|\.github|\.ci)\/[\w./-]+)`/g)]
      .map(([, name]) => name as string)
      .filter((name) => !name.includes("NNN") && !WRITTEN_BY_A_RUN.has(name) && !existsSync(join(REPOSITORY, name)))
      .map((name) => `${path}: ${name}`)
  );
  deepStrictEqual(missing, []);
});

Deno.test("a source file that the pages name by its last folders or its name alone is there", () => {
  const known = sources.map((path) => `/${path.replaceAll("\\", "/")}`);
  const missing = pages().flatMap(({ path, text }) =>
    [...withoutBlocks(text).matchAll(/`((?!(?:src|tests|build|bench|demo)\/)[a-z_][\w/-]*\.ts)`/g)]
      .map(([, name]) => name as string)
      .filter((name) => !known.some((source) => source.endsWith(`/${name}`)))
      .map((name) => `${path}: ${name}`)
  );
  deepStrictEqual(missing, []);
});

Deno.test("every package of the import map is explained in docs/dependencies.md, and nothing else is", () => {
  const { imports } = JSON.parse(read("deno.json")) as { imports: Record<string, string> };
  const wanted = new Set(
    Object.values(imports).map((target) => /^npm:\/?((?:@[^/]+\/)?[^@/]+)/.exec(target)?.[1] as string),
  );
  const explained = [...read("docs/dependencies.md").matchAll(/^## (.+)$/gm)]
    .map(([, title]) => title as string).filter((title) => !title.startsWith("No "))
    .flatMap((title) => title.split(/,? and |, /));
  deepStrictEqual(explained.filter((name) => !wanted.has(name)), [], "explained, but not imported");
  deepStrictEqual([...wanted].filter((name) => !explained.includes(name)), [], "imported, but not explained");
});

Deno.test("the pages cover every tool, code and subcommand", () => {
  const tools = read("docs/tools.md");
  for (const { name } of TOOLS) ok(tools.includes(`\n## ${name}\n`), name);
  const errors = read("docs/errors.md");
  for (const code of Object.keys(ERROR_CODES)) ok(errors.includes(`\`${code}\``), code);
  const cli = read("docs/cli.md");
  for (const { name } of COMMANDS) ok(cli.includes(name), name);
  const compatibility = read("docs/compatibility.md");
  for (const { name } of TOOLS) ok(compatibility.includes(`\`${name}\``), `compatibility: ${name}`);
  const overview = read("llms.txt");
  for (const { path } of pages()) {
    if (path.startsWith("docs/") && !WRITTEN_BY_A_RUN.has(path)) {
      ok(overview.includes(path), `llms.txt does not name ${path}`);
    }
  }
});

Deno.test("every argument and field of the tool reference has a meaning (build/pages/field_notes.ts)", () => {
  const empty = read("docs/tools.md").split("\n").filter((line) => /^\| `\w+`.*\|\s*\|$/.test(line));
  deepStrictEqual(empty, []);
});

Deno.test("the entries of clients in the README are those that vise setup prints", () => {
  const known = ALL_CLIENTS.map((client) => {
    const variable = client.name === "vscode" ? client.projectVariable : undefined;
    const launch = { command: "/path/to/vise", args: ["serve", "--workspace", variable ?? "/path/to/project"] };
    return { client, text: entryText(client, launch) };
  });
  for (const { info, content } of blocks(read("README.md"))) {
    if (info === "toml") strictEqual(content + "\n", known.find(({ client }) => client.name === "codex")?.text);
    if (info === "json") {
      const entry = JSON.stringify(JSON.parse(content));
      ok(
        known.some(({ client, text }) => client.format === "json" && JSON.stringify(JSON.parse(text)) === entry),
        content,
      );
    }
  }
});

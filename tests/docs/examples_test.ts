/** Runs what the documentation tells people to type. */

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../src/cli/commands.ts";
import { ALL_FLAGS } from "../../src/cli/flags/all_flags.ts";
import { REPOSITORY, serverCommand } from "../support/server_command.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { blocks, pages } from "./markdown_pages.ts";

for (const { path, text } of pages()) {
  const runnable = blocks(text).filter(({ info }) => info === "sh runnable");
  if (runnable.length === 0) continue;
  Deno.test({
    name: `the examples of ${path} run one after the other`,
    ignore: Deno.build.os === "windows",
    fn() {
      using ws = new TempWorkspace();
      const scene = prepare(ws);
      for (const { content } of runnable) {
        const ended = spawnSync("bash", ["-eu", "-o", "pipefail", "-c", content], {
          cwd: ws.root,
          env: scene,
          encoding: "utf8",
          input: "",
        });
        strictEqual(ended.status, 0, `${content}\n${ended.stdout}\n${ended.stderr}`);
        ok(ended.stdout !== "", `${content}\nprinted nothing`);
      }
    },
  });
}

/** A home, a `vise` on PATH and one where `deno task compile` puts it. */
function prepare(ws: TempWorkspace): Record<string, string> {
  const bin = join(ws.parent, "bin");
  mkdirSync(bin);
  mkdirSync(join(ws.parent, "home"));
  mkdirSync(join(ws.root, "dist"));
  const script = `#!/bin/sh\nexec ${serverCommand().map((word) => `'${word}'`).join(" ")} "$@"\n`;
  for (const file of [join(bin, "vise"), join(ws.root, "dist", "vise")]) {
    writeFileSync(file, script);
    chmodSync(file, 0o755);
  }
  copyFileSync(join(REPOSITORY, "README.md"), join(ws.root, "README.md"));
  return {
    PATH: `${bin}:${Deno.env.get("PATH") ?? ""}`,
    HOME: join(ws.parent, "home"),
    DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
    NO_COLOR: "1",
  };
}

Deno.test("every example that calls a tool is one that is run", () => {
  const left = pages().flatMap(({ path, text }) =>
    blocks(text).filter(({ info, content }) => info === "sh" && /\bvise call\b/.test(content))
      .map(({ content }) => `${path}: ${content}`)
  );
  deepStrictEqual(left, []);
});

Deno.test("examples that cannot be run here name subcommands, flags, tasks and scripts that exist", () => {
  const { tasks } = JSON.parse(readFileSync(join(REPOSITORY, "deno.json"), "utf8"));
  const wrong: string[] = [];
  for (const { path, text } of pages()) {
    for (const { content } of blocks(text).filter(({ info }) => info.startsWith("sh"))) {
      for (const line of content.split("\n")) {
        const fault = faultOf(line, tasks);
        if (fault !== null) wrong.push(`${path}: ${line}: ${fault}`);
      }
    }
  }
  deepStrictEqual(wrong, []);
});

function faultOf(line: string, tasks: Record<string, string>): string | null {
  const task = /\bdeno(?:@[\d.]+)? task (\w+)/.exec(line)?.[1];
  if (task !== undefined && !(task in tasks)) return `no task ${task}`;
  const script = /\bdeno run -A (\S+\.ts)/.exec(line)?.[1];
  if (script !== undefined && !script.startsWith("/") && !existsSync(join(REPOSITORY, script))) {
    return `no file ${script}`;
  }
  const words = /(?:^|[|&;] |\/)vise ((?:[^#'"|&;]|'[^']*'|"[^"]*")*)/.exec(line)?.[1]?.trim().split(/\s+/);
  if (words === undefined || script !== undefined) return null;
  const [first = ""] = words;
  const command = COMMANDS.find(({ name }) => name === first);
  if (!first.startsWith("-") && command === undefined) return `no subcommand ${first}`;
  const known = new Set([
    ...ALL_FLAGS.map(({ name }) => name),
    ...(command?.flags ?? []).map(({ name }) => name),
    ...["help", "version", "json", "markdown"],
  ]);
  const flag = words.filter((word) => word.startsWith("--") && word !== "--").map((word) =>
    /^--([\w-]*)/.exec(word)?.[1] ?? ""
  )
    .find((name) => !known.has(name));
  return flag === undefined ? null : `no flag --${flag}`;
}

/**
 * One real call of every tool, made on a small repository whose every byte is fixed.
 *
 * What differs from run to run or from machine to machine (ids, times, memory, kernel, places) is replaced by fixed
 * values, so that the reference can be compared with a fresh run.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { resolveConfig } from "../../src/config/resolve_config.ts";
import { compose } from "../../src/serve.ts";

/** One call and what it answered. */
export interface ToolExample {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly text: string;
  readonly value: Record<string, unknown>;
  /** Kind and size of what stands before the text. */
  readonly image?: string;
}

/** Why the examples cannot be made here, or the examples. */
export type Examples = { readonly missing: string } | { readonly examples: readonly ToolExample[] };

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));

/** Runs a server on a small repository; says what is missing where that cannot be done. */
export async function makeExamples(): Promise<Examples> {
  if (Deno.build.os !== "linux") return { missing: "they show what Linux enforces" };
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "vise-docs-")));
  const root = join(parent, "project");
  try {
    makeRepository(root);
    mkdirSync(join(parent, "runtime"));
    return await run(parent, root);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

const FILES: Readonly<Record<string, string>> = {
  "AGENTS.md": "Run `sh test.sh` before you finish.\n",
  "greet.py": 'def greet(name):\n    return "Hello " + name\n\n\ndef part(name):\n    return "Bye " + name\n',
  "test.sh": 'grep -q "Hello, " greet.py && echo ok\n',
  ".agents/skills/release/SKILL.md": "---\nname: release\ndescription: How a version is released.\n---\n\nTag it.\n",
};

/** One red pixel. */
const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const DAY = new Date("2026-01-05T09:00:00Z");

function makeRepository(root: string): void {
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  writeFileSync(join(root, "dot.png"), Uint8Array.from(atob(PICTURE), (char) => char.charCodeAt(0)));
  const date = "2026-01-05T09:00:00+00:00";
  const env = {
    PATH: Deno.env.get("PATH") ?? "",
    HOME: dirname(root),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
  };
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], { cwd: root, env });
  git("init", "-q", "-b", "main", "--object-format=sha1");
  git("add", ".");
  git("commit", "-q", "-m", "Greet by name");
  setTimes(root);
}

function setTimes(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) setTimes(path);
    utimesSync(path, DAY, DAY);
  }
}

const PATCH = `*** Begin Patch
*** Update File: greet.py
@@ def greet
-    return "Hello " + name
+    return "Hello, " + name
*** End Patch`;

/** In an order in which each call finds what it needs; `$id` and `$revision` come from the calls before. */
const CALLS: readonly [tool: string, args: Record<string, unknown>][] = [
  ["server_info", {}],
  ["check_exec_environment", {}],
  ["read_file", { path: "greet.py", end_line: 2, line_numbers: true }],
  ["list_dir", {}],
  ["list_files", { glob: "*.py" }],
  ["search_text", { query: "return", path: "greet.py" }],
  ["apply_patch", { patch: PATCH }],
  ["apply_changes", {
    changes: [{
      action: "edit",
      path: "greet.py",
      revision: "$revision",
      edits: [{ op: "replace", start_line: 6, content: '    return "Bye, " + name' }],
    }],
  }],
  ["exec_command", { cmd: "sh test.sh" }],
  ["write_stdin", { command_id: "$id", chars: "hello\n" }],
  ["read_output", { output_ref: "command:$id:stdout" }],
  ["kill_command", { command_id: "$id" }],
  ["git_status", {}],
  ["git_diff", { path: "greet.py", context_lines: 0 }],
  ["git_log", {}],
  ["git_show", { rev: "HEAD", include_diff: false }],
  ["git_blame", { path: "greet.py", start_line: 1, end_line: 2 }],
  ["request_permissions", {
    tool_name: "exec_command",
    permission: "network",
    reason: "The tests fetch a package.",
    arguments: { cmd: "curl https://example.com" },
  }],
  ["view_image", { path: "dot.png" }],
  ["workspace_guide", { path: "greet.py" }],
];

async function run(parent: string, root: string): Promise<Examples> {
  const config = resolveConfig({ workspace: root, stdio: true, writePaths: [], limits: {} }, {
    environment: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: parent,
      XDG_STATE_HOME: join(parent, "state"),
      VISE_RUNTIME_ROOT: join(parent, "runtime"),
    },
    currentDirectory: root,
    places: { canonical: (path) => realpathSync(path), isDirectory: () => true },
    self: { entryUrl: new URL("../../main.ts", import.meta.url).href, command: [Deno.execPath(), "run", "-A", MAIN] },
  });
  const { catalog, shutDown } = compose(config, (line) => console.error(line));
  const scene = { signal: new AbortController().signal, principal: "", onUnanswered: () => {} };
  const call = async (tool: string, args: Record<string, unknown>) => await catalog.call(tool, args, scene);
  try {
    const known: Record<string, string> = {};
    const examples: ToolExample[] = [];
    for (const [tool, template] of CALLS) {
      if (tool === "apply_changes") {
        known["$revision"] = String((await call("read_file", { path: "greet.py" })).structuredContent?.["revision"]);
      }
      if (tool === "write_stdin") {
        const started = await call("exec_command", { cmd: "exec cat", keep_stdin_open: true, yield_time_ms: 0 });
        known["$id"] = String(started.structuredContent?.["command_id"]);
      }
      const args = filled(template, known);
      const result = await call(tool, args);
      const value = result.structuredContent as Record<string, unknown>;
      if (tool === "exec_command" && !isFullyConfined(value["sandbox"])) {
        return { missing: "the kernel here confines commands less than the page shows" };
      }
      const image = result.content.find((block) => block["type"] === "image");
      const steady = steadier({ parent, root, known });
      examples.push({
        tool,
        args: JSON.parse(steady.text(JSON.stringify(args))),
        text: steady.text(
          result.content.flatMap((block) => block["type"] === "text" ? [String(block["text"])] : []).join("\n"),
        ),
        value: steady.value(value) as Record<string, unknown>,
        ...(image === undefined
          ? {}
          : { image: `${image["mimeType"]}, ${String(image["data"]).length} characters of base64` }),
      });
    }
    return { examples };
  } finally {
    await shutDown();
  }
}

/** A report that names a reason says that something is not enforced. */
function isFullyConfined(report: unknown): boolean {
  const { filesystem, reason } = (report ?? {}) as { filesystem?: string; reason?: string };
  return filesystem === "confined" && reason === undefined;
}

function filled(template: Record<string, unknown>, known: Readonly<Record<string, string>>): Record<string, unknown> {
  let text = JSON.stringify(template);
  for (const [name, value] of Object.entries(known)) text = text.replaceAll(name, value);
  return JSON.parse(text);
}

/** Fields whose value says something about the moment or the machine. */
const STEADY: Readonly<Record<string, unknown>> = {
  run_ms: 12,
  cpu_ms: 3,
  elapsed_ms: 14,
  peak_memory_bytes: 3_145_728,
  abi: 7,
  abi_version: 7,
  landlock_abi: 7,
  shell: "/bin/sh",
  race_free: true,
  attributes: "confined",
  signals: "scoped",
  author_time: 1_767_603_600,
};

/** Fields that depend on how fast the kernel was; the memory is put back with a fixed value. */
const FLEETING: ReadonlySet<string> = new Set(["peak_memory_bytes", "background_processes"]);

function steadier({ parent, root, known }: { parent: string; root: string; known: Readonly<Record<string, string>> }) {
  const text = (given: string): string =>
    given
      .replaceAll(root, "/home/me/project")
      .replaceAll(
        new RegExp(`${parent}/runtime/[0-9a-f]{16}/[\\w-]+`, "g"),
        "/tmp/vise-1000/5f0c3a9d1b7e2468/q1W2e3R4t5Y6u7I8",
      )
      .replaceAll(parent, "/home/me")
      .replaceAll(known["$id"] ?? "\0", "Zk3vQ9x0B1m2N4p5R6s7T8u9V0wAbC")
      .replaceAll(/(?<=command:|Command |command_id="?)[\w-]{30}/g, "Hc2uP8w9A0l1M3o4Q5r6S7t8U9vZaB")
      .replaceAll(/Landlock ABI: \d+|ABI \d+(?=\))/g, (found) => found.replace(/\d+/, "7"))
      .replaceAll(/(?<=Shell: )\S+(?=;)/g, "/bin/sh")
      .replaceAll(/\b\d+ ms\b/g, "14 ms");
  const value = (given: unknown, key = ""): unknown => {
    if (key in STEADY && given !== null) return STEADY[key];
    if (key === "command_id") return text(`command:${String(given)}`).slice("command:".length);
    if (typeof given === "string") return text(given);
    if (Array.isArray(given)) return given.map((item) => value(item));
    if (typeof given !== "object" || given === null) return given;
    const kept = Object.entries(given).filter(([name]) => !FLEETING.has(name));
    const fields = kept.map(([name, inner]) => [name, value(inner, name)]);
    return Object.fromEntries(
      "cpu_ms" in given ? [...fields, ["peak_memory_bytes", STEADY["peak_memory_bytes"]]] : fields,
    );
  };
  return { text, value };
}

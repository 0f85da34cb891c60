/** A second process swaps names for links as fast as it can while tools work on them: nothing from outside is ever reached. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { ToolError } from "../../src/base/tool_error.ts";
import { listDirectory } from "../../src/engine/listing/list_directory.ts";
import { readLines } from "../../src/engine/reading/read_lines.ts";
import { NO_OUTER_RULES } from "../../src/engine/search/ignore_rules.ts";
import { Workspace } from "../../src/engine/workspace/workspace.ts";
import { createConfinement } from "../../src/platform/create_confinement.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

const SECRET = "S3CRET-OUTSIDE";
const INSIDE = "inside\n";
const ROUNDS = 1_500;
const linuxOnly = { ignore: Deno.build.os !== "linux" };
if (linuxOnly.ignore) console.warn("ignored: the swap attacks need renameat2 of Linux");

/** What a name that keeps changing may honestly be called at one moment. */
const EXPECTED_CODES: ReadonlySet<string> = new Set([
  "SYMLINK_ESCAPE",
  "PATH_OUTSIDE_WORKSPACE",
  "NOT_FOUND",
  "INVALID_ARGUMENT",
  "IS_DIRECTORY",
  "NOT_A_DIRECTORY",
  "IO_ERROR",
]);

Deno.test(
  "reads during swaps of files, directories and links give bytes from inside or an error",
  linuxOnly,
  async () => {
    using scene = new Scene();
    await using swapper = await Swapper.start(scene.pairs);
    void swapper;
    const workspace = new Workspace(scene.root);
    assert.equal(workspace.tree.raceReason, null);
    const { signal } = new AbortController();
    const outcomes = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round++) {
      for (const path of ["f", "d/f", "deep/a/b/f", "pipe", "via/f"]) {
        const outcome = await attempt(() => {
          return readLines(workspace, path, { startLine: 1, maxBytes: 1000, lineOffset: 0, signal });
        });
        count(outcomes, outcome.code);
        if (outcome.value !== null) assert.equal(outcome.value.content, INSIDE, path);
      }
      const listed = await attempt(() => {
        return listDirectory(workspace, round % 2 === 0 ? "d" : "deep", {
          maxDepth: 3,
          maxEntries: 100,
          offset: 0,
          includeHidden: true,
          includeIgnored: true,
          sort: "name",
          outer: NO_OUTER_RULES,
          signal,
        });
      });
      count(outcomes, listed.code);
      for (const entry of listed.value?.entries ?? []) assert.ok(!entry.name.includes("outside"), entry.path);
    }
    workspace.close();
    // Both outcomes really happened, so the names did change between and during the calls.
    assert.ok((outcomes.get("ok") ?? 0) > 100, JSON.stringify([...outcomes]));
    assert.ok([...outcomes.keys()].length > 1, JSON.stringify([...outcomes]));
  },
);

Deno.test("write targets during swaps lie inside or are refused", linuxOnly, async () => {
  using scene = new Scene();
  await using swapper = await Swapper.start(scene.pairs);
  void swapper;
  const workspace = new Workspace(scene.root);
  for (let round = 0; round < ROUNDS; round++) {
    for (const path of ["f", "d/new", "deep/a/b/f", "deep/a/b/c/new"]) {
      const outcome = await attempt(() => Promise.resolve(workspace.resolveTarget(path)));
      if (outcome.value !== null) assert.ok(outcome.value.absolute.startsWith(`${scene.root}/`));
    }
  }
  workspace.close();
});

Deno.test("edits through the server during swaps change nothing outside", linuxOnly, async () => {
  using scene = new Scene();
  await using swapper = await Swapper.start(scene.pairs);
  void swapper;
  await using server = new ViseProcess(scene.root);
  const outcomes = new Map<string, number>();
  for (let round = 0; round < 150; round++) {
    const path = ["f", "d/f", "deep/a/b/f"][round % 3] as string;
    const patch =
      `*** Begin Patch\n*** Update File: ${path}\n@@\n-inside\n+inside\n*** Add File: ${path}.new\n+new\n*** End Patch\n`;
    const results = await Promise.all([
      server.request("tools/call", { name: "apply_patch", arguments: { patch } }),
      server.request("tools/call", { name: "read_file", arguments: { path } }),
      server.request("tools/call", { name: "search_text", arguments: { query: SECRET } }),
    ]);
    const [patched, ...read] = results.map((answer) => answer.result?.structuredContent);
    count(outcomes, patched.ok ? "ok" : patched.error.code);
    for (const value of read) assert.ok(!JSON.stringify(value.content ?? value.matches ?? "").includes(SECRET));
    assert.deepEqual(scene.outsideFiles(), ["f:" + SECRET]);
  }
  assert.ok(!outcomes.has("INTERNAL_ERROR") && outcomes.size > 0, JSON.stringify([...outcomes]));
});

const landlockOnly = { ignore: !hasLandlock() };
if (landlockOnly.ignore) console.warn("ignored: without Landlock git itself follows a link that is swapped in");

Deno.test("git_diff and git_blame during swaps show nothing from outside", landlockOnly, async () => {
  using scene = new Scene();
  scene.sh("git init -q; git add f d/f; printf 'changed\\n' > f; printf 'changed\\n' > d/f");
  await using swapper = await Swapper.start(scene.pairs);
  void swapper;
  await using server = new ViseProcess(scene.root);
  for (let round = 0; round < 60; round++) {
    const results = await Promise.all([
      server.request("tools/call", { name: "git_diff", arguments: { include_untracked: true } }),
      server.request("tools/call", { name: "git_diff", arguments: { paths: ["d"] } }),
      server.request("tools/call", { name: "git_blame", arguments: { path: "d/f" } }),
    ]);
    assert.ok(!JSON.stringify(results).includes(SECRET), JSON.stringify(results));
  }
});

Deno.test(
  "commands whose directory is swapped while they start read and write nothing outside",
  landlockOnly,
  async () => {
    using scene = new Scene();
    scene.write("probe.sh", "pwd -P; cat f; echo x > new; mkdir made; chmod 700 .\n");
    await using swapper = await Swapper.start(scene.pairs);
    void swapper;
    await using server = new ViseProcess(scene.root);
    const outcomes = new Map<string, number>();
    for (let round = 0; round < 60; round++) {
      const workdir = round % 2 === 0 ? "d" : "deep/a/b";
      const { structuredContent } = await server.call("exec_command", {
        cmd: `sh "$PROBE"`,
        workdir,
        env: { PROBE: scene.path("probe.sh") },
      });
      count(outcomes, structuredContent.error?.code ?? "ran");
      assert.ok(!JSON.stringify(structuredContent).includes(SECRET), JSON.stringify(structuredContent));
      assert.deepEqual(scene.outsideFiles(), ["f:" + SECRET]);
    }
    assert.ok(outcomes.has("ran"), JSON.stringify([...outcomes]));
  },
);

/** A workspace with names to swap, and what must never be reached beside it. */
class Scene extends TempWorkspace {
  readonly outside = `${this.parent}/outside`;
  readonly pairs: readonly string[];

  constructor() {
    super();
    const spare = `${this.parent}/spare`;
    Deno.mkdirSync(this.outside);
    Deno.mkdirSync(spare);
    Deno.writeTextFileSync(`${this.outside}/f`, SECRET);
    for (const path of ["f", "d/f", "deep/a/b/f", "real/f"]) this.write(path, INSIDE);
    this.write("pipe", INSIDE);
    Deno.symlinkSync("real", this.path("via"));
    Deno.symlinkSync(`${this.outside}/f`, `${spare}/f`);
    Deno.symlinkSync(this.outside, `${spare}/d`);
    Deno.symlinkSync(this.outside, `${spare}/b`);
    Deno.symlinkSync("../../outside", `${spare}/a`);
    Deno.symlinkSync(this.outside, `${spare}/via`);
    const made = new Deno.Command("mkfifo", { args: [`${spare}/pipe`] }).outputSync();
    assert.equal(made.success, true);
    this.pairs = [
      ...[this.path("f"), `${spare}/f`],
      ...[this.path("d"), `${spare}/d`],
      ...[this.path("deep/a"), `${spare}/a`],
      ...[this.path("deep/a/b"), `${spare}/b`],
      ...[this.path("pipe"), `${spare}/pipe`],
      ...[this.path("via"), `${spare}/via`],
    ];
  }

  /** Names and contents of what lies outside. */
  outsideFiles(): string[] {
    return [...Deno.readDirSync(this.outside)]
      .map(({ name }) => `${name}:${Deno.readTextFileSync(`${this.outside}/${name}`)}`);
  }
}

class Swapper implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;

  private constructor(child: Deno.ChildProcess) {
    this.#child = child;
  }

  static async start(pairs: readonly string[]): Promise<Swapper> {
    const script = fileURLToPath(new URL("swapper.ts", import.meta.url));
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", script, ...pairs],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const reader = child.stdout.getReader();
    await reader.read();
    reader.releaseLock();
    return new Swapper(child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stdin.close();
    await this.#child.stdout.cancel();
    await this.#child.status;
  }
}

function hasLandlock(): boolean {
  const confinement = createConfinement();
  confinement.close();
  return confinement.abi !== null;
}

async function attempt<T>(act: () => Promise<T>): Promise<{ value: T | null; code: string }> {
  try {
    return { value: await act(), code: "ok" };
  } catch (fault) {
    if (!(fault instanceof ToolError) || !EXPECTED_CODES.has(fault.code)) throw fault;
    return { value: null, code: fault.code };
  }
}

function count(outcomes: Map<string, number>, code: string): void {
  outcomes.set(code, (outcomes.get(code) ?? 0) + 1);
}

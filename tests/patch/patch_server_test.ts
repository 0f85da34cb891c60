/** `apply_patch` and `apply_changes` through the real server. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { spawn } from "node:child_process";
import { linkSync, lstatSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { createInterface } from "node:readline";
import { serverCommand } from "../support/server_command.ts";
import { patchEnvelope as envelope } from "../support/patch_envelope.ts";
import { revision } from "../support/apply_changes.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

Deno.test("a patch keeps the mode, refuses a link and warns of other names of the file", async () => {
  using workspace = new TempWorkspace();
  workspace.write("run.sh", "#!/bin/sh\necho 1\n", 0o754);
  workspace.write("real.cfg", "k=1\n");
  symlinkSync("real.cfg", workspace.path("link.cfg"));
  workspace.write("h1", "h\n");
  linkSync(workspace.path("h1"), workspace.path("h2"));
  await using vise = new ViseProcess(workspace.root);
  const run = await vise.call("apply_patch", { patch: envelope("*** Update File: run.sh", "-echo 1", "+echo 2") });
  strictEqual(run.isError, false);
  strictEqual(statSync(workspace.path("run.sh")).mode & 0o777, 0o754);
  const link = await vise.call("apply_patch", { patch: envelope("*** Update File: link.cfg", "-k=1", "+k=2") });
  strictEqual(link.structuredContent.error.code, "SYMLINK_ESCAPE");
  ok(lstatSync(workspace.path("link.cfg")).isSymbolicLink());
  strictEqual(workspace.read("real.cfg"), "k=1\n");
  const hard = await vise.call("apply_patch", { patch: envelope("*** Update File: h1", "-h", "+H") });
  match(hard.structuredContent.warnings.join("\n"), /h1: 1 other name/);
  match(hard.content[0]?.text ?? "", /Warning: h1: 1 other name/);
  strictEqual(workspace.read("h2"), "h\n");
});

Deno.test("a name the file system refuses fails the whole patch and names the operation", async () => {
  using workspace = new TempWorkspace();
  workspace.write("a.txt", "a\n");
  workspace.write("b.txt", "b\n");
  await using vise = new ViseProcess(workspace.root);
  const answer = await vise.call("apply_patch", {
    patch: envelope("*** Update File: a.txt", "-a", "+A", `*** Add File: ${"n".repeat(300)}`, "+x"),
  });
  const error = answer.structuredContent.error;
  ok(error.code !== "INTERNAL_ERROR", JSON.stringify(error));
  strictEqual(error.details.operation_index, 1);
  strictEqual(workspace.read("a.txt"), "a\n");
  deepStrictEqual(readdirSync(workspace.root).sort(), ["a.txt", "b.txt"]);
});

Deno.test("a patch of a FIFO or socket is refused at once", async () => {
  using workspace = new TempWorkspace();
  workspace.sh("mkfifo q");
  await using vise = new ViseProcess(workspace.root);
  const answer = await vise.call("apply_patch", { patch: envelope("*** Update File: q", "-a", "+b") });
  strictEqual(answer.structuredContent.error.code, "INVALID_ARGUMENT");
  match(answer.structuredContent.error.message, /not a regular file.*FIFO/);
});

Deno.test("five growing edits in a row change nothing behind the edited line", async () => {
  using workspace = new TempWorkspace();
  const lines = Array.from({ length: 1_100 }, (_, i) => `${String(i).padStart(5, "0")} ${"w".repeat(130)}`);
  workspace.write("big.tex", lines.join("\n") + "\n");
  await using vise = new ViseProcess(workspace.root);
  const tail = () => revision(workspace.read("big.tex").split("\n").slice(3).join("\n"));
  const before = tail();
  for (let i = 1; i <= 5; i++) {
    const size = statSync(workspace.path("big.tex")).size;
    const old = workspace.read("big.tex").split("\n")[2] as string;
    const answer = await vise.call("apply_patch", {
      patch: envelope("*** Update File: big.tex", `-${old}`, `+${old}${"x".repeat(1_000)}`),
    });
    strictEqual(answer.isError, false);
    strictEqual(statSync(workspace.path("big.tex")).size, size + 1_000);
    strictEqual(tail(), before);
  }
});

Deno.test("a write beyond the file size limit is an IO_ERROR that changes nothing, and the server lives", async () => {
  using workspace = new TempWorkspace();
  workspace.write("s.txt", "small\n");
  const [program, ...args] = serverCommand();
  const command = [program, ...args, "serve", "--workspace", workspace.root].map((part) => `'${part}'`).join(" ");
  // The limit covers every file of the process: caches of the runtime must already be there or are not written at all.
  const child = spawn("bash", ["-c", `trap '' XFSZ; ulimit -f 64; exec ${command}`], {
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: workspace.parent,
      DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
    },
  });
  const lines = createInterface({ input: child.stdout });
  const answers = lines[Symbol.asyncIterator]();
  const ask = async (message: unknown) => {
    child.stdin.write(JSON.stringify(message) + "\n");
    return JSON.parse((await answers.next()).value as string);
  };
  try {
    await ask({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    });
    const patch = envelope("*** Update File: s.txt", "-small", `+${"x".repeat(100_000)}`);
    const answer = await ask({
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "apply_patch", arguments: { patch } },
    });
    const error = answer.result.structuredContent.error;
    strictEqual(error.code, "IO_ERROR");
    strictEqual(error.details.errno, "EFBIG");
    match(error.message, /file too large/);
    strictEqual(workspace.read("s.txt"), "small\n");
    deepStrictEqual((await ask({ jsonrpc: "2.0", id: 3, method: "ping" })).result, {});
    deepStrictEqual(readdirSync(workspace.root), ["s.txt"]);
  } finally {
    lines.close();
    child.kill();
    await new Promise((resolve) => child.on("close", resolve));
  }
});

Deno.test("a dry run shows the diff in both forms and writes nothing", async () => {
  using workspace = new TempWorkspace();
  workspace.write("a.txt", "one\ntwo\nthree\n");
  await using vise = new ViseProcess(workspace.root);
  const answer = await vise.call("apply_patch", {
    patch: envelope("*** Update File: a.txt", "-two", "+2"),
    dry_run: true,
  });
  const diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
  strictEqual(answer.structuredContent.diff, diff);
  ok(answer.content[0]?.text?.includes(diff.trimEnd()));
  match(
    answer.content[0]?.text ?? "",
    /^Patch validated for 1 file\(s\) \(\+1 -1\)\.\nM a\.txt\na\.txt: would_be_revision=/,
  );
  strictEqual(workspace.read("a.txt"), "one\ntwo\nthree\n");
});

Deno.test("the result shows the changed lines with their numbers in both forms", async () => {
  using workspace = new TempWorkspace();
  workspace.write("a.txt", Array.from({ length: 20 }, (_, i) => `l${i + 1}`).join("\n") + "\n");
  await using vise = new ViseProcess(workspace.root);
  const answer = await vise.call("apply_patch", {
    patch: envelope("*** Update File: a.txt", "-l10", "+ten", "+ten b"),
  });
  const shown = "8: l8\n9: l9\n10: ten\n11: ten b\n12: l11\n13: l12";
  strictEqual(answer.structuredContent.affected_files[0].excerpt, shown);
  ok(answer.content[0]?.text?.includes(shown));
});

Deno.test("results of very large changes stay within 64 KiB and say what was left out", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root);
  const adds = Array.from(
    { length: 1_000 },
    (_, i) => `*** Add File: many/directory${i % 10}/file_number_${i}.txt\n+${i}`,
  );
  const many = await vise.call("apply_patch", { patch: envelope(...adds) });
  strictEqual(many.isError, false, many.content[0]?.text ?? "");
  ok(JSON.stringify(many.structuredContent).length < 65_536);
  strictEqual(many.structuredContent.truncated, true);
  strictEqual(many.structuredContent.total_affected_files, 1_000);
  strictEqual(many.structuredContent.next_action.tool, "read_file");
  match(many.content[0]?.text ?? "", /more files without their revisions: read_file\(path=/);
  strictEqual(workspace.read("many/directory9/file_number_999.txt"), "999\n");

  const lines = Array.from({ length: 20_000 }, (_, i) => `some "quoted" line number ${i} `);
  workspace.write("long.txt", lines.join("\n") + "\n");
  const hunks = Array.from({ length: 2_000 }, (_, i) => `@@\n-some "quoted" line number ${i * 10}\n+\t"changed" ${i}`);
  const patch = envelope("*** Update File: long.txt", ...hunks);
  const dry = await vise.call("apply_patch", { patch, dry_run: true });
  ok(JSON.stringify(dry.structuredContent).length < 65_536);
  match(dry.structuredContent.diff, /… \d+ more lines; dry-run fewer files/);
  const long = await vise.call("apply_patch", { patch });
  ok(JSON.stringify(long.structuredContent).length < 65_536);
  strictEqual(long.structuredContent.affected_files[0].total_changed_ranges, 2_000);
  match(long.structuredContent.warnings.at(-1), /more warnings of this kind/);
  strictEqual(workspace.read("long.txt").match(/^\t"changed" \d+$/gm)?.length, 2_000);
});

Deno.test("a patch of 1,500 directories needs few descriptors", async () => {
  using workspace = new TempWorkspace();
  const [program, ...args] = serverCommand();
  const adds = Array.from({ length: 1_500 }, (_, i) => `*** Add File: d${i}/f.txt\n+${i}`);
  const call = JSON.stringify({ patch: envelope(...adds) });
  const command = [program, ...args, "call", "apply_patch", "-", "--workspace", workspace.root];
  const child = new Deno.Command("bash", {
    args: ["-c", `ulimit -n 200; exec "$@"`, "bash", ...command],
    env: { HOME: workspace.parent, DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno` },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(call));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  strictEqual(code, 0, new TextDecoder().decode(stdout).slice(0, 500) + new TextDecoder().decode(stderr));
  strictEqual(workspace.read("d1499/f.txt"), "1499\n");
  strictEqual(readdirSync(workspace.root).length, 1_500);
});

Deno.test(
  "a file whose name is not UTF-8 is patched under its escaped name",
  { ignore: Deno.build.os !== "linux" },
  async () => {
    using workspace = new TempWorkspace();
    workspace.sh(`printf 'old\\n' > "$(printf 'bad\\377.txt')"`);
    await using vise = new ViseProcess(workspace.root);
    const answer = await vise.call("apply_patch", {
      patch: envelope("*** Update File: bad\\xff.txt", "-old", "+new", "*** Add File: more\\xfe.txt", "+made"),
    });
    strictEqual(answer.isError, false, answer.content[0]?.text ?? "");
    strictEqual(workspace.sh(`cat "$(printf 'bad\\377.txt')" "$(printf 'more\\376.txt')"`), "new\nmade\n");
  },
);

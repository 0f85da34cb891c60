/** Several writers, readers and deaths at once: no update is lost and nobody sees half of one. */

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readdirSync } from "node:fs";
import { patchEnvelope as envelope } from "../support/patch_envelope.ts";
import { revision } from "../support/apply_changes.ts";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

Deno.test("twenty patches of one file sent at once lose no update", async () => {
  using workspace = new TempWorkspace();
  const lines = Array.from({ length: 200 }, (_, i) => `${i + 1}`);
  workspace.write("n.txt", lines.join("\n") + "\n");
  await using vise = new ViseProcess(workspace.root);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => {
    const line = 10 * (i + 1);
    const after = line < 200 ? [` ${line + 1}`] : [];
    return vise.call("apply_patch", {
      patch: envelope("*** Update File: n.txt", ` ${line - 1}`, `-${line}`, `+L${line}`, ...after),
    });
  }));
  deepStrictEqual(answers.filter((answer) => answer.isError), []);
  const expected = lines.map((line) => Number(line) % 10 === 0 ? `L${line}` : line).join("\n") + "\n";
  strictEqual(workspace.read("n.txt"), expected);
});

Deno.test("two servers that patch one file at the same time lose no update", async () => {
  using workspace = new TempWorkspace();
  const lines = Array.from({ length: 120 }, (_, i) => `line ${i + 1}`);
  workspace.write("n.txt", lines.join("\n") + "\n");
  await using one = new ViseProcess(workspace.root);
  await using two = new ViseProcess(workspace.root);
  const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => {
    const line = `line ${2 * i + 1}`;
    const next = `line ${2 * i + 2}`;
    return (i % 2 === 0 ? one : two).call("apply_patch", {
      patch: envelope("*** Update File: n.txt", `-${line}`, `+${line} by ${i}`, ` ${next}`),
    });
  }));
  deepStrictEqual(answers.filter((answer) => answer.isError), []);
  strictEqual(workspace.read("n.txt").match(/ by \d+$/gm)?.length, 60);
  deepStrictEqual(readdirSync(workspace.root), ["n.txt"]);
});

Deno.test("a reader never meets half a file while it is patched", async () => {
  using workspace = new TempWorkspace();
  const version = (n: number) => `version ${n}\n` + `${n}\n`.repeat(20_000);
  workspace.write("big.txt", version(0));
  await using vise = new ViseProcess(workspace.root);
  let done = false;
  const reading = (async () => {
    let reads = 0;
    while (!done) {
      const text = workspace.read("big.txt");
      const n = /^version (\d+)\n/.exec(text)?.[1];
      strictEqual(text, version(Number(n)));
      reads++;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return reads;
  })();
  for (let n = 1; n <= 15; n++) {
    const answer = await vise.call("apply_changes", {
      changes: [{ action: "write", path: "big.txt", content: version(n), revision: revision(version(n - 1)) }],
    });
    strictEqual(answer.isError, false);
  }
  done = true;
  ok(await reading > 0);
});

Deno.test("a repeated call with the same idempotency key is replayed and not run again", async () => {
  using workspace = new TempWorkspace();
  workspace.write("a.txt", "a\n");
  await using vise = new ViseProcess(workspace.root);
  const args = { patch: envelope("*** Update File: a.txt", " a", "+ins"), idempotency_key: "k1" };
  const [first, second] = await Promise.all([vise.call("apply_patch", args), vise.call("apply_patch", args)]);
  strictEqual(first.structuredContent.idempotent_replay, undefined);
  strictEqual(second.structuredContent.idempotent_replay, true);
  strictEqual(workspace.read("a.txt"), "a\nins\n");
  const reused = await vise.call("apply_patch", { ...args, patch: envelope("*** Delete File: a.txt") });
  strictEqual(reused.structuredContent.error.code, "IDEMPOTENCY_KEY_REUSED");
  const explicit = await vise.call("apply_patch", { ...args, dry_run: false });
  strictEqual(explicit.structuredContent.idempotent_replay, true);
});

Deno.test("a change interrupted by death is settled at the next start, and said on stderr and in the first result", async () => {
  using workspace = new TempWorkspace();
  workspace.write("a.txt", "a\n");
  workspace.write("b.txt", "b\n");
  const script = new URL("../faults/commit_child.ts", import.meta.url).pathname;
  const patch = envelope("*** Update File: a.txt", "-a", "+A", "*** Update File: b.txt", "-b", "+B");
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", script, workspace.root, `${workspace.parent}/.local/state`, "rename:1"],
    stdin: "piped",
    stdout: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(patch));
  await writer.close();
  strictEqual((await child.status).signal, "SIGKILL");
  await using vise = new ViseProcess(workspace.root, { home: workspace.parent });
  const answer = await vise.call("read_file", { path: "a.txt" });
  // Recovery runs beside the first call, so that a start never waits for it.
  const later = await vise.call("apply_patch", { patch: envelope("*** Add File: c.txt", "+c") });
  const warnings = [...answer.structuredContent.warnings ?? [], ...later.structuredContent.warnings ?? []].join("\n");
  match(warnings, /an earlier server process had not completed was/);
  match(vise.stderr, /an earlier server process had not completed was/);
  ok(workspace.read("a.txt") + workspace.read("b.txt") === "A\nB\n");
  deepStrictEqual(readdirSync(workspace.root).sort(), ["a.txt", "b.txt", "c.txt"]);
});

Deno.test("a ping and a read are answered while a large file is patched", async () => {
  using workspace = new TempWorkspace();
  workspace.write("small.txt", "s\n");
  workspace.write("large.txt", Array.from({ length: 600_000 }, (_, i) => `line number ${i} of many`).join("\n") + "\n");
  await using vise = new ViseProcess(workspace.root);
  await vise.call("read_file", { path: "small.txt" });
  await vise.call("apply_patch", { patch: envelope("*** Update File: small.txt", "-s", "+S") });
  const order: string[] = [];
  const patch = envelope("*** Update File: large.txt", "-line number 300000 of many", "+changed");
  await Promise.all([
    vise.call("apply_patch", { patch }).then((answer) => order.push(answer.isError ? "error" : "patch")),
    vise.request("ping").then(() => order.push("ping")),
    vise.call("read_file", { path: "small.txt" }).then(() => order.push("read")),
  ]);
  strictEqual(order.at(-1), "patch", order.join());
});

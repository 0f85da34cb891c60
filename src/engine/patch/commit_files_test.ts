import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "../../base/tool_error.ts";
import { SystemError } from "../../platform/errno.ts";
import { openPortableWriteTree } from "../../platform/portable/portable_write_tree.ts";
import type { BeforeStep, openWriteTree } from "../../platform/write_tree.ts";
import { mixedCommit, snapshot } from "../../../tests/support/mixed_commit.ts";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { Workspace } from "../workspace/workspace.ts";
import { PatchEngine } from "./patch_engine.ts";
import { isFilled } from "./state_places.ts";

/** Thrown instead of dying: after it no step happens any more, as after `kill -9`. */
class Death extends Error {}

/** Dies before step number `fatal` (counted from 0); counts in `counter.steps`. */
function dyingAt(fatal: number, counter: { steps: number }): BeforeStep {
  return () => {
    if (counter.steps++ >= fatal) throw new Death(`step ${fatal}`);
  };
}

/** Fails once with `errno` at step number `faulty`. */
function failingAt(faulty: number, errno: string, counter: { steps: number }): BeforeStep {
  return (step, path) => {
    if (counter.steps++ === faulty) throw new SystemError(errno, step, path);
  };
}

/** In memory where the system has such a file system: thousands of forced writes take seconds on a disk, and prove no more. */
function memoryWorkspace(): TempWorkspace {
  return new TempWorkspace("work", existsSync("/dev/shm") ? "/dev/shm" : undefined);
}

function openEngine(workspace: TempWorkspace, beforeStep?: BeforeStep, openTree?: typeof openWriteTree): PatchEngine {
  return new PatchEngine({
    ...(openTree === undefined ? {} : { openTree }),
    workspace: new Workspace(workspace.root),
    config: {
      runtimeRoot: join(workspace.parent, "runtime"),
      environment: { XDG_STATE_HOME: join(workspace.parent, "state") },
    },
    ...(beforeStep === undefined ? {} : { beforeStep }),
  });
}

function hasJournal(workspace: TempWorkspace): boolean {
  const base = join(workspace.parent, "state", "vise");
  return existsSync(base) && readdirSync(base).some((name) => isFilled(join(base, name, "journal")));
}

/** Old and new state of the tree, and the number of steps a whole commit takes. */
async function measure(count: number): Promise<{ before: object; after: object; steps: number }> {
  using workspace = memoryWorkspace();
  const patch = mixedCommit(workspace, count);
  const before = snapshot(workspace.root);
  const counter = { steps: 0 };
  await openEngine(workspace, dyingAt(Infinity, counter)).applyPatch(patch, { dryRun: false });
  return { before, after: snapshot(workspace.root), steps: counter.steps };
}

for (const count of [1, 2, 20]) {
  Deno.test(`a commit of ${count} file(s) that dies at any step is wholly old or wholly new after recovery`, async () => {
    const { before, after, steps } = await measure(count);
    const outcomes = new Set<string>();
    for (let fatal = 0; fatal < steps; fatal++) {
      using workspace = memoryWorkspace();
      const patch = mixedCommit(workspace, count);
      await rejectsOrLands(openEngine(workspace, dyingAt(fatal, { steps: 0 })).applyPatch(patch, { dryRun: false }));
      await openEngine(workspace).recoverJournal();
      outcomes.add(checkWhole(snapshot(workspace.root), { before, after, at: `step ${fatal} of ${steps}` }));
      strictEqual(hasJournal(workspace), false, `step ${fatal}`);
    }
    deepStrictEqual([...outcomes].sort(), ["new", "old"]);
  });

  for (const errno of ["ENOSPC", "EACCES", "EXDEV", "EROFS", "EIO"]) {
    Deno.test(`a commit of ${count} file(s) that meets ${errno} at any step changes all or nothing and says so`, async () => {
      const { before, after, steps } = await measure(count);
      for (let faulty = 0; faulty < steps; faulty++) {
        using workspace = memoryWorkspace();
        const patch = mixedCommit(workspace, count);
        const engine = openEngine(workspace, failingAt(faulty, errno, { steps: 0 }));
        const outcome = await engine.applyPatch(patch, { dryRun: false }).then(() => "new", (fault) => {
          ok(fault instanceof ToolError, `step ${faulty}: ${fault}`);
          strictEqual(fault.code, "IO_ERROR", `step ${faulty}: ${fault.message}`);
          strictEqual(fault.details["errno"], errno);
          return "old";
        });
        // Where only a removal after the change failed, the next write finds the journal and removes what is left.
        await openEngine(workspace).recoverJournal();
        const seen = checkWhole(snapshot(workspace.root), {
          before,
          after,
          at: `${errno} at step ${faulty} of ${steps}`,
        });
        strictEqual(seen, outcome, `step ${faulty}`);
        strictEqual(hasJournal(workspace), false, `step ${faulty}`);
      }
    });
  }
}

const LONE_FILES: readonly (readonly [string, string])[] = [
  ["a new file in new directories", "*** Add File: a/b/c.txt\n+x"],
  ["a removed file", "*** Delete File: old.txt"],
  ["a file replaced as a whole", "*** Add File: old.txt\n+x"],
  ["a moved file", "*** Update File: old.txt\n*** Move to: a/new.txt"],
];

for (const [name, operation] of LONE_FILES) {
  Deno.test(`${name}: death or a full disk at any step leaves all or nothing`, async () => {
    const patch = `*** Begin Patch\n${operation}\n*** End Patch\n`;
    const outcomes = new Set<string>();
    let before: object = {};
    let after: object = {};
    for (let at = -1, steps = Infinity; at < steps; at++) {
      using killed = memoryWorkspace();
      killed.write("old.txt", "old\n", 0o640);
      before = snapshot(killed.root);
      const counter = { steps: 0 };
      const dying = dyingAt(at < 0 ? Infinity : at, counter);
      await rejectsOrLands(openEngine(killed, dying).applyPatch(patch, { dryRun: false }));
      if (at < 0) {
        after = snapshot(killed.root);
        steps = counter.steps;
        continue;
      }
      await openEngine(killed).recoverJournal();
      outcomes.add(checkWhole(snapshot(killed.root), { before, after, at: `death at step ${at}` }));
      using full = memoryWorkspace();
      full.write("old.txt", "old\n", 0o640);
      const engine = openEngine(full, failingAt(at, "ENOSPC", { steps: 0 }));
      const outcome = await engine.applyPatch(patch, { dryRun: false }).then(() => "new", () => "old");
      await openEngine(full).recoverJournal();
      strictEqual(checkWhole(snapshot(full.root), { before, after, at: `ENOSPC at step ${at}` }), outcome);
    }
    deepStrictEqual([...outcomes].sort(), ["new", "old"]);
  });
}

Deno.test("without FFI a commit that dies or fails at any step is wholly old or wholly new as well", async () => {
  const portable: typeof openWriteTree = (root, options) =>
    openPortableWriteTree(root, options?.beforeStep ?? (() => {}));
  const count = 6;
  const { before, after } = await measure(count);
  let steps = Infinity;
  for (let at = 0; at < steps; at++) {
    const counter = { steps: 0 };
    using killed = memoryWorkspace();
    const patch = mixedCommit(killed, count);
    await rejectsOrLands(openEngine(killed, dyingAt(at, counter), portable).applyPatch(patch, { dryRun: false }));
    if (counter.steps <= at) steps = at;
    await openEngine(killed, undefined, portable).recoverJournal();
    checkWhole(snapshot(killed.root), { before, after, at: `death at step ${at}` });
    using refused = memoryWorkspace();
    mixedCommit(refused, count);
    const engine = openEngine(refused, failingAt(at, "ENOSPC", { steps: 0 }), portable);
    await engine.applyPatch(patch, { dryRun: false }).catch((fault) => ok(fault instanceof ToolError, String(fault)));
    await openEngine(refused, undefined, portable).recoverJournal();
    checkWhole(snapshot(refused.root), { before, after, at: `ENOSPC at step ${at}` });
  }
});

Deno.test("a recovery that dies at any step is taken up by the next one", async () => {
  const count = 6;
  const { before, after, steps } = await measure(count);
  for (let fatal = 0; fatal < steps; fatal += 3) {
    for (let second = 0;; second++) {
      using workspace = memoryWorkspace();
      const patch = mixedCommit(workspace, count);
      await rejectsOrLands(openEngine(workspace, dyingAt(fatal, { steps: 0 })).applyPatch(patch, { dryRun: false }));
      const counter = { steps: 0 };
      await rejectsOrLands(openEngine(workspace, dyingAt(second, counter)).recoverJournal());
      await openEngine(workspace).recoverJournal();
      checkWhole(snapshot(workspace.root), { before, after, at: `death ${fatal}, recovery death ${second}` });
      if (counter.steps <= second) break;
    }
  }
});

Deno.test("a commit that cannot be undone either keeps the backups and the next write restores the old files", async () => {
  using workspace = memoryWorkspace();
  const patch = mixedCommit(workspace, 4);
  const before = snapshot(workspace.root);
  let renames = 0;
  const engine = openEngine(workspace, (step, path) => {
    if (step === "rename" && ++renames >= 2) throw new SystemError("EIO", step, path);
  });
  await rejects(engine.applyPatch(patch, { dryRun: false }), (fault: ToolError) => {
    strictEqual(fault.code, "PATCH_ROLLBACK_FAILED");
    ok(Object.keys(fault.details["recovery_backups"] as object).length >= 1);
    ok((fault.details["rollback_errors"] as string[]).length >= 1);
    return true;
  });
  const messages = await openEngine(workspace).recoverJournal();
  deepStrictEqual(snapshot(workspace.root), before);
  ok(messages.some((message) => message.includes("undone")), messages.join());
});

Deno.test("a file changed by somebody else after a death is left as it is and named", async () => {
  using workspace = memoryWorkspace();
  workspace.write("a.txt", "a\n");
  workspace.write("b.txt", "b\n");
  const patch = "*** Begin Patch\n*** Update File: a.txt\n-a\n+A\n*** Update File: b.txt\n-b\n+B\n*** End Patch\n";
  let renames = 0;
  await rejectsOrLands(
    openEngine(workspace, (step) => {
      if (step === "rename" && ++renames >= 2) throw new Death();
      if (renames >= 2) throw new Death();
    }).applyPatch(patch, { dryRun: false }),
  );
  strictEqual(workspace.read("a.txt"), "A\n");
  workspace.write("b.txt", "by hand\n");
  const messages = await openEngine(workspace).recoverJournal();
  strictEqual(workspace.read("a.txt"), "a\n");
  strictEqual(workspace.read("b.txt"), "by hand\n");
  ok(messages.some((message) => message.startsWith("b.txt: was changed by somebody else")), messages.join("\n"));
});

Deno.test("the result of the next write tells what recovery did", async () => {
  using workspace = memoryWorkspace();
  const patch = mixedCommit(workspace, 4);
  const { steps } = await measure(4);
  await rejectsOrLands(openEngine(workspace, dyingAt(steps - 8, { steps: 0 })).applyPatch(patch, { dryRun: false }));
  const report = await openEngine(workspace).applyPatch(
    "*** Begin Patch\n*** Add File: other.txt\n+x\n*** End Patch\n",
    { dryRun: false },
  );
  ok(report.warnings.some((warning) => warning.includes("an earlier server process")), report.warnings.join());
});

async function rejectsOrLands(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (fault) {
    if (!(fault instanceof Death)) throw fault;
  }
}

function checkWhole(seen: object, expected: { before: object; after: object; at: string }): "old" | "new" {
  const isOld = JSON.stringify(seen) === JSON.stringify(expected.before);
  if (!isOld) deepStrictEqual(seen, expected.after, expected.at);
  return isOld ? "old" : "new";
}

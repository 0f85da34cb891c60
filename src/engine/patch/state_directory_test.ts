import { ok, rejects, strictEqual, throws } from "node:assert/strict";
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { StateDirectory } from "./state_directory.ts";
import { hasJournal, statePlaces } from "./state_places.ts";

function options(workspace: TempWorkspace, environment: Record<string, string>) {
  return { root: workspace.root, environment, runtimeRoot: join(workspace.parent, "runtime"), beforeStep: () => {} };
}

Deno.test("the state directory is private and lies in XDG_STATE_HOME, else in ~/.local/state, else in the runtime parent", () => {
  using workspace = new TempWorkspace();
  const home = join(workspace.parent, "home");
  const inState = StateDirectory.open(
    options(workspace, { XDG_STATE_HOME: join(workspace.parent, "state"), HOME: home }),
  );
  ok(inState.path.startsWith(join(workspace.parent, "state", "vise")));
  strictEqual(statSync(inState.path).mode & 0o777, 0o700);
  const inHome = StateDirectory.open(options(workspace, { XDG_STATE_HOME: "relative/ignored", HOME: home }));
  ok(inHome.path.startsWith(join(home, ".local", "state", "vise")));
  strictEqual(inHome.survivesReboot, true);
  const inRuntime = StateDirectory.open(options(workspace, {}));
  ok(inRuntime.path.startsWith(join(workspace.parent, "runtime", "state")));
  strictEqual(inRuntime.survivesReboot, false);
});

Deno.test("a place that others can write, or that is a link, is passed over", () => {
  using workspace = new TempWorkspace();
  const shared = join(workspace.parent, "shared");
  mkdirSync(join(shared, "vise"), { recursive: true });
  chmodSync(join(shared, "vise"), 0o777);
  strictEqual(StateDirectory.open(options(workspace, { XDG_STATE_HOME: shared })).survivesReboot, false);
  const linked = join(workspace.parent, "linked");
  mkdirSync(linked);
  symlinkSync(workspace.root, join(linked, "vise"));
  strictEqual(StateDirectory.open(options(workspace, { XDG_STATE_HOME: linked })).survivesReboot, false);
});

Deno.test("without any place a write is refused with the places that were tried", () => {
  using workspace = new TempWorkspace();
  writeFileSync(join(workspace.parent, "runtime"), "a file");
  writeFileSync(join(workspace.parent, "state"), "a file");
  throws(() => StateDirectory.open(options(workspace, { XDG_STATE_HOME: join(workspace.parent, "state") })), {
    code: "RUNTIME_DIR_UNWRITABLE",
  });
});

Deno.test("two workspaces have two places, and one workspace always the same", () => {
  const places = (root: string) =>
    statePlaces({ root, environment: { HOME: "/h" }, runtimeRoot: "/r" }).map((one) => one.path);
  strictEqual(places("/a").join(), places("/a").join());
  ok(places("/a")[0] !== places("/b")[0]);
});

Deno.test("a journal is written, found, read and removed; a second lock is a retryable conflict", async () => {
  using workspace = new TempWorkspace();
  const how = options(workspace, { XDG_STATE_HOME: join(workspace.parent, "state") });
  const state = StateDirectory.open(how);
  strictEqual(hasJournal(how), false);
  state.writeJournal("text", { durable: true });
  strictEqual(hasJournal(how) && state.readJournal() === "text", true);
  state.clearJournal();
  strictEqual(state.readJournal(), null);
  const lock = await state.lock({ deadlineMs: 0 });
  await rejects(state.lock({ deadlineMs: 3 }), { code: "PATCH_CONFLICT", retryable: true });
  lock.release();
  (await state.lock({ deadlineMs: 0 })).release();
});

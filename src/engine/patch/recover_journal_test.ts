import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TempWorkspace } from "../../../tests/support/temp_workspace.ts";
import { openWriteTree } from "../../platform/write_tree.ts";
import { type FileState, formatJournal, type JournalEntry } from "./journal.ts";
import { recoverJournal } from "./recover_journal.ts";
import { StateDirectory } from "./state_directory.ts";

/** A workspace with the journal of a commit that its process did not live to complete. */
class Interrupted implements Disposable {
  readonly workspace = new TempWorkspace();
  readonly state = StateDirectory.open({
    root: this.workspace.root,
    environment: { XDG_STATE_HOME: join(this.workspace.parent, "state") },
    runtimeRoot: join(this.workspace.parent, "runtime"),
    beforeStep: () => {},
  });

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, content] of Object.entries(files)) {
      this.workspace.write(name, content);
      chmodSync(this.workspace.path(name), 0o644);
    }
  }

  journal(entries: readonly JournalEntry[], { directories = [], root = this.workspace.root }: {
    directories?: readonly string[];
    root?: string;
  } = {}): void {
    this.state.writeJournal(formatJournal({ version: 1, root, pid: 1, entries, directories }), { durable: false });
  }

  async recover(): Promise<string[]> {
    using tree = openWriteTree(this.workspace.root);
    return await recoverJournal({ tree, state: this.state });
  }

  /** Names and contents of the files in the root. */
  get files(): Record<string, string> {
    const { root } = this.workspace;
    return Object.fromEntries(readdirSync(root).sort().map((name) => [name, readFileSync(join(root, name), "utf8")]));
  }

  [Symbol.dispose](): void {
    this.workspace[Symbol.dispose]();
  }
}

function file(content: string): FileState {
  return { revision: createHash("sha256").update(content).digest("hex"), mode: 0o644 };
}

/** `a` and `b` go from old to new, each with its hidden files `.NAME.new` and `.NAME.old`. */
const BOTH: readonly JournalEntry[] = ["a", "b"].map((path) => ({
  path,
  before: file(`old ${path}`),
  after: file(`new ${path}`),
  temp: `.${path}.new`,
  backup: `.${path}.old`,
}));

Deno.test("a commit that stopped half way is finished where everything for it is still there", async () => {
  using place = new Interrupted();
  place.write({ a: "new a", ".a.old": "old a", b: "old b", ".b.new": "new b", ".b.old": "old b" });
  place.journal(BOTH);
  match((await place.recover()).join("\n"), /^a change .* was finished: a, b$/);
  deepStrictEqual(place.files, { a: "new a", b: "new b" });
  strictEqual(place.state.hasJournal(), false);
  deepStrictEqual(await place.recover(), []);
});

Deno.test("a commit that cannot be finished is undone from what was kept of the old content", async () => {
  using place = new Interrupted();
  place.write({ a: "new a", ".a.old": "old a", b: "old b" });
  place.journal(BOTH);
  match((await place.recover()).join("\n"), /^a change .* was undone: a, b$/);
  deepStrictEqual(place.files, { a: "old a", b: "old b" });
});

Deno.test("new files and directories of an undone commit go, and old content that is gone is said to be", async () => {
  using place = new Interrupted();
  place.write({ a: "new a", b: "old b", "made/c": "new c" });
  const made = { path: "made/c", before: null, after: file("new c"), temp: "x", backup: null };
  place.journal([...BOTH, made], { directories: ["made"] });
  // The new content of `b` is lost, so the commit cannot be finished; of `a` only the new content is left.
  const messages = await place.recover();
  match(messages[0] ?? "", /was undone: a, b, made\/c$/);
  ok(messages.includes("a: keeps the new content, because its old content is gone"), messages.join("\n"));
  deepStrictEqual(place.files, { a: "new a", b: "old b" });
});

Deno.test("a file that somebody else changed is left as it is, its old content kept beside it", async () => {
  using place = new Interrupted();
  place.write({ a: "mine", ".a.new": "new a", ".a.old": "old a", b: "old b", ".b.new": "new b" });
  place.journal(BOTH);
  const messages = await place.recover();
  match(messages[0] ?? "", /was undone \(nothing had been changed yet\): a, b$/);
  strictEqual(messages[1], "a: was changed by somebody else after the interruption and left as it is");
  deepStrictEqual(place.files, { ".a.old": "old a", a: "mine", b: "old b" });
});

Deno.test("a removal that was not done is done with the rest, and a vanished directory needs nothing", async () => {
  using place = new Interrupted();
  place.write({ a: "new a", ".a.old": "old a", gone: "old" });
  const removed = { path: "gone", before: file("old"), after: null, temp: null, backup: null };
  place.journal([BOTH[0] as JournalEntry, removed]);
  match((await place.recover()).join("\n"), /was finished: a, gone$/);
  deepStrictEqual(place.files, { a: "new a" });
  const elsewhere = { path: "never/made", before: null, after: file("x"), temp: "t", backup: null };
  place.journal([elsewhere]);
  match((await place.recover()).join("\n"), /was undone \(nothing had been changed yet\): never\/made$/);
});

Deno.test("a torn journal, and one of another root, change nothing and go", async () => {
  using place = new Interrupted();
  place.write({ a: "new a", ".a.old": "old a", b: "old b", ".b.new": "new b" });
  const before = place.files;
  place.state.writeJournal('{"version":1,"entries":[\nabc\n', { durable: false });
  deepStrictEqual(await place.recover(), []);
  place.journal(BOTH, { root: "/elsewhere" });
  deepStrictEqual(await place.recover(), []);
  deepStrictEqual([place.files, place.state.hasJournal()], [before, false]);
});

Deno.test("a journal that cannot be settled is set aside with its place named, and stops no later write", async () => {
  using place = new Interrupted();
  place.write({ a: "old a" });
  // A directory where the hidden file should be: unlink(2) refuses it.
  place.workspace.write(".a.new/in", "");
  place.journal([{ ...BOTH[0] as JournalEntry, backup: null }]);
  const [message, ...others] = await place.recover();
  const kept = / is kept as (\/\S+)$/.exec(message ?? "")?.[1] as string;
  match(message ?? "", /^an interrupted change could not be settled \(\w+ \S+: E\w+\); its journal/);
  deepStrictEqual([existsSync(kept), others, place.state.hasJournal()], [true, [], false]);
  strictEqual(place.workspace.read("a"), "old a");
});

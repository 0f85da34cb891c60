/**
 * Finishes or undoes a commit whose process died (O-24). Hold the write lock.
 *
 * Per file the hidden names tell how far it got: a rename consumes the hidden new file, and the hidden old file exists
 * before the first rename. If everything that is missing can still be done, it is done; if nothing was done yet, or
 * something cannot be done any more, the rest is undone. A file that somebody changed after the death is left as it is.
 */

import { Pacer } from "../../base/pacer.ts";
import { directoryOf, nameOf } from "../../base/tree_path.ts";
import { SystemError } from "../../platform/errno.ts";
import type { WriteDirectory, WriteTree } from "../../platform/write_tree.ts";
import { type FileState, type Journal, type JournalEntry, parseJournal } from "./journal.ts";
import { revisionOf } from "./read_content.ts";
import { MAX_FILE_BYTES } from "./staged_tree.ts";
import type { StateDirectory } from "./state_directory.ts";

/** Settles the journal if there is one; returns what to tell people, empty when there was nothing to do. */
export async function recoverJournal(
  place: { readonly tree: WriteTree; readonly state: StateDirectory },
): Promise<string[]> {
  const text = place.state.readJournal();
  if (text === null) return [];
  const journal = parseJournal(text);
  if (journal === null || journal.root !== place.tree.root) {
    // Torn: it never was complete on the disk, so nothing was renamed (a lone file's rename is whole by itself).
    place.state.clearJournal();
    return [];
  }
  const recovery = new Recovery(journal, place.tree);
  try {
    const messages = await recovery.run();
    place.state.clearJournal();
    return messages;
  } catch (fault) {
    if (!(fault instanceof SystemError)) throw fault;
    const kept = place.state.setJournalAside();
    return [
      `an interrupted change could not be settled (${fault.step} ${fault.path}: ${fault.errno}); its journal is kept as ${kept}`,
    ];
  } finally {
    recovery.close();
  }
}

type Presence = "before" | "after" | "foreign";

interface Seen {
  readonly entry: JournalEntry;
  readonly target: Presence;
  readonly hasTemp: boolean;
  readonly hasBackup: boolean;
}

class Recovery {
  readonly #journal: Journal;
  readonly #tree: WriteTree;
  readonly #directories = new Map<string, WriteDirectory | null>();

  constructor(journal: Journal, tree: WriteTree) {
    this.#journal = journal;
    this.#tree = tree;
  }

  async run(): Promise<string[]> {
    const seen: Seen[] = [];
    for (const entry of this.#journal.entries) seen.push(await this.#look(entry));
    const anyDone = seen.some((one) => isDone(one));
    const canFinish = seen.every((one) => isDone(one) || isPending(one));
    const finish = anyDone && canFinish;
    const foreign: string[] = [];
    const lost: string[] = [];
    for (const one of seen) {
      if (one.target === "foreign" && (one.hasTemp || one.hasBackup)) foreign.push(one.entry.path);
      if (finish) await this.#finish(one);
      else if (!this.#undo(one)) lost.push(one.entry.path);
    }
    if (!finish) this.#removeDirectories();
    await this.#sync();
    return this.#messages({ seen, finish, anyDone, foreign, lost });
  }

  close(): void {
    for (const directory of this.#directories.values()) directory?.close();
  }

  async #look(entry: JournalEntry): Promise<Seen> {
    const directory = this.#directory(entry);
    if (directory === null) {
      return { entry, target: entry.before === null ? "before" : "foreign", hasTemp: false, hasBackup: false };
    }
    const state = await stateOf(directory, nameOf(entry.path));
    let target: Presence = "foreign";
    if (isSame(state, entry.before)) target = "before";
    else if (isSame(state, entry.after)) target = "after";
    return {
      entry,
      target,
      hasTemp: entry.temp !== null && isSame(await stateOf(directory, entry.temp), entry.after),
      hasBackup: entry.backup !== null && isSame(await stateOf(directory, entry.backup), entry.before),
    };
  }

  // deno-lint-ignore require-await -- the two ways of settling have one shape.
  async #finish(one: Seen): Promise<void> {
    const { entry } = one;
    const directory = this.#directory(entry);
    if (directory === null) return;
    if (isPending(one)) {
      if (entry.temp === null) directory.unlink(nameOf(entry.path));
      else directory.rename(entry.temp, nameOf(entry.path), { mustBeNew: entry.before === null });
    }
    this.#removeHidden(directory, entry);
  }

  /** False when the old content is needed and gone. */
  #undo(one: Seen): boolean {
    const { entry } = one;
    const directory = this.#directory(entry);
    if (directory === null) return true;
    if (one.target === "after") {
      if (entry.before === null) directory.unlink(nameOf(entry.path));
      else if (one.hasBackup) directory.rename(entry.backup as string, nameOf(entry.path));
      else return false;
    }
    // The old content of a file that somebody else changed is kept beside it.
    const keepBackup = one.target === "foreign" && one.hasBackup;
    this.#removeHidden(directory, keepBackup ? { ...entry, backup: null } : entry);
    return true;
  }

  #removeHidden(directory: WriteDirectory, entry: JournalEntry): void {
    for (const name of [entry.temp, entry.backup]) {
      if (name === null) continue;
      try {
        directory.unlink(name);
      } catch (fault) {
        if (!(fault instanceof SystemError) || fault.errno !== "ENOENT") throw fault;
      }
    }
  }

  #removeDirectories(): void {
    for (const path of [...this.#journal.directories].reverse()) {
      try {
        using parent = this.#tree.openDirectory(directoryOf(path));
        parent.removeDirectory(nameOf(path));
      } catch {
        // Never made, or somebody put files into it: then it stays.
      }
    }
  }

  async #sync(): Promise<void> {
    for (const [path, directory] of this.#directories) {
      if (directory !== null && !this.#journal.directories.includes(path)) await directory.sync();
    }
  }

  #messages(
    outcome: {
      readonly seen: readonly Seen[];
      readonly finish: boolean;
      readonly anyDone: boolean;
      readonly foreign: string[];
      readonly lost: string[];
    },
  ): string[] {
    const { seen, finish, anyDone, foreign, lost } = outcome;
    // A lone file that is in place already needs no word: nothing was left to do.
    if (seen.length === 1 && seen.every((one) => isDone(one)) && foreign.length === 0) return [];
    const paths = this.#journal.entries.map((entry) => entry.path);
    const list = paths.slice(0, 5).join(", ") + (paths.length > 5 ? ` and ${paths.length - 5} more` : "");
    const undone = anyDone ? "undone" : "undone (nothing had been changed yet)";
    const messages = [
      `a change that an earlier server process had not completed was ${finish ? "finished" : undone}: ${list}`,
    ];
    for (const path of foreign) {
      messages.push(`${path}: was changed by somebody else after the interruption and left as it is`);
    }
    for (const path of lost) messages.push(`${path}: keeps the new content, because its old content is gone`);
    return messages;
  }

  /** Null when the directory does not exist. */
  #directory(entry: JournalEntry): WriteDirectory | null {
    const path = directoryOf(entry.path);
    let directory = this.#directories.get(path);
    if (directory === undefined) {
      directory = this.#open(path);
      this.#directories.set(path, directory);
    }
    return directory;
  }

  #open(path: string): WriteDirectory | null {
    try {
      return this.#tree.openDirectory(path);
    } catch (fault) {
      if (fault instanceof SystemError && (fault.errno === "ENOENT" || fault.errno === "ENOTDIR")) return null;
      throw fault;
    }
  }
}

/** Done: the new state is there, or its hidden file is used up and somebody went on from it. */
function isDone(one: Seen): boolean {
  return one.target === "after" || (one.target === "foreign" && one.entry.temp !== null && !one.hasTemp);
}

/** Can still be done. */
function isPending(one: Seen): boolean {
  return one.target === "before" && (one.entry.temp === null || one.hasTemp);
}

function isSame(a: FileState | null, b: FileState | null): boolean {
  return a === null || b === null ? a === b : a.revision === b.revision && a.mode === b.mode;
}

async function stateOf(directory: WriteDirectory, name: string): Promise<FileState | null> {
  const facts = directory.facts(name);
  if (facts === null) return null;
  if (facts.kind !== "file" || facts.size > MAX_FILE_BYTES) return { revision: facts.kind, mode: facts.mode };
  const read = await directory.read(name, { limitBytes: MAX_FILE_BYTES });
  return { revision: await revisionOf(read.bytes, new Pacer()), mode: facts.mode };
}

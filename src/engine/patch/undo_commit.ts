/** Takes back what a commit did before it failed. */

import { directoryOf, nameOf, pathIn } from "../../base/tree_path.ts";
import { SystemError } from "../../platform/errno.ts";
import type { Mutation } from "./mutation.ts";
import type { OpenDirectories } from "./open_directories.ts";
import type { StateDirectory } from "./state_directory.ts";

/** How far the commit got. */
export interface Progress {
  readonly mutations: readonly Mutation[];
  /** Directories the commit made, outer before inner. */
  readonly madeDirectories: readonly string[];
  readonly directories: OpenDirectories;
  readonly state: StateDirectory;
}

/** What could not be taken back; nothing when `errors` is empty. */
export interface UndoFailure {
  readonly errors: readonly string[];
  /** Path of each old content that is still kept, by the path of its file. */
  readonly backups: Readonly<Record<string, string>>;
}

/** Restores every file, then removes the journal; goes on after a step that fails. The journal stays if one did. */
export async function undoCommit(progress: Progress): Promise<UndoFailure> {
  const { directories, state } = progress;
  const undo = new Undo(directories);
  for (const mutation of progress.mutations) undo.takeBack(mutation);
  for (const path of progress.madeDirectories.toReversed()) removeIfEmpty(path, directories);
  if (undo.errors.length === 0) await undo.makeDurable(progress.mutations);
  if (undo.errors.length === 0) undo.attempt("remove the journal", () => state.clearJournal());
  return undo;
}

class Undo implements UndoFailure {
  readonly errors: string[] = [];
  readonly backups: Record<string, string> = {};
  readonly #directories: OpenDirectories;

  constructor(directories: OpenDirectories) {
    this.#directories = directories;
  }

  /** False when `run` failed, which is noted; what is gone already counts as done. */
  attempt(what: string, run: () => void): boolean {
    try {
      run();
      return true;
    } catch (fault) {
      if (!(fault instanceof SystemError)) throw fault;
      if (fault.errno === "ENOENT") return true;
      this.errors.push(`${what}: ${fault.errno}`);
      return false;
    }
  }

  takeBack(mutation: Mutation): void {
    const { file, temp, backup } = mutation;
    if (mutation.isInstalled) {
      const isRestored = this.attempt(`restore ${file.path}`, () => this.#restore(mutation));
      if (!isRestored && backup !== null) this.backups[file.path] = pathIn(file.directory, backup);
    } else if (mutation.backupMade && backup !== null) {
      this.attempt(`remove ${backup}`, () => this.#removeMade(file.directory, backup));
    }
    if (mutation.tempMade && !mutation.isInstalled && temp !== null) {
      this.attempt(`remove ${temp}`, () => this.#removeMade(file.directory, temp));
    }
  }

  async makeDurable(mutations: readonly Mutation[]): Promise<void> {
    if (!mutations.some((mutation) => mutation.isInstalled)) return;
    const changed = new Set(mutations.map((mutation) => mutation.file.directory));
    // Those the commit had made are gone again.
    const existing = [...changed].filter((path) => this.#directories.exists(path));
    try {
      await this.#directories.sync(existing);
    } catch (fault) {
      if (!(fault instanceof SystemError)) throw fault;
      this.errors.push(`force to disk ${fault.path}: ${fault.errno}`);
    }
  }

  #restore({ file, backup }: Mutation): void {
    const directory = this.#directories.at(file.directory);
    if (backup === null) directory.unlink(file.name);
    else directory.rename(backup, file.name);
  }

  /** A read-only file system refuses to remove even what was never made there. */
  #removeMade(path: string, name: string): void {
    const directory = this.#directories.at(path);
    try {
      directory.unlink(name);
    } catch (fault) {
      if (directory.facts(name) !== null) throw fault;
    }
  }
}

function removeIfEmpty(path: string, directories: OpenDirectories): void {
  directories.close(path);
  try {
    directories.at(directoryOf(path)).removeDirectory(nameOf(path));
  } catch {
    // Somebody put a file into it meanwhile: then it stays.
  }
}

/**
 * Makes staged files real: all of them or none (contract 7.5, O-23, O-24).
 *
 * Order of events, for more than one file:
 * 1. the journal is written and forced to the disk;
 * 2. missing directories are made, each new content is written to a hidden file beside its target and forced to the disk;
 * 3. every file is compared with what the call had read;
 * 4. each old file gets a second, hidden name, and the directories are forced to the disk;
 * 5. per file: compared again, then the new file is renamed onto the target; removals come last;
 * 6. the directories are forced to the disk, the second names and the journal are removed.
 *
 * One file needs no second name, because one rename is atomic by itself: its journal only lets the next start remove the
 * hidden file of a process that died, so it is not forced to the disk. Whatever fails before 6 is undone.
 */

import process from "node:process";
import { ToolError } from "../../base/tool_error.ts";
import { directoryOf, nameOf } from "../../base/tree_path.ts";
import { SystemError } from "../../platform/errno.ts";
import type { WriteDirectory, WriteTree } from "../../platform/write_tree.ts";
import { formatJournal } from "./journal.ts";
import { type Mutation, mutationsOf } from "./mutation.ts";
import { OpenDirectories, PARALLEL_STEPS } from "./open_directories.ts";
import type { Baseline, StagedFile } from "./staged_file.ts";
import type { StateDirectory } from "./state_directory.ts";
import { undoCommit, type UndoFailure } from "./undo_commit.ts";
import { isSameMoment, verifyFile } from "./verify_file.ts";
import { conflict, writeFault } from "./write_fault.ts";

/** Where a commit writes, and where it keeps its journal. */
export interface CommitPlace {
  readonly tree: WriteTree;
  readonly state: StateDirectory;
}

/** Commits the changed ones of `files` and verifies the others; returns warnings. Hold the write lock. */
export async function commitFiles(files: readonly StagedFile[], place: CommitPlace): Promise<string[]> {
  using directories = new OpenDirectories(place.tree);
  const commit = new Commit(files, { ...place, directories });
  await commit.run();
  return commit.warnings;
}

class Commit {
  readonly warnings: string[] = [];
  readonly #tree: WriteTree;
  readonly #state: StateDirectory;
  readonly #directories: OpenDirectories;
  readonly #mutations: Mutation[];
  readonly #unchanged: readonly StagedFile[];
  readonly #madeDirectories: string[] = [];
  /** The target of the step that is being done, for the error. */
  #current = ".";

  constructor(files: readonly StagedFile[], place: CommitPlace & { readonly directories: OpenDirectories }) {
    this.#tree = place.tree;
    this.#state = place.state;
    this.#directories = place.directories;
    this.#mutations = mutationsOf(files);
    this.#unchanged = files.filter((file) => !file.isChanged && file.baseline !== null);
  }

  async run(): Promise<void> {
    const isSingle = this.#mutations.length === 1;
    try {
      if (this.#mutations.length === 0) return await this.#verifyUnchanged();
      this.#writeJournal({ durable: !isSingle });
      this.#makeDirectories();
      await this.#writeTemps();
      await this.#verifyUnchanged();
      for (const mutation of this.#mutations) await this.#verify(mutation);
      if (!isSingle) await this.#backUp();
      await this.#install();
    } catch (fault) {
      await this.#undo(fault);
      throw fault instanceof SystemError ? writeFault(fault, this.#current) : fault;
    }
    await this.#settle({ isSingle });
  }

  #writeJournal(options: { readonly durable: boolean }): void {
    this.#current = this.#mutations[0]?.file.path ?? this.#current;
    // A lone removal leaves nothing behind that a later start would have to clean up.
    if (!options.durable && this.#mutations.every((mutation) => mutation.temp === null)) return;
    const journal = formatJournal({
      version: 1,
      root: this.#tree.root,
      pid: process.pid,
      directories: this.#missingDirectories(),
      entries: this.#mutations.map(({ file, temp, backup }) => ({
        path: file.path,
        before: file.baseline === null ? null : { revision: file.baseline.revision, mode: file.baseline.facts.mode },
        after: file.bytes === null ? null : { revision: file.revision, mode: file.nature.mode },
        temp,
        backup,
      })),
    });
    try {
      this.#state.writeJournal(journal, options);
    } catch (fault) {
      // For a lone file it only serves tidiness after a death: a full home must not stop work elsewhere.
      if (options.durable || !(fault instanceof SystemError)) throw fault;
    }
  }

  #missingDirectories(): string[] {
    const missing = new Set<string>();
    for (const { file } of this.#mutations) {
      if (file.bytes === null || file.baseline !== null) continue;
      const parts = file.directory === "." ? [] : file.directory.split("/");
      for (let count = 1; count <= parts.length; count++) {
        const path = parts.slice(0, count).join("/");
        if (!missing.has(path) && !this.#directories.exists(path)) missing.add(path);
      }
    }
    return [...missing];
  }

  #makeDirectories(): void {
    for (const path of this.#missingDirectories()) {
      this.#current = path;
      try {
        this.#directories.at(directoryOf(path)).makeDirectory(nameOf(path));
        this.#madeDirectories.push(path);
      } catch (fault) {
        // Somebody else made it meanwhile: then it is not ours to remove either.
        if (!(fault instanceof SystemError) || fault.errno !== "EEXIST") throw fault;
      }
    }
  }

  async #writeTemps(): Promise<void> {
    for (let at = 0; at < this.#mutations.length; at += PARALLEL_STEPS) {
      const batch = this.#mutations.slice(at, at + PARALLEL_STEPS);
      const outcomes = await Promise.allSettled(batch.map((mutation) => this.#writeTemp(mutation)));
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome.status === "fulfilled") continue;
        this.#current = batch[index]?.file.path ?? this.#current;
        throw outcome.reason;
      }
    }
  }

  async #writeTemp(mutation: Mutation): Promise<void> {
    const { file, temp } = mutation;
    const { bytes } = file;
    if (temp === null || bytes === null) return;
    this.#current = file.path;
    mutation.tempMade = true;
    const lost = await this.#directoryOf(file).create(temp, { bytes, ...file.nature });
    if (lost.length > 0) this.warnings.push(`${file.path}: could not be kept: ${lost.join(", ")}`);
  }

  async #verifyUnchanged(): Promise<void> {
    for (const file of this.#unchanged) {
      this.#current = file.path;
      await verifyFile(file, this.#directoryOf(file));
    }
  }

  async #verify(mutation: Mutation): Promise<void> {
    this.#current = mutation.file.path;
    mutation.verified = await verifyFile(mutation.file, this.#directoryOf(mutation.file));
  }

  async #backUp(): Promise<void> {
    for (const mutation of this.#mutations) {
      const { file, backup } = mutation;
      if (backup === null || file.baseline === null) continue;
      this.#current = file.path;
      mutation.backupMade = true;
      await this.#secondName(file, { name: backup, of: file.baseline });
      mutation.verified = this.#directoryOf(file).facts(file.name);
    }
    await this.#syncDirectories();
  }

  /** A link keeps the very file; where the file system has none, a copy does. */
  async #secondName(file: StagedFile, backup: { readonly name: string; readonly of: Baseline }): Promise<void> {
    const directory = this.#directoryOf(file);
    try {
      directory.link(file.name, backup.name);
    } catch (fault) {
      if (!(fault instanceof SystemError) || !NO_LINKS.has(fault.errno)) throw fault;
      const { bytes, facts, attributes } = backup.of;
      const { mode, uid, gid } = facts;
      await directory.create(backup.name, { bytes, mode, owner: { uid, gid }, attributes });
    }
  }

  async #install(): Promise<void> {
    const writesFirst = [...this.#mutations].sort((a, b) => Number(a.temp === null) - Number(b.temp === null));
    for (const mutation of writesFirst) {
      const { file, temp } = mutation;
      this.#current = file.path;
      const directory = this.#directoryOf(file);
      // Without system calls of our own, times are known to the millisecond only: then the content is compared again.
      if (!this.#tree.isRaceFree || !isSameMoment(directory.facts(file.name), mutation.verified)) {
        mutation.verified = await verifyFile(file, directory);
      }
      if (temp === null) directory.unlink(file.name);
      else this.#rename(directory, { from: temp, file });
      mutation.isInstalled = true;
    }
    // A lone file is in place now, and its old content is gone: what follows can no longer be undone.
    if (this.#mutations.length > 1) await this.#syncDirectories();
  }

  #rename(directory: WriteDirectory, what: { readonly from: string; readonly file: StagedFile }): void {
    const { from, file } = what;
    try {
      directory.rename(from, file.name, { mustBeNew: file.baseline === null });
    } catch (fault) {
      if (!(fault instanceof SystemError) || fault.errno !== "EEXIST") throw fault;
      throw conflict(file.path, "it was created by somebody else meanwhile");
    }
  }

  /** Everything is in place: makes it durable and removes what was only needed on the way. */
  async #settle(options: { readonly isSingle: boolean }): Promise<void> {
    try {
      if (options.isSingle) await this.#syncDirectories();
      for (const { file, backup } of this.#mutations) {
        if (backup !== null) this.#directoryOf(file).unlink(backup);
      }
      this.#state.clearJournal();
    } catch (fault) {
      // The change itself is complete; the journal, if it stays, lets the next write remove what is left.
      if (!(fault instanceof SystemError)) throw fault;
      this.warnings.push(
        `the change is complete, but a step after it failed: ${fault.step} ${fault.path}: ${fault.errno}`,
      );
    }
  }

  async #undo(cause: unknown): Promise<void> {
    const failure = await undoCommit({
      mutations: this.#mutations,
      madeDirectories: this.#madeDirectories,
      directories: this.#directories,
      state: this.#state,
    });
    if (failure.errors.length > 0) throw rollbackFailed(failure, { cause, path: this.#current });
  }

  async #syncDirectories(): Promise<void> {
    const paths = new Set(this.#mutations.map((mutation) => mutation.file.directory));
    for (const path of this.#madeDirectories) paths.add(directoryOf(path));
    await this.#directories.sync([...paths]);
  }

  #directoryOf(file: StagedFile): WriteDirectory {
    return this.#directories.at(file.directory);
  }
}

/** Answers of file systems without hard links, and of the kernel for files of others (proc(5), protected_hardlinks). */
const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "EXDEV", "EMLINK", "EOPNOTSUPP", "ENOSYS"]);

function rollbackFailed(
  failure: UndoFailure,
  commit: { readonly cause: unknown; readonly path: string },
): ToolError {
  const { cause, path } = commit;
  return new ToolError("PATCH_ROLLBACK_FAILED", `Cannot undo the change of ${path}: ${failure.errors.join("; ")}`, {
    details: {
      rollback_errors: failure.errors,
      recovery_backups: failure.backups,
      cause: cause instanceof Error ? cause.message : String(cause),
      retry_hint: "The next write or start of the server tries again to restore the old files; their backups are kept",
    },
    cause,
  });
}

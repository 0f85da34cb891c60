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

import { randomBytes } from "node:crypto";
import process from "node:process";
import { ToolError } from "../../base/tool_error.ts";
import { SystemError } from "../../platform/errno.ts";
import type { FileFacts } from "../../platform/file_facts.ts";
import type { WriteDirectory, WriteTree } from "../../platform/write_tree.ts";
import { formatJournal } from "./journal.ts";
import { sameBytes, type StagedFile } from "./staged_tree.ts";
import type { StateDirectory } from "./state_directory.ts";
import { conflict, writeFault } from "./write_fault.ts";

/** Commits the changed ones of `files` and verifies the others; returns warnings. Hold the write lock. */
export async function commitFiles(
  files: readonly StagedFile[],
  place: { readonly tree: WriteTree; readonly state: StateDirectory },
): Promise<string[]> {
  const commit = new Commit(files, place);
  try {
    await commit.run();
  } finally {
    commit.close();
  }
  return commit.warnings;
}

/** Files that are written at once; their fsyncs then share the journal commits of the file system. */
const PARALLEL_WRITES = 16;

interface Mutation {
  readonly file: StagedFile;
  readonly temp: string | null;
  readonly backup: string | null;
  /** How far it got; decides what is undone. */
  tempMade: boolean;
  backupMade: boolean;
  isInstalled: boolean;
  /** The old file as it was last compared. */
  verified: FileFacts | null;
}

class Commit {
  readonly warnings: string[] = [];
  readonly #tree: WriteTree;
  readonly #state: StateDirectory;
  readonly #mutations: Mutation[];
  readonly #unchanged: readonly StagedFile[];
  readonly #directories = new Map<string, WriteDirectory>();
  readonly #madeDirectories: string[] = [];
  /** The target of the step that is being done, for the error. */
  #current = ".";

  constructor(files: readonly StagedFile[], place: { readonly tree: WriteTree; readonly state: StateDirectory }) {
    this.#tree = place.tree;
    this.#state = place.state;
    const changed = files.filter((file) => file.isChanged);
    this.#unchanged = files.filter((file) => !file.isChanged && file.baseline !== null);
    const isSingle = changed.length === 1;
    this.#mutations = changed.map((file) => ({
      file,
      temp: file.exists ? hiddenName("patch") : null,
      backup: isSingle || file.baseline === null ? null : hiddenName("backup"),
      tempMade: false,
      backupMade: false,
      isInstalled: false,
      verified: null,
    }));
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

  close(): void {
    for (const directory of this.#directories.values()) directory.close();
  }

  #writeJournal(options: { readonly durable: boolean }): void {
    this.#current = (this.#mutations[0] as Mutation).file.path;
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
        if (!missing.has(path) && !this.#exists(path)) missing.add(path);
      }
    }
    return [...missing];
  }

  #exists(path: string): boolean {
    try {
      this.#directory(path);
      return true;
    } catch (fault) {
      if (fault instanceof SystemError && fault.errno === "ENOENT") return false;
      throw fault;
    }
  }

  #makeDirectories(): void {
    for (const path of this.#missingDirectories()) {
      this.#current = path;
      const [parent, name] = split(path);
      try {
        this.#directory(parent).makeDirectory(name);
        this.#madeDirectories.push(path);
      } catch (fault) {
        // Somebody else made it meanwhile: then it is not ours to remove either.
        if (!(fault instanceof SystemError) || fault.errno !== "EEXIST") throw fault;
      }
    }
  }

  async #writeTemps(): Promise<void> {
    const writes = this.#mutations.filter((mutation) => mutation.temp !== null);
    for (let at = 0; at < writes.length; at += PARALLEL_WRITES) {
      const batch = writes.slice(at, at + PARALLEL_WRITES);
      const outcomes = await Promise.allSettled(batch.map((mutation) => this.#writeTemp(mutation)));
      const failed = outcomes.findIndex((outcome) => outcome.status === "rejected");
      if (failed < 0) continue;
      this.#current = (batch[failed] as Mutation).file.path;
      throw (outcomes[failed] as PromiseRejectedResult).reason;
    }
  }

  async #writeTemp(mutation: Mutation): Promise<void> {
    const { file, temp } = mutation;
    const { mode, owner, attributes } = file.nature;
    mutation.tempMade = true;
    const bytes = file.bytes as Uint8Array<ArrayBuffer>;
    this.#current = file.path;
    const lost = await this.#directory(file.directory).create(temp as string, { bytes, mode, owner, attributes });
    if (lost.length > 0) this.warnings.push(`${file.path}: could not be kept: ${lost.join(", ")}`);
  }

  async #verifyUnchanged(): Promise<void> {
    for (const file of this.#unchanged) {
      this.#current = file.path;
      await this.#compare(file);
    }
  }

  async #verify(mutation: Mutation): Promise<void> {
    this.#current = mutation.file.path;
    mutation.verified = await this.#compare(mutation.file);
  }

  /** The file must be what the call had read; returns its facts, null where there was and is none. */
  async #compare(file: StagedFile): Promise<FileFacts | null> {
    const before = file.baseline;
    const directory = this.#directory(file.directory);
    const facts = directory.facts(file.name);
    if (before === null) {
      if (facts !== null) throw conflict(file.path, "it was created by somebody else meanwhile");
      return null;
    }
    if (facts === null) throw conflict(file.path, "it was removed by somebody else meanwhile");
    if (facts.kind !== "file") throw conflict(file.path, `it became a ${facts.kind} meanwhile`);
    if (facts.mode !== before.facts.mode) throw conflict(file.path, "its mode was changed by somebody else meanwhile");
    if (facts.size !== before.bytes.length) throw conflict(file.path, "it was changed by somebody else meanwhile");
    const read = await directory.read(file.name, { limitBytes: before.bytes.length });
    if (!sameBytes(read.bytes, before.bytes)) throw conflict(file.path, "it was changed by somebody else meanwhile");
    return read.facts;
  }

  async #backUp(): Promise<void> {
    for (const mutation of this.#mutations) {
      const { file, backup } = mutation;
      if (backup === null) continue;
      this.#current = file.path;
      mutation.backupMade = true;
      await this.#secondName(file, backup);
      mutation.verified = this.#directory(file.directory).facts(file.name);
    }
    await this.#syncDirectories();
  }

  /** A link keeps the very file; where the file system has none, a copy does. */
  async #secondName(file: StagedFile, backup: string): Promise<void> {
    const directory = this.#directory(file.directory);
    try {
      directory.link(file.name, backup);
    } catch (fault) {
      if (!(fault instanceof SystemError) || !NO_LINKS.has(fault.errno)) throw fault;
      const { mode, owner, attributes } = originalNature(file);
      await directory.create(backup, { bytes: baselineBytes(file), mode, owner, attributes });
    }
  }

  async #install(): Promise<void> {
    const writesFirst = [...this.#mutations].sort((a, b) => Number(a.temp === null) - Number(b.temp === null));
    for (const mutation of writesFirst) {
      const { file, temp } = mutation;
      this.#current = file.path;
      const directory = this.#directory(file.directory);
      // Without system calls of our own, times are known to the millisecond only: then the content is compared again.
      if (!this.#tree.isRaceFree || !isSameMoment(directory.facts(file.name), mutation.verified)) {
        mutation.verified = await this.#compare(file);
      }
      if (temp === null) {
        directory.unlink(file.name);
      } else {
        this.#rename(directory, { from: temp, file });
      }
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
        if (backup !== null) this.#directory(file.directory).unlink(backup);
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
    const errors: string[] = [];
    const backups: Record<string, string> = {};
    const attempt = (what: string, run: () => void): boolean => {
      try {
        run();
        return true;
      } catch (fault) {
        if (!(fault instanceof SystemError)) throw fault;
        if (fault.errno === "ENOENT") return true;
        errors.push(`${what}: ${fault.errno}`);
        return false;
      }
    };
    for (const mutation of this.#mutations) {
      const { file, temp, backup } = mutation;
      if (mutation.isInstalled) {
        const restored = attempt(`restore ${file.path}`, () => {
          if (backup === null) this.#directory(file.directory).unlink(file.name);
          else this.#directory(file.directory).rename(backup, file.name);
        });
        if (!restored && backup !== null) backups[file.path] = joined(file.directory, backup);
      } else if (mutation.backupMade && backup !== null) {
        attempt(`remove ${backup}`, () => this.#removeMade(file.directory, backup));
      }
      if (mutation.tempMade && !mutation.isInstalled && temp !== null) {
        attempt(`remove ${temp}`, () => this.#removeMade(file.directory, temp));
      }
    }
    for (const path of this.#madeDirectories.splice(0).reverse()) this.#removeIfEmpty(path);
    if (errors.length === 0 && this.#mutations.some((mutation) => mutation.isInstalled)) {
      await this.#sync(this.#existingDirectories()).catch((fault) => {
        if (!(fault instanceof SystemError)) throw fault;
        errors.push(`force to disk ${fault.path}: ${fault.errno}`);
      });
    }
    if (errors.length === 0) attempt("remove the journal", () => this.#state.clearJournal());
    if (errors.length > 0) throw rollbackFailed({ errors, backups, cause, path: this.#current });
  }

  /** A read-only file system refuses to remove even what was never made there. */
  #removeMade(directoryPath: string, name: string): void {
    const directory = this.#directory(directoryPath);
    try {
      directory.unlink(name);
    } catch (fault) {
      if (directory.facts(name) !== null) throw fault;
    }
  }

  #removeIfEmpty(path: string): void {
    const [parent, name] = split(path);
    this.#directories.get(path)?.close();
    this.#directories.delete(path);
    try {
      this.#directory(parent).removeDirectory(name);
    } catch {
      // Somebody put a file into it meanwhile: then it stays.
    }
  }

  /** Of the directories that were changed those that are still there. */
  #existingDirectories(): string[] {
    return [...new Set(this.#mutations.map((mutation) => mutation.file.directory))].filter((path) =>
      this.#exists(path)
    );
  }

  async #syncDirectories(): Promise<void> {
    const paths = new Set(this.#mutations.map((mutation) => mutation.file.directory));
    for (const path of this.#madeDirectories) paths.add(split(path)[0]);
    await this.#sync([...paths]);
  }

  /** Waits for all of a batch even if one fails, because their descriptors are closed after that. */
  async #sync(paths: readonly string[]): Promise<void> {
    for (let at = 0; at < paths.length; at += PARALLEL_WRITES) {
      const batch = paths.slice(at, at + PARALLEL_WRITES);
      const outcomes = await Promise.allSettled(batch.map(async (path) => await this.#directory(path).sync()));
      for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    }
  }

  #closeOldest(): void {
    const [path, directory] = this.#directories.entries().next().value as [string, WriteDirectory];
    directory.close();
    this.#directories.delete(path);
  }

  #directory(path: string): WriteDirectory {
    const directory = this.#directories.get(path) ?? this.#tree.openDirectory(path);
    // The latest used one is the last of the map.
    this.#directories.delete(path);
    this.#directories.set(path, directory);
    if (this.#directories.size > MAX_OPEN_DIRECTORIES) this.#closeOldest();
    return directory;
  }
}

/** Open at a time: far more than are in use at a time, and far less than the descriptors a process may have. */
const MAX_OPEN_DIRECTORIES = 4 * PARALLEL_WRITES;

/** Answers of file systems without hard links, and of the kernel for files of others (proc(5), protected_hardlinks). */
const NO_LINKS: ReadonlySet<string> = new Set(["EPERM", "EXDEV", "EMLINK", "EOPNOTSUPP", "ENOSYS"]);

/** Hidden, and not to be guessed by a command that would like to be there first. */
function hiddenName(kind: "patch" | "backup"): string {
  return `.vise-${kind}-${randomBytes(9).toString("base64url")}`;
}

function baselineBytes(file: StagedFile): Uint8Array<ArrayBuffer> {
  return file.baseline?.bytes ?? new Uint8Array();
}

function originalNature(file: StagedFile): StagedFile["nature"] {
  const before = file.baseline;
  if (before === null) return file.nature;
  const { mode, uid, gid } = before.facts;
  return { mode, owner: { uid, gid }, attributes: before.attributes };
}

/** True if nobody touched the file since: content changes move the change time, replacements the inode. */
function isSameMoment(a: FileFacts | null, b: FileFacts | null): boolean {
  if (a === null || b === null) return a === b;
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mode === b.mode && a.changedNs === b.changedNs;
}

function split(path: string): [string, string] {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? [".", path] : [path.slice(0, slash), path.slice(slash + 1)];
}

function joined(directory: string, name: string): string {
  return directory === "." ? name : `${directory}/${name}`;
}

function rollbackFailed(
  failure: {
    readonly errors: string[];
    readonly backups: Record<string, string>;
    readonly cause: unknown;
    readonly path: string;
  },
): ToolError {
  const cause = failure.cause instanceof Error ? failure.cause.message : String(failure.cause);
  return new ToolError(
    "PATCH_ROLLBACK_FAILED",
    `Cannot undo the change of ${failure.path}: ${failure.errors.join("; ")}`,
    {
      details: {
        rollback_errors: failure.errors,
        recovery_backups: failure.backups,
        cause,
        retry_hint:
          "The next write or start of the server tries again to restore the old files; their backups are kept",
      },
      cause: failure.cause,
    },
  );
}

/** Directories of a tree that are kept open while a commit works in them. */

import { SystemError } from "../../platform/errno.ts";
import type { WriteDirectory, WriteTree } from "../../platform/write_tree.ts";

/** Steps that run at once; their fsyncs then share the journal commits of the file system. */
export const PARALLEL_STEPS = 16;

/** Open at a time: far more than are in use at a time, and far less than the descriptors a process may have. */
const MAX_OPEN_DIRECTORIES = 4 * PARALLEL_STEPS;

/** Opens directories by path and keeps the latest used ones open; the owner closes it. */
export class OpenDirectories {
  readonly #tree: WriteTree;
  /** In the order of use, the latest last. */
  readonly #open = new Map<string, WriteDirectory>();

  constructor(tree: WriteTree) {
    this.#tree = tree;
  }

  /** The directory, valid until `MAX_OPEN_DIRECTORIES` others were asked for. @throws SystemError */
  at(path: string): WriteDirectory {
    const directory = this.#open.get(path) ?? this.#tree.openDirectory(path);
    this.#open.delete(path);
    this.#open.set(path, directory);
    if (this.#open.size > MAX_OPEN_DIRECTORIES) this.#closeOldest();
    return directory;
  }

  /** @throws SystemError when the directory is there and cannot be opened */
  exists(path: string): boolean {
    try {
      this.at(path);
      return true;
    } catch (fault) {
      if (fault instanceof SystemError && fault.errno === "ENOENT") return false;
      throw fault;
    }
  }

  /** Forces the entries of the directories to the disk. Waits for all of a batch, because they are closed after that. */
  async sync(paths: readonly string[]): Promise<void> {
    for (let from = 0; from < paths.length; from += PARALLEL_STEPS) {
      const batch = paths.slice(from, from + PARALLEL_STEPS);
      const outcomes = await Promise.allSettled(batch.map(async (path) => await this.at(path).sync()));
      for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    }
  }

  /** Closes one that is going to be removed. */
  close(path: string): void {
    this.#open.get(path)?.close();
    this.#open.delete(path);
  }

  /** Closes all. */
  [Symbol.dispose](): void {
    for (const path of [...this.#open.keys()]) this.close(path);
  }

  #closeOldest(): void {
    const [oldest] = this.#open.keys();
    if (oldest !== undefined) this.close(oldest);
  }
}

import type { DirectoryHandle, Tree } from "../../platform/tree.ts";

/** Keeps the directory of the last file open, since neighbours come together. */
export class LastDirectory implements Disposable {
  readonly #tree: Tree;
  #last: { path: string; handle: DirectoryHandle } | undefined;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** The handle of `path`, which stays open until another one is asked for. @throws SystemError when it cannot be opened */
  open(path: string): DirectoryHandle {
    if (this.#last?.path !== path) {
      this[Symbol.dispose]();
      this.#last = { path, handle: this.#tree.openDirectory(path) };
    }
    return this.#last.handle;
  }

  [Symbol.dispose](): void {
    this.#last?.handle.close();
    this.#last = undefined;
  }
}

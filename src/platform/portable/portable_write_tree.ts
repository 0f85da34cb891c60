/** The way to change files without FFI: `node:fs` by path. A parent swapped for a link at the right moment is not noticed. */

import {
  chmodSync,
  chownSync,
  closeSync,
  fchmodSync,
  fsync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { pathToPlainText } from "../../base/path_text.ts";
import { pathIn } from "../../base/tree_path.ts";
import { MissingPermission, missingPermission, SystemError } from "../errno.ts";
import type { FileFacts } from "../file_facts.ts";
import type { BeforeStep, NewFile, ReadFile, WriteDirectory, WriteStep, WriteTree } from "../write_tree.ts";
import { factsOfStats } from "./facts_of_stats.ts";

/** The tree at `root`, a canonical absolute path; nothing is opened before the first directory. */
export function openPortableWriteTree(root: string, beforeStep: BeforeStep): WriteTree {
  return {
    root,
    isRaceFree: false,
    openDirectory(path: string): WriteDirectory {
      beforeStep("open", path);
      const absolute = path === "." ? root : join(root, plain(path, "open"));
      return attempt("open", path, () => {
        // Security: without descriptors this comparison is all that keeps a swapped link from leading outside.
        if (realpathSync(absolute) !== absolute) throw new SystemError("ELOOP", "open", path);
        return new PortableWriteDirectory(path, absolute, beforeStep);
      });
    },
    close(): void {},
    [Symbol.dispose](): void {},
  };
}

class PortableWriteDirectory implements WriteDirectory {
  readonly path: string;
  readonly #absolute: string;
  readonly #beforeStep: BeforeStep;

  constructor(path: string, absolute: string, beforeStep: BeforeStep) {
    this.path = path;
    this.#absolute = absolute;
    this.#beforeStep = beforeStep;
  }

  facts(name: string): FileFacts | null {
    return attempt("stat", this.#full(name), () => {
      const stats = lstatSync(this.#at(name), { bigint: true, throwIfNoEntry: false });
      return stats === undefined ? null : factsOfStats(stats);
    });
  }

  // deno-lint-ignore require-await -- the interface is asynchronous for the other implementation.
  async read(name: string, options: { readonly limitBytes: number }): Promise<ReadFile> {
    const facts = this.facts(name);
    const path = this.#full(name);
    if (facts === null) throw new SystemError("ENOENT", "open", path);
    if (facts.kind !== "file") throw new SystemError("EINVAL", "open", path);
    if (facts.size > options.limitBytes) throw new SystemError("EFBIG", "open", path);
    const bytes = attempt("read", path, () => new Uint8Array(readFileSync(this.#at(name))));
    return { bytes, facts, attributes: [] };
  }

  async create(name: string, file: NewFile): Promise<readonly string[]> {
    const path = this.#full(name);
    const lost: string[] = [];
    const fd = this.#step("create", path, () => openSync(this.#at(name), "wx", 0o600));
    try {
      this.#step("write", path, () => {
        for (let at = 0; at < file.bytes.length;) at += writeSync(fd, file.bytes, at);
      });
      const owner = file.owner;
      const own = this.facts(name);
      if (owner !== null && own !== null && (own.uid !== owner.uid || own.gid !== owner.gid)) {
        this.#beforeStep("chown", path);
        try {
          chownSync(this.#at(name), owner.uid, owner.gid);
        } catch {
          // An ordinary user may not give files away; the result says that the owner changed.
          lost.push("owner");
        }
      }
      this.#step("chmod", path, () => {
        try {
          fchmodSync(fd, file.mode);
        } catch {
          // Deno versions without fchmod: by path.
          chmodSync(this.#at(name), file.mode);
        }
      });
      this.#beforeStep("fsync", path);
      await synced(fd, "fsync", path);
    } finally {
      closeSync(fd);
    }
    return lost;
  }

  link(name: string, second: string): void {
    this.#step("link", this.#full(second), () => linkSync(this.#at(name), this.#at(second)));
  }

  rename(from: string, to: string, options?: { readonly mustBeNew: boolean }): void {
    const path = this.#full(to);
    this.#step("rename", path, () => {
      if (options?.mustBeNew !== true) return renameSync(this.#at(from), this.#at(to));
      try {
        // A second name is refused where something exists, in one step; a rename is not.
        linkSync(this.#at(from), this.#at(to));
        unlinkSync(this.#at(from));
      } catch (fault) {
        const { code } = fault as { code?: string };
        if (code === "EEXIST" || this.facts(to) !== null) throw new SystemError("EEXIST", "rename", path);
        // A file system without links: the look just before has to do.
        renameSync(this.#at(from), this.#at(to));
      }
    });
  }

  unlink(name: string): void {
    this.#step("unlink", this.#full(name), () => unlinkSync(this.#at(name)));
  }

  makeDirectory(name: string): void {
    this.#step("mkdir", this.#full(name), () => mkdirSync(this.#at(name)));
  }

  removeDirectory(name: string): void {
    this.#step("rmdir", this.#full(name), () => rmdirSync(this.#at(name)));
  }

  async sync(): Promise<void> {
    this.#beforeStep("fsync_directory", this.path);
    const fd = attempt("fsync_directory", this.path, () => openSync(this.#absolute, "r"));
    try {
      await synced(fd, "fsync_directory", this.path);
    } finally {
      closeSync(fd);
    }
  }

  close(): void {}

  [Symbol.dispose](): void {}

  #step<T>(step: WriteStep, path: string, run: () => T): T {
    this.#beforeStep(step, path);
    return attempt(step, path, run);
  }

  #at(name: string): string {
    return join(this.#absolute, plain(name, "open"));
  }

  #full(name: string): string {
    return pathIn(this.path, name);
  }
}

function plain(path: string, step: string): string {
  const text = pathToPlainText(path);
  if (text === null) throw new SystemError("EILSEQ", step, path);
  return text;
}

function synced(fd: number, step: WriteStep, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(fd, (fault) => fault === null ? resolve() : reject(systemError(fault, step, path)));
  });
}

function attempt<T>(step: string, path: string, run: () => T): T {
  try {
    return run();
  } catch (fault) {
    throw systemError(fault, step, path);
  }
}

function systemError(fault: unknown, step: string, path: string): Error {
  if (fault instanceof SystemError) return fault;
  const permission = missingPermission(fault);
  if (permission !== null) return new MissingPermission(permission, step, path);
  const code = (fault as { code?: unknown } | null)?.code;
  return new SystemError(typeof code === "string" ? code : "EIO", step, path);
}

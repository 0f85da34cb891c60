/**
 * The private place of one workspace outside of it: the write lock and the journal (O-24).
 *
 * `$XDG_STATE_HOME/vise/<hash of the root>` with mode 0700 (default `~/.local/state`); without a usable home the runtime
 * parent, where a reboot may clear it.
 */

import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { ToolError } from "../../base/tool_error.ts";
import { missingPermission, SystemError } from "../../platform/errno.ts";
import { acquireFileLock, type FileLock } from "../../platform/file_lock.ts";
import type { BeforeStep, WriteStep } from "../../platform/write_tree.ts";
import { isFilled, type StatePlaceOptions, statePlaces } from "./state_places.ts";
import { permissionStates } from "../../platform/permission_states.ts";
import { ownUser } from "../../platform/own_user.ts";
import { writeFault } from "./write_fault.ts";

/** What the places are derived from. */
export interface StateOptions extends StatePlaceOptions {
  readonly beforeStep: BeforeStep;
}

/** Whoever writes holds its lock; at most one journal is in it. */
export class StateDirectory {
  /** Absolute. */
  readonly path: string;
  /** False when it lies in the runtime parent, which may not outlive a power loss. */
  readonly survivesReboot: boolean;
  readonly #beforeStep: BeforeStep;

  private constructor(path: string, survivesReboot: boolean, beforeStep: BeforeStep) {
    this.path = path;
    this.survivesReboot = survivesReboot;
    this.#beforeStep = beforeStep;
  }

  /** Finds or makes the directory. @throws ToolError RUNTIME_DIR_UNWRITABLE */
  static open(options: StateOptions): StateDirectory {
    const attempted: string[] = [];
    let missingFlags: readonly string[] = [];
    for (const { base, path, survivesReboot } of statePlaces(options)) {
      try {
        makePrivate(base);
        makePrivate(path);
        // A directory on a file system that is mounted read-only, or not granted to us, exists and is of no use.
        closeSync(openSync(join(path, "lock"), "a", 0o600));
        return new StateDirectory(path, survivesReboot, options.beforeStep);
      } catch (fault) {
        // The next place is tried; the error below names all of them.
        attempted.push(path);
        // One place is enough: the first is the best.
        if (missingPermission(fault) !== null && missingFlags.length === 0) missingFlags = flagsFor(base);
      }
    }
    const missing = missingFlags.length === 0 ? "" : `; the server was started without ${missingFlags.join(" ")}`;
    throw new ToolError(
      "RUNTIME_DIR_UNWRITABLE",
      `Cannot write: there is no place for the write lock and the journal, tried ${attempted.join(" and ")}${missing}`,
      {
        details: {
          attempted,
          ...(missing === "" ? {} : { missing_flags: missingFlags }),
          retry_hint: missing === ""
            ? "Set XDG_STATE_HOME to a directory that this user may write"
            : `Only whoever starts the server can add ${missingFlags.join(" ")}`,
        },
      },
    );
  }

  /** Waits for the write lock of the workspace; it ends with the process at the latest (flock(2)). */
  async lock(options: { readonly signal?: AbortSignal; readonly deadlineMs: number }): Promise<FileLock> {
    const lock = await this.#acquire(options);
    if (lock !== null) return lock;
    throw new ToolError("PATCH_CONFLICT", "Cannot write: another server is writing to this workspace", {
      details: { retry_hint: "Repeat the call in a moment", waited_ms: options.deadlineMs },
    });
  }

  async #acquire(options: { readonly signal?: AbortSignal; readonly deadlineMs: number }): Promise<FileLock | null> {
    const path = join(this.path, "lock");
    try {
      return await acquireFileLock(path, options);
    } catch (fault) {
      // Some network file systems have no locks (flock(2)). Writes of this process still wait for each other, and every
      // file is compared again right before it is replaced.
      if (fault instanceof SystemError && NO_LOCKS.has(fault.errno)) return { release: () => {} };
      throw writeFault(fault, path);
    }
  }

  hasJournal(): boolean {
    return isFilled(this.#journal);
  }

  /** Text of the journal; null when there is none. */
  readJournal(): string | null {
    try {
      return readFileSync(this.#journal, "utf8") || null;
    } catch (fault) {
      if ((fault as { code?: unknown }).code === "ENOENT") return null;
      throw fault;
    }
  }

  /** Writes the journal. With `durable` it is on the disk when this returns. */
  writeJournal(text: string, options: { readonly durable: boolean }): void {
    const isNew = !existsSync(this.#journal);
    const fd = this.#step("journal_write", () => openSync(this.#journal, "w", 0o600));
    try {
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      if (options.durable) this.#step("journal_fsync", () => fsyncSync(fd));
    } finally {
      closeSync(fd);
    }
    if (options.durable && isNew) this.#syncSelf();
  }

  /** Empties the journal. The file stays: making and removing one for each small change costs 1 ms more than that. */
  clearJournal(): void {
    this.#step("journal_remove", () => {
      if (this.hasJournal()) truncateSync(this.#journal, 0);
    });
  }

  /** Sets a journal aside that could not be settled, so that it stops nobody; returns where it is kept. */
  setJournalAside(): string {
    const aside = join(this.path, `journal.unsettled-${Date.now()}`);
    renameSync(this.#journal, aside);
    return aside;
  }

  get #journal(): string {
    return join(this.path, "journal");
  }

  #syncSelf(): void {
    const fd = openSync(this.path, "r");
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  #step<T>(step: WriteStep, run: () => T): T {
    this.#beforeStep(step, this.#journal);
    try {
      return run();
    } catch (fault) {
      const code = (fault as { code?: unknown }).code;
      throw new SystemError(typeof code === "string" ? code : "EIO", step, this.#journal);
    }
  }
}

const NO_LOCKS: ReadonlySet<string> = new Set(["ENOLCK", "EOPNOTSUPP", "ENOSYS", "EINVAL"]);

/** The flags that would let this process use `base`. */
function flagsFor(base: string): string[] {
  const states = permissionStates(base);
  return (["read", "write"] as const).filter((name) => states[name] === "denied").map((name) =>
    `--allow-${name}=${base}`
  );
}

/** Security: in a shared temporary directory another user may have made the directory, or a link of that name, first. */
function makePrivate(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const stats = lstatSync(path);
  const uid = ownUser()?.uid;
  if (!stats.isDirectory() || (uid !== undefined && stats.uid !== uid) || (stats.mode & 0o022) !== 0) {
    throw new SystemError("EACCES", "mkdir", path);
  }
}

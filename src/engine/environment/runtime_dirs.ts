/**
 * The private directories of this server's commands (contract 4.9, O-36):
 *
 *     <parent>/<workspace-hash>/<instance-id>/{home,tmp,cache}   writable by commands
 *     <parent>/<workspace-hash>/<instance-id>.owner              who may still be alive
 *     <parent>/<workspace-hash>/<instance-id>.gitconfig          readable by commands
 *
 * Nothing exists before the first command or git call; everything is removed when the server ends.
 */

import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { randomId } from "../../base/random_id.ts";
import { ToolError } from "../../base/tool_error.ts";
import { removeTree } from "./remove_tree.ts";
import { ownOwnerRecord, removeStaleInstances, staleSideFiles } from "./stale_instances.ts";
import { chooseParent, errorCode, type ParentOptions, problemWith, runtimeParents } from "./runtime_parents.ts";

/** Bits of an instance id: nobody can guess the next one (contract 4.9). */
const INSTANCE_BITS = 96;

/** Absolute paths; each directory has mode 0700. */
export interface RuntimePaths {
  /** Directory of this server run; the commands' only writable place outside the workspace. */
  readonly instance: string;
  readonly home: string;
  readonly tmp: string;
  readonly cache: string;
}

/** What the places are derived from. */
export interface RuntimeDirsOptions extends ParentOptions {
  /** Kept cache (`--cache-dir`); null: inside the instance. */
  readonly cacheDir: string | null;
}

/** Makes the directories when a command first needs them and removes them at the end. */
export class RuntimeDirs {
  readonly #options: RuntimeDirsOptions;
  readonly #instanceId = randomId(INSTANCE_BITS);
  #parent: string | undefined;
  #paths: RuntimePaths | undefined;
  #created = false;
  #closed = false;
  #cleaning: Promise<number> = Promise.resolve(0);
  /** Whether the parent was made for this run alone. */
  #parentIsFresh = false;

  constructor(options: RuntimeDirsOptions) {
    this.#options = options;
  }

  /** Where everything is or will be; creates nothing. @throws ToolError INVALID_ARGUMENT for a runtime root inside the workspace */
  get paths(): RuntimePaths {
    if (this.#paths !== undefined) return this.#paths;
    const instance = join(this.#group, this.#instanceId);
    return this.#paths = {
      instance,
      home: join(instance, "home"),
      tmp: join(instance, "tmp"),
      cache: this.#cache(instance),
    };
  }

  /** Places outside the workspace that commands may write: the instance and a kept cache. */
  get writableRoots(): readonly string[] {
    const { instance, cache } = this.paths;
    return this.#options.cacheDir === null ? [instance] : [instance, cache];
  }

  /** True when the cache outlives the server. */
  get cacheIsKept(): boolean {
    return this.#options.cacheDir !== null;
  }

  /** A file beside the instance that commands may read at most, such as the generated git configuration. */
  sidePath(suffix: string): string {
    return join(this.#group, `${this.#instanceId}.${suffix}`);
  }

  /** Files of this suffix that ended servers of this user left beside their instances, of any workspace. */
  staleSideFiles(suffix: string): string[] {
    return staleSideFiles(this.#chosenParent(), suffix);
  }

  /** Whether `absolute`, already without `..`, lies in a writable root. */
  holds(absolute: string): boolean {
    return this.writableRoots.some((root) => absolute === root || absolute.startsWith(root + "/"));
  }

  /** Creates the tree on the first call, and later what a command removed of it. @throws ToolError RUNTIME_DIR_UNWRITABLE */
  ensure(): RuntimePaths {
    if (this.#closed) {
      throw new ToolError("COMMAND_CLOSED", "Cannot start: the server is shutting down", {
        details: { reason: "shutting_down" },
      });
    }
    if (this.#created) this.#mend();
    else this.#create();
    return this.paths;
  }

  /** Settles when what ended servers left is gone; it is removed beside the first commands. */
  get cleaned(): Promise<number> {
    return this.#cleaning;
  }

  /** Settles as `cleaned` does, or after `waitMs`. */
  async cleanedWithin(waitMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await Promise.race([this.#cleaning, new Promise((resolve) => timer = setTimeout(resolve, waitMs))]);
    clearTimeout(timer);
  }

  /** Removes what ended servers left once more, after their processes were ended: until then their directories stay. */
  cleanAgain(): void {
    this.#cleaning = this.#cleaning.then((first) =>
      removeStaleInstances(this.#chosenParent(), this.#instanceId).then((later) => first + later)
    );
  }

  /** Removes the tree; a kept cache stays. Later calls of `ensure` fail. */
  close(): void {
    this.#closed = true;
    if (!this.#created) return;
    this.#created = false;
    removeTree(this.paths.instance);
    for (const suffix of ["owner", "gitconfig", "gitexcludes"]) rmSync(this.sidePath(suffix), { force: true });
    try {
      rmdirSync(this.#group);
      // Security: the well-known parent stays, so that nobody else can take its name between two servers.
      if (this.#parentIsFresh) rmdirSync(this.#chosenParent());
    } catch {
      // Another server works on the same workspace: the directory is its as well.
    }
  }

  get #group(): string {
    return join(this.#chosenParent(), workspaceHash(this.#options.root));
  }

  #cache(instance: string): string {
    const { cacheDir, root } = this.#options;
    return cacheDir === null ? join(instance, "cache") : join(cacheDir, workspaceHash(root));
  }

  /** Asked for before anything is made, so that what is reported then is what commands get later. The parent is chosen once: a later failure is reported, never answered by moving (contract 4.9). */
  #chosenParent(): string {
    return this.#parent ??= chooseParent(this.#options);
  }

  #create(): void {
    const attempted: { path: string; reason: string }[] = [];
    const parent = this.#chosenParent();
    const others = runtimeParents(this.#options).filter((path) => path !== parent);
    for (const candidate of [parent, ...others]) {
      const reason = this.#tryParent(candidate);
      if (reason === null) return this.#populate();
      attempted.push({ path: candidate, reason });
    }
    if (this.#options.runtimeRoot === null) {
      // Security: somebody else may have taken the well-known name; a fresh private directory is then as good.
      const temp = dirname(parent);
      try {
        this.#parent = mkdtempSync(join(temp, "vise-"));
        this.#parentIsFresh = true;
        return this.#populate();
      } catch (fault) {
        attempted.push({ path: `${temp}/vise-XXXXXX`, reason: errorCode(fault) });
      }
    }
    throw unwritable(attempted);
  }

  /** A cleanup such as `rm -r "$TMPDIR"` must not take the directory from every later command. */
  #mend(): void {
    const { home, tmp, cache } = this.paths;
    for (const path of [home, tmp, cache]) {
      try {
        const found = lstatSync(path, { throwIfNoEntry: false });
        if (found?.isDirectory()) continue;
        // Security: neither call follows a link that a command put there.
        if (found !== undefined) unlinkSync(path);
        mkdirSync(path, { recursive: true, mode: 0o700 });
      } catch (fault) {
        throw unwritable([{ path, reason: errorCode(fault) }]);
      }
    }
  }

  /** Null when `parent` exists, is private and belongs to this user. */
  #tryParent(parent: string): string | null {
    try {
      mkdirSync(parent, { recursive: true, mode: 0o700 });
    } catch (fault) {
      return errorCode(fault);
    }
    const problem = problemWith(parent, this.#options.uid);
    if (problem === null) this.#parent = parent;
    return problem;
  }

  #populate(): void {
    mkdirSync(this.#group, { recursive: true, mode: 0o700 });
    // The record comes first, so that another server never takes a young instance for a forgotten one.
    writeFileSync(this.sidePath("owner"), ownOwnerRecord(), { mode: 0o600 });
    const { instance, home, tmp, cache } = this.paths;
    for (const path of [instance, home, tmp]) mkdirSync(path, { mode: 0o700 });
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    this.#created = true;
    this.#cleaning = removeStaleInstances(this.#chosenParent(), this.#instanceId);
  }
}

function unwritable(attempted: readonly { path: string; reason: string }[]): ToolError {
  return new ToolError(
    "RUNTIME_DIR_UNWRITABLE",
    `Cannot create runtime directories: ${attempted.map(({ path, reason }) => `${path} (${reason})`).join(", ")}`,
    {
      details: {
        attempted: attempted.map(({ path }) => path),
        reasons: attempted.map(({ reason }) => reason),
        retry_hint: "Start the server with VISE_RUNTIME_ROOT naming a writable directory outside the workspace.",
      },
    },
  );
}

/** First 16 hexadecimal digits of SHA-256 of the canonical root (contract 4.9). */
function workspaceHash(root: string): string {
  return createHash("sha256").update(root).digest("hex").slice(0, 16);
}

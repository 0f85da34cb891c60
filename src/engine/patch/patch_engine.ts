/** The patch engine: stages a call in memory, then commits it under the write lock of the workspace. */

import { mkdirSync } from "node:fs";
import { ToolError } from "../../base/tool_error.ts";
import type { Config } from "../../config/config.ts";
import { type BeforeStep, openWriteTree, type WriteTree } from "../../platform/write_tree.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { type ChangeReport, diffOf } from "./change_report.ts";
import { commitFiles } from "./commit_files.ts";
import { Idempotency } from "./idempotency.ts";
import type { ChangeRequest } from "./change_request.ts";
import { planChanges } from "./plan_changes.ts";
import { planPatch } from "./plan_patch.ts";
import { recoverJournal } from "./recover_journal.ts";
import type { Baseline } from "./staged_file.ts";
import { StagedTree } from "./staged_tree.ts";
import { StateDirectory } from "./state_directory.ts";

/** The workspace and the place of the journal. */
export interface PatchEngineOptions {
  readonly workspace: Workspace;
  readonly config: Pick<Config, "runtimeRoot" | "environment">;
  /** Takes a line for people when a commit of a dead process was settled. */
  readonly log?: (line: string) => void;
  /** The way to write instead of the platform's own. */
  readonly openTree?: typeof openWriteTree;
  /** Announced before every step that can fail: where tests inject faults. */
  readonly beforeStep?: BeforeStep;
}

/** A file as it was before this process first changed it. */
export interface FirstBaseline {
  /** Null when it did not exist. */
  readonly bytes: Uint8Array | null;
}

/** What `applyPatch` and `applyChanges` need besides their content. */
export interface ApplyOptions {
  readonly dryRun: boolean;
  readonly signal?: AbortSignal;
}

type Plan = Omit<ChangeReport, "isDryRun" | "diff">;

/** One per run; writes of one run, and of all servers on one workspace, follow each other. */
export class PatchEngine {
  /** Replays of calls with an `idempotency_key` (contract 1.8). */
  readonly idempotency = new Idempotency();
  readonly #workspace: Workspace;
  readonly #config: PatchEngineOptions["config"];
  readonly #beforeStep: BeforeStep;
  readonly #log: (line: string) => void;
  readonly #makeTree: typeof openWriteTree;
  readonly #baselines = new Map<string, FirstBaseline>();
  #baselineBytes = 0;
  #state: StateDirectory | null = null;
  /** Ends when the writes before it are done: one write at a time in this process. */
  #queue: Promise<unknown> = Promise.resolve();
  /** What recovery had to say, until a result has carried it. */
  #pendingMessages: string[] = [];

  constructor(options: PatchEngineOptions) {
    this.#workspace = options.workspace;
    this.#config = options.config;
    this.#beforeStep = options.beforeStep ?? (() => {});
    this.#log = options.log ?? (() => {});
    this.#makeTree = options.openTree ?? openWriteTree;
  }

  /** Applies a patch envelope (contract 7). @throws ToolError with the codes of contract 3.7 */
  applyPatch(patch: string, options: ApplyOptions): Promise<ChangeReport> {
    return this.#apply((staged) => planPatch(patch, staged), options);
  }

  /** Applies line-addressed changes (contract 8). @throws ToolError with the codes of contract 3.8 */
  applyChanges(changes: readonly ChangeRequest[], options: ApplyOptions): Promise<ChangeReport> {
    return this.#apply((staged) => planChanges(changes, staged), options);
  }

  /** Content of every path before this process first changed it (contract 3.15), by path relative to the root. */
  baselines(): ReadonlyMap<string, FirstBaseline> {
    return this.#baselines;
  }

  /**
   * Finishes or undoes a commit that a dead process left (O-24); to be called once at start. Returns what to note for
   * the next result. Hardly waits: a journal whose owner lives is none of ours.
   */
  async recoverJournal(): Promise<readonly string[]> {
    const state = this.#openState();
    if (!state.hasJournal()) return [];
    return await this.#exclusive(async () => {
      try {
        await this.#underLock({ deadlineMs: START_WAIT_MS }, () => Promise.resolve());
      } catch (fault) {
        // A living server holds the lock, so the journal is its own.
        if (!(fault instanceof ToolError) || fault.code !== "PATCH_CONFLICT") throw fault;
      }
      return this.#takeMessages();
    });
  }

  /** False when the journal lies where a power loss may take it (no usable home directory); for `doctor`. */
  survivesPowerLoss(): boolean {
    return this.#openState().survivesReboot;
  }

  async #apply(plan: (staged: StagedTree) => Promise<Plan>, options: ApplyOptions): Promise<ChangeReport> {
    if (options.dryRun) {
      using tree = this.#openTree();
      const staged = this.#stage(tree);
      const planned = await plan(staged);
      return { ...planned, isDryRun: true, diff: await diffOf(staged.files(), staged.pacer) };
    }
    return await this.#exclusive(() =>
      this.#underLock(
        { deadlineMs: LOCK_WAIT_MS, ...(options.signal === undefined ? {} : { signal: options.signal }) },
        async (place) => {
          options.signal?.throwIfAborted();
          const staged = this.#stage(place.tree);
          const planned = await plan(staged);
          options.signal?.throwIfAborted();
          const warnings = await commitFiles(staged.files(), place);
          if (staged.files().some((file) => file.isChanged)) this.#landed(staged);
          return { ...planned, isDryRun: false, warnings: [...this.#takeMessages(), ...planned.warnings, ...warnings] };
        },
      )
    );
  }

  async #underLock<T>(
    wait: { readonly deadlineMs: number; readonly signal?: AbortSignal },
    run: (place: { tree: WriteTree; state: StateDirectory }) => Promise<T>,
  ): Promise<T> {
    const state = this.#openState();
    const lock = await state.lock(wait);
    try {
      using tree = this.#openTree();
      if (state.hasJournal()) {
        const messages = await recoverJournal({ tree, state });
        for (const message of messages) this.#log(message);
        this.#pendingMessages.push(...messages);
      }
      return await run({ tree, state });
    } finally {
      lock.release();
    }
  }

  #exclusive<T>(run: () => Promise<T>): Promise<T> {
    const mine = this.#queue.then(run);
    this.#queue = mine.catch(() => {
      // The caller of that write hears of it; the next one must go on.
    });
    return mine;
  }

  #landed(staged: StagedTree): void {
    for (const file of staged.files()) if (file.isChanged) this.#remember(file.path, file.baseline);
  }

  #remember(path: string, baseline: Baseline | null): void {
    if (this.#baselines.has(path)) return;
    const size = baseline?.bytes.length ?? 0;
    if (this.#baselineBytes + size > MAX_BASELINE_BYTES) return;
    this.#baselineBytes += size;
    this.#baselines.set(path, { bytes: baseline?.bytes ?? null });
  }

  #takeMessages(): string[] {
    const messages = this.#pendingMessages;
    this.#pendingMessages = [];
    return messages;
  }

  #stage(tree: WriteTree): StagedTree {
    return new StagedTree({ workspace: this.#workspace, tree });
  }

  #openTree(): WriteTree {
    return this.#makeTree(this.#workspace.root, { beforeStep: this.#beforeStep });
  }

  #openState(): StateDirectory {
    // Somebody may have cleared the directory meanwhile; it is made again with the same mode.
    if (this.#state !== null) mkdirSync(this.#state.path, { recursive: true, mode: 0o700 });
    this.#state ??= StateDirectory.open({
      root: this.#workspace.root,
      environment: this.#config.environment,
      runtimeRoot: this.#config.runtimeRoot,
      beforeStep: this.#beforeStep,
    });
    return this.#state;
  }
}

/** How long a write waits for another server's write; the largest commits take a few seconds. */
const LOCK_WAIT_MS = 30_000;
/**
 * At start nobody waits for the commit of a living server. The moment that is waited covers descriptors of a dead one that
 * a process just being started still holds between fork(2) and execve(2), and with them the lock.
 */
const START_WAIT_MS = 1_000;
/** First baselines that are kept for the diff outside of git: bounds memory, later files are left out. */
const MAX_BASELINE_BYTES = 64 * 1024 * 1024;

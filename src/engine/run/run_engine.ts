/** Runs the commands of clients: start, input, output, end. One per workspace; every admitted client may use every command by its id (contract 4.1). */

import { setTimeout as sleep } from "node:timers/promises";
import { randomId } from "../../base/random_id.ts";
import { encodeUtf8 } from "../../base/utf8.ts";
import type { Limits } from "../../config/config.ts";
import type { ChildHost } from "../../platform/child.ts";
import type { Command, EndCause } from "./command.ts";
import { type CommandReport, reportOn, stateOf } from "./command_report.ts";
import { checkInput } from "./command_input.ts";
import { CommandTable } from "./command_table.ts";
import { ProcessRecord } from "./process_record.ts";
import { ProcessTree } from "./process_tree.ts";
import { reportProgress } from "./report_progress.ts";
import type { KillReport, KillRequest, PollRequest, StartRequest } from "./run_request.ts";
import { shuttingDown, startCommand } from "./start_command.ts";
import type { CommandSummary } from "../server_facts.ts";
import type { CommandSurroundings } from "./surroundings.ts";
import { terminate, type TerminationResult } from "./terminate.ts";
import { TreeWatch } from "./tree_watch.ts";

/** Twice the drain after an exit (contract 4.2). */
const LAST_OUTPUT_MS = 400;
/** Grace of the deadline and of the server's end between SIGTERM and SIGKILL (contract 4.7). */
const GRACE_MS = 1_000;
/** Nothing survives SIGKILL for longer, except in an uninterruptible wait. */
const KILL_WAIT_MS = 2_000;
/** Output counts as paused after this silence; an interactive program then waits for input. */
const QUIET_MS = 50;
/** Longest that a poll collects after the first new output (O-40). */
const COLLECT_MS = 250;
/** With the 128 random bits that follow, no id can be guessed. */
const ID_PREFIX_BITS = 48;

/** What the commands of a run start with. */
export interface RunEngineOptions {
  readonly host: ChildHost;
  readonly surroundings: CommandSurroundings;
  readonly limits: Limits;
}

/** Owns every command of the run; shutting down ends them all. */
export class RunEngine {
  readonly host: ChildHost;
  readonly surroundings: CommandSurroundings;
  readonly #limits: Limits;
  readonly #table: CommandTable;
  readonly #tree: ProcessTree | null;
  readonly #watch: TreeWatch | null;
  readonly #deadlines = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #terminations = new Map<string, Promise<TerminationResult>>();
  /** Begins every command id of this server. */
  readonly #idPrefix = randomId(ID_PREFIX_BITS);
  #processRecord: ProcessRecord | null = null;
  #recordFailed = false;
  #closing = false;

  constructor({ host, surroundings, limits }: RunEngineOptions) {
    this.host = host;
    this.surroundings = surroundings;
    this.#limits = limits;
    this.#table = new CommandTable(limits, (command) => this.#dropped(command));
    this.#tree = host.processes === null ? null : new ProcessTree(host.processes);
    this.#watch = this.#tree === null ? null : new TreeWatch(this.#tree, {
      limits,
      onLimit: (command, limit) => void this.#end(command, { kind: "limit", limit }, { signal: "SIGKILL" }),
      onLook: (members) => this.#record()?.note([...members, ...this.#tree?.unowned() ?? []]),
    });
  }

  /** Starts a command and waits for its end, at most `yieldMs`. */
  async exec(request: StartRequest): Promise<CommandReport> {
    this.#table.prune(performance.now());
    const command = await this.#start(request);
    const kill = (): void => void this.#end(command, { kind: "cancelled" }, { signal: "SIGKILL" });
    request.onStarted?.(kill);
    const stopProgress = reportProgress(command, request.progress);
    await command.waitForEnd(request.yieldMs, request.signal);
    stopProgress();
    if (request.signal.aborted) kill();
    return this.#report(command, request.maxOutputBytes);
  }

  /** Gives input to a command and waits for what it answers, or only looks at it. */
  async poll(request: PollRequest): Promise<CommandReport & { stdinWrittenBytes: number | null }> {
    this.#table.prune(performance.now());
    const command = this.#table.get(request.id);
    const writes = request.chars !== "";
    const before = command.child.stdinWrittenBytes;
    if (writes) {
      checkInput(command, request.chars);
      command.child.write(encodeUtf8(request.chars));
    }
    if (request.closeStdin && !command.finished) command.child.closeStdin();
    const stopProgress = reportProgress(command, request.progress);
    const { signal } = request;
    await command.waitForNews(request.yieldMs, { quietMs: QUIET_MS, collectMs: COLLECT_MS, signal });
    stopProgress();
    const waiting = command.child.stdinQueuedBytes;
    if (writes && waiting > 0) {
      command.pendingWarnings.push(`${waiting} bytes of input wait until the command reads them.`);
    }
    const stdinWrittenBytes = writes ? command.child.stdinWrittenBytes - before : null;
    return { ...this.#report(command, request.maxOutputBytes), stdinWrittenBytes };
  }

  /** Ends a command with everything it started. Two calls at once get the same answer. */
  async kill(request: KillRequest): Promise<KillReport> {
    this.#table.prune(performance.now());
    const command = this.#table.get(request.id);
    const wasFinished = command.finished;
    const signal = `SIG${request.signal}`;
    if (wasFinished && command.leftProcesses === 0 && !command.outputHeld) {
      const report = this.#report(command, request.maxOutputBytes);
      return { ...report, killStatus: "exited", signalSent: null, descendantsEnded: 0 };
    }
    const cause: EndCause = { kind: "killed", signal };
    const { waitMs, killWaitMs } = request;
    const result = await this.#end(command, cause, { signal, waitMs, killWaitMs });
    if (wasFinished) command.leftProcesses = result.gone ? 0 : command.leftProcesses;
    if (result.gone) await command.waitForEnd(KILL_WAIT_MS);
    const report = this.#report(command, request.maxOutputBytes);
    return {
      ...report,
      ...(wasFinished ? { killStatus: "exited", signalSent: null } : {
        killStatus: killStatusOf(result),
        signalSent: result.killed ? "SIGKILL" : signal,
      }),
      descendantsEnded: result.descendants,
    };
  }

  /** Most bytes that are kept of one stream. */
  get streamBudgetBytes(): number {
    return this.#limits.streamBufferBytes;
  }

  /** A command by its id, for reading its output. @throws ToolError `COMMAND_NOT_FOUND` */
  find(id: string): Command {
    this.#table.prune(performance.now());
    return this.#table.get(id);
  }

  /** Every command that is kept, oldest first, never with its text (O-41). */
  summaries(): CommandSummary[] {
    const now = performance.now();
    return this.#table.all().map((command) => ({
      command_id: command.id,
      age_seconds: Math.round((now - command.startedAtMs) / 1000),
      status: stateOf(command).status,
    }));
  }

  /** Ends every command and every orphan; no command can start any more. Safe to call twice. */
  async shutDown(): Promise<void> {
    this.#closing = true;
    const ending = this.#table.all()
      .filter((command) => !command.finished || command.leftProcesses > 0 || command.outputHeld)
      .map((command) => this.#endSoon(command));
    await Promise.all(ending);
    // The end of a process is seen before the last bytes of its pipes; calls that wait for it still get them.
    await Promise.all(this.#table.all().map((command) => command.exit === null || command.waitForEnd(LAST_OUTPUT_MS)));
    this.#watch?.stop();
    this.#tree?.adopt();
    this.#tree?.signalAll(this.#tree.unowned(), "SIGKILL");
    for (const timer of this.#deadlines.values()) clearTimeout(timer);
    for (const command of this.#table.all()) command.release();
    this.#tree?.adopt();
    this.#processRecord?.remove();
  }

  async #start(request: StartRequest): Promise<Command> {
    if (this.#closing) throw shuttingDown();
    const command = await startCommand(request, {
      host: this.host,
      surroundings: this.surroundings,
      table: this.#table,
      streamBudgetBytes: this.#limits.streamBufferBytes,
      idPrefix: this.#idPrefix,
      isClosing: () => this.#closing,
      onFailed: (failed) => void this.#abandon(failed),
      onSpawned: (spawned) => {
        this.#record();
        this.#tree?.follow(spawned.id, spawned.child.pid);
        this.#watch?.add(spawned);
      },
      onExit: (ended) => this.#exited(ended),
    });
    if (command.exit === null) {
      const end = (): void => void this.#end(command, { kind: "deadline" }, { signal: "SIGTERM" });
      this.#deadlines.set(command.id, setTimeout(end, request.deadlineMs));
    }
    return command;
  }

  #exited(command: Command): void {
    clearTimeout(this.#deadlines.get(command.id));
    this.#deadlines.delete(command.id);
    this.#tree?.ended(command.id);
    command.leftProcesses = this.#tree?.sample(command.id).length ?? 0;
  }

  /** Made with the first command. Without it only a `kill -9` of the server leaves something behind, so a full disk stops nothing. */
  #record(): ProcessRecord | null {
    if (this.#processRecord !== null || this.#recordFailed) return this.#processRecord;
    const path = this.surroundings.recordPath();
    if (path === null) return null;
    try {
      return this.#processRecord = new ProcessRecord(path, this.#idPrefix);
    } catch {
      this.#recordFailed = true;
      return null;
    }
  }

  #dropped(command: Command): void {
    command.release();
    this.#tree?.forget(command.id);
  }

  /** A process that never became its program ends by itself; until then nothing of it may be given back. */
  async #abandon(command: Command): Promise<void> {
    this.#table.remove(command);
    if (!await command.waitForEnd(KILL_WAIT_MS)) await this.#end(command, { kind: "cancelled" }, { signal: "SIGKILL" });
    this.#dropped(command);
  }

  /** The server's end waits for no kill that leaves a command more time than the server has. */
  async #endSoon(command: Command): Promise<void> {
    const cause: EndCause = { kind: "killed", signal: "SIGTERM" };
    const running = this.#terminations.get(command.id);
    if (running === undefined) return void await this.#end(command, cause, { signal: "SIGTERM" });
    const isOver = await Promise.race([running.then(() => true), sleep(GRACE_MS, false)]);
    if (!isOver) await this.#end(command, cause, { signal: "SIGKILL" });
  }

  #end(
    command: Command,
    cause: EndCause,
    how: { signal: string; waitMs?: number; killWaitMs?: number },
  ): Promise<TerminationResult> {
    const { signal, waitMs = signal === "SIGKILL" ? 0 : GRACE_MS, killWaitMs = KILL_WAIT_MS } = how;
    const running = this.#terminations.get(command.id);
    if (running !== undefined && (signal !== "SIGKILL" || command.insisted)) return running;
    if (!command.finished && command.exit === null) command.endCause ??= cause;
    const termination = terminate(command, this.#tree, { signal, waitMs, killWaitMs }).finally(() => {
      if (this.#terminations.get(command.id) === termination) this.#terminations.delete(command.id);
    });
    this.#terminations.set(command.id, termination);
    return termination;
  }

  #report(command: Command, maxOutputBytes: number): CommandReport {
    if (command.finished && command.reportedAtMs === null) {
      command.pendingWarnings.push(...command.prepared.afterwards?.() ?? []);
    }
    const report = reportOn(command, maxOutputBytes);
    const diagnostics = this.surroundings.diagnose({
      stdout: report.stdout.text,
      stderr: report.stderr.text,
      exit: command.finished ? command.exit : null,
      timedOut: report.timedOut,
      truncated: report.stdout.hiddenBytes + report.stderr.hiddenBytes > 0,
      sandbox: report.sandbox,
    });
    return { ...report, diagnostics };
  }
}

function killStatusOf({ gone, killed }: TerminationResult): KillReport["killStatus"] {
  if (!gone) return "terminating";
  return killed ? "killed" : "terminated";
}

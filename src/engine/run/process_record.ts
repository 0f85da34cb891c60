/**
 * What a server writes down about the processes of its commands, so that the next one can end them if it is killed
 * (O-37):
 *
 *     <prefix of every command id of this server>\n
 *     <pid> <start ticks>\n …
 *
 * Most are found by the marker in their environment; the lines are for those that cleared it.
 */

import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { ProcessIdentity } from "../../platform/process_table.ts";

/** Suffix of the file beside the runtime directories of an instance. */
export const PROCESS_RECORD_SUFFIX = "processes";

/** Lines after which ended processes are thrown out by writing the file anew. */
const MAX_LINES = 4_096;

/** What an earlier server wrote down. */
export interface RecordedProcesses {
  /** Every command id of the dead server begins with this. */
  readonly idPrefix: string;
  readonly processes: readonly ProcessIdentity[];
}

/** Append-only; it is removed when the server ends in order. */
export class ProcessRecord {
  readonly #path: string;
  readonly #idPrefix: string;
  #lines = 0;
  readonly #written = new Set<string>();

  /** Creates the file with mode 0600. @throws whatever `node:fs` throws */
  constructor(path: string, idPrefix: string) {
    this.#path = path;
    this.#idPrefix = idPrefix;
    this.#start();
  }

  /** Writes down the processes that are not yet. Where the disk is full only the mark in their environment is left to find them. */
  note(processes: readonly ProcessIdentity[]): void {
    try {
      this.#append(processes);
    } catch {
      // The command itself must not be held up by a record that matters only after a kill -9.
    }
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }

  #append(processes: readonly ProcessIdentity[]): void {
    if (this.#lines > MAX_LINES) this.#start();
    const lines = processes.map(({ pid, startTicks }) => `${pid} ${startTicks}\n`)
      .filter((line) => !this.#written.has(line));
    if (lines.length === 0) return;
    for (const line of lines) this.#written.add(line);
    this.#lines += lines.length;
    appendFileSync(this.#path, lines.join(""));
  }

  #start(): void {
    this.#lines = 0;
    this.#written.clear();
    writeFileSync(this.#path, this.#idPrefix + "\n", { mode: 0o600 });
  }
}

/** Null where there is no record, or none that can be read. */
export function readProcessRecord(path: string): RecordedProcesses | null {
  if (!existsSync(path)) return null;
  const [idPrefix = "", ...lines] = readFileSync(path, "utf8").split("\n");
  // Security: an empty prefix would match the marker of every server.
  if (!/^[\w-]{8,}$/.test(idPrefix)) return null;
  const processes = lines.map((line) => line.split(" ").map(Number))
    .filter(([pid, startTicks]) => Number.isSafeInteger(pid) && Number.isSafeInteger(startTicks))
    .map(([pid, startTicks]) => ({ pid: pid as number, startTicks: startTicks as number }));
  return { idPrefix, processes };
}

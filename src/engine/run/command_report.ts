/** What one response says about a command: state, exit facts, the new output of both streams. */

import type { Diagnostic } from "../../base/tool_error.ts";
import { decodeUtf8 } from "../../base/utf8.ts";
import { jsonTextBytes } from "../../base/json_text.ts";
import { replaceNul, type StreamWindow } from "../output/stream_window.ts";
import type { ExitFacts } from "../../platform/child.ts";
import type { Command } from "./command.ts";
import { renderTerminal } from "../output/render_terminal.ts";
import type { SandboxReport } from "../sandbox/report.ts";

/** `terminated`: ended by us or by a signal; `timeout`: at its deadline. */
export type CommandStatus = "running" | "exited" | "terminated" | "timeout";
/** The same with the exit code taken apart, for a glance. */
export type CommandOutcome = "running" | "exited_0" | "exited_nonzero" | "timeout" | "signal";

/** The state of a command without its output. */
export interface CommandState {
  readonly id: string;
  readonly status: CommandStatus;
  readonly outcome: CommandOutcome;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
}

/** What one response says. */
export interface CommandReport extends CommandState {
  readonly hasTerminal: boolean;
  readonly stdout: StreamWindow;
  readonly stderr: StreamWindow;
  /** Bytes ever produced. */
  readonly totals: { readonly stdout: number; readonly stderr: number };
  /** Milliseconds from the start to the end, or to now. */
  readonly runMs: number;
  /** User and system time; null where the system does not say. */
  readonly cpuMs: number | null;
  /** Largest resident set of one process; null where the system does not say. */
  readonly peakMemoryBytes: number | null;
  /** Processes that live on after the end. */
  readonly backgroundProcesses: number;
  /** True when one of them can still write to the output. */
  readonly outputHeld: boolean;
  readonly sandbox: SandboxReport;
  readonly warnings: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** What is kept of both streams, for a preview. */
  retained(): { readonly stdout: string; readonly stderr: string };
}

/** Bytes of one stream that a response shows when the caller names no limit (O-6). */
export const DEFAULT_STREAM_BYTES = 32_768;
/** Room of both streams as JSON in a structured value of 64 KiB (O-6): 8 KiB are left for the heads and all other fields. */
const ROOM_BYTES = 57_344;

/** State as contract 4.3 orders it: time-out, alive, signal, exit code. */
export function stateOf(command: Command): CommandState {
  const { exit } = command;
  if (exit !== null && command.finished) return endStateOf(command, exit);
  const timedOut = command.endCause?.kind === "deadline";
  return { id: command.id, timedOut, status: "running", outcome: "running", exitCode: null, signal: null };
}

/** The state of a command whose first process has ended, although its output may still be on its way. */
export function endStateOf(command: Command, exit: ExitFacts): CommandState {
  const { endCause } = command;
  const base = { id: command.id, timedOut: endCause?.kind === "deadline" };
  const facts = { ...base, exitCode: exit.exitCode, signal: exit.signal };
  if (endCause?.kind === "deadline") return { ...facts, status: "timeout", outcome: "timeout" };
  if (exit.signal !== null || endCause !== null) return { ...facts, status: "terminated", outcome: "signal" };
  return { ...facts, status: "exited", outcome: exit.exitCode === 0 ? "exited_0" : "exited_nonzero" };
}

/** Takes what is new and moves both cursors. Marks the end as reported. */
export function reportOn(command: Command, maxBytes: number): CommandReport {
  const { stdout, stderr } = takeWindows(command, maxBytes);
  const { exit, finished } = command;
  if (finished) command.reportedAtMs ??= performance.now();
  return {
    ...stateOf(command),
    hasTerminal: command.hasTerminal,
    stdout,
    stderr,
    totals: { stdout: command.stdout.buffer.total, stderr: command.stderr.buffer.total },
    runMs: Math.round((command.endedAtMs ?? performance.now()) - command.startedAtMs),
    cpuMs: exit?.cpuMs ?? null,
    peakMemoryBytes: exit?.peakMemoryBytes ?? null,
    backgroundProcesses: finished ? command.leftProcesses : 0,
    outputHeld: command.outputHeld,
    sandbox: command.prepared.sandbox,
    warnings: [...command.pendingWarnings.splice(0), ...endWarnings(command)],
    diagnostics: [],
    retained: () => ({ stdout: retainedText(command, "stdout"), stderr: retainedText(command, "stderr") }),
  };
}

/** Neither stream takes more than half of the room, unless the other leaves some. */
function takeWindows(command: Command, maxBytes: number): { stdout: StreamWindow; stderr: StreamWindow } {
  const options = { maxBytes, ended: command.finished, rendered: command.hasTerminal };
  const room = maxBytes <= DEFAULT_STREAM_BYTES ? ROOM_BYTES : Infinity;
  const waiting = command.stderr.buffer.total - command.stderr.cursor;
  const stdout = command.stdout.takeWindow({
    ...options,
    maxJsonBytes: room === Infinity ? room : room - Math.min(room / 2, 2 * waiting),
  });
  return {
    stdout,
    stderr: command.stderr.takeWindow({ ...options, maxJsonBytes: room - jsonTextBytes(stdout.text + stdout.head) }),
  };
}

function endWarnings(command: Command): string[] {
  const warnings: string[] = [];
  if (command.endCause?.kind === "limit") warnings.push(`The command was ended: it used ${command.endCause.limit}.`);
  if (!command.finished) return warnings;
  if (command.outputHeld) {
    warnings.push(
      "A background process still holds the output; what it writes can be read with read_output, and kill_command ends it.",
    );
  } else if (command.leftProcesses > 0) {
    warnings.push(
      `${command.leftProcesses} background process${
        command.leftProcesses === 1 ? "" : "es"
      } of it still running; kill_command ends them.`,
    );
  }
  return warnings;
}

function retainedText(command: Command, stream: "stdout" | "stderr"): string {
  const { buffer } = command[stream];
  const text = decodeUtf8(buffer.read(buffer.tailStart, buffer.tailBytes).bytes);
  return command.hasTerminal ? renderTerminal(text) : replaceNul(text);
}

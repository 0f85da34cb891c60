/** Brings a command to life: place, policy, environment, confinement, process, input (contract 4.2). */

import process from "node:process";
import { randomId } from "../../base/random_id.ts";
import { ToolError } from "../../base/tool_error.ts";
import { encodeUtf8, utf8Length } from "../../base/utf8.ts";
import { type ChildHost, LaunchFailure, type TerminalSize } from "../../platform/child.ts";
import { SystemError } from "../../platform/errno.ts";
import { Command } from "./command.ts";
import { CANONICAL_LINE_BYTES, checkArgument, longestLineBytes } from "./command_input.ts";
import type { CommandTable } from "./command_table.ts";
import { spawnFailed } from "./run_child.ts";
import type { CommandSurroundings, CommandText, PreparedCommand } from "./surroundings.ts";

/** What the client asked to run. */
export interface CommandRequest extends CommandText {
  /** Written at the start; the input is then closed unless it is kept open. */
  readonly stdin: string;
  readonly terminal: TerminalSize | null;
  readonly keepStdinOpen: boolean;
}

/** The rooms and the callbacks of a start. */
export interface StartScene {
  readonly host: ChildHost;
  readonly surroundings: CommandSurroundings;
  readonly table: CommandTable;
  readonly streamBudgetBytes: number;
  /** Begins every id of this server, so that the next one knows its processes. */
  readonly idPrefix: string;
  /** True once the server ends: what has not started by then never does. */
  readonly isClosing: () => boolean;
  /** Called with a command whose process existed and whose program never ran. */
  readonly onFailed: (command: Command) => void;
  /** Called as soon as there is a process, before it is known whether its program runs. */
  readonly onSpawned: (command: Command) => void;
  readonly onExit: (command: Command) => void;
}

/**
 * Resolves when the program itself runs.
 *
 * @throws ToolError of the step that refused or failed; nothing is left running
 */
export async function startCommand(request: CommandRequest, scene: StartScene): Promise<Command> {
  checkArgument("cmd", request.cmd);
  for (const [name, value] of Object.entries(request.env)) checkVariable(name, value);
  if (request.terminal !== null && scene.host.terminalRefusal !== null) {
    throw ttyUnsupported(scene.host.terminalRefusal);
  }
  const permit = scene.surroundings.permit(request);
  const place = scene.table.reserve();
  let command: Command | null = null;
  try {
    const id = scene.idPrefix + randomId(COMMAND_ID_BITS);
    const prepared = await scene.surroundings.prepare(request, { commandId: id, permit });
    command = spawn(request, { id, prepared, scene });
    // From here on the server's end finds it, although it is not yet known whether its program runs.
    place.settle(command);
    scene.onSpawned(command);
    await command.child.started;
    feed(command, request);
    return command;
  } catch (fault) {
    if (command !== null) scene.onFailed(command);
    throw startFailure(fault, { request, surroundings: scene.surroundings });
  } finally {
    place.settle(null);
  }
}

function spawn(
  request: CommandRequest,
  { id, prepared, scene }: { id: string; prepared: PreparedCommand; scene: StartScene },
): Command {
  if (scene.isClosing()) {
    prepared.launch.release();
    throw shuttingDown();
  }
  return new Command(scene.host, {
    id,
    prepared,
    cwd: request.cwd,
    terminal: request.terminal,
    stdin: request.stdin !== "" || request.keepStdinOpen ? "pipe" : "empty",
    streamBudgetBytes: scene.streamBudgetBytes,
    onExit: scene.onExit,
  });
}

/** The refusal of a command while the server ends. */
export function shuttingDown(): ToolError {
  return new ToolError("COMMAND_CLOSED", "Cannot start a command: the server is shutting down", {
    details: { reason: "shutting_down", retry_hint: "Start the command after the server was started again." },
    root: { status: "failed" },
  });
}

/** One string of execve(2) on Linux, its NUL not counted. */
const MAX_ARGUMENT_BYTES = 131_071;
/** At least 128, so that an id cannot be guessed (contract 3.9). */
const COMMAND_ID_BITS = 128;

function feed(command: Command, request: CommandRequest): void {
  const { child } = command;
  if (request.stdin !== "") {
    child.write(encodeUtf8(request.stdin));
    if (command.hasTerminal && longestLineBytes(request.stdin) > CANONICAL_LINE_BYTES) {
      command.pendingWarnings.push(
        `stdin has a line over ${CANONICAL_LINE_BYTES} bytes: a terminal in its usual mode drops the rest of such a line.`,
      );
    }
  }
  if (!request.keepStdinOpen && !command.hasTerminal) child.closeStdin();
}

function checkVariable(name: string, value: string): void {
  checkArgument(`env.${name}`, `${name}${value}`);
  if (name === "" || name.includes("=")) {
    throw new ToolError("INVALID_ARGUMENT", `Cannot set the variable ${JSON.stringify(name)}: not a name`, {
      details: { argument: "env", retry_hint: "A name has at least one character and no equals sign." },
    });
  }
}

function ttyUnsupported(reason: string): ToolError {
  return new ToolError("TTY_UNSUPPORTED", `Cannot give the command a terminal: ${reason}`, {
    details: { platform: process.platform, retry_hint: "Run the command without tty." },
    root: { status: "failed" },
  });
}

function startFailure(
  fault: unknown,
  { request, surroundings }: { request: CommandRequest; surroundings: CommandSurroundings },
): unknown {
  if (fault instanceof LaunchFailure) return withFailedStatus(surroundings.explainLaunch(fault));
  if (fault instanceof ToolError) return withFailedStatus(fault);
  if (!(fault instanceof SystemError)) return fault;
  // What was started is the launcher of the sandbox, whose path means nothing to anybody.
  const failure = spawnFailed(new SystemError(fault.errno, fault.step, surroundings.shell));
  if (fault.errno !== "E2BIG") return withFailedStatus(failure);
  const retry_hint = `cmd and each variable of env may have ${MAX_ARGUMENT_BYTES} bytes (cmd has ${
    utf8Length(request.cmd)
  }): pass data by stdin or a file.`;
  return withFailedStatus(failure, { ...failure.details, retry_hint });
}

/** Every failure of `exec_command` says so at the root of its value (contract 1.3). */
function withFailedStatus(fault: ToolError, details = fault.details): ToolError {
  const { code, message, root, diagnostics, retryable, cause } = fault;
  return new ToolError(code, message, { details, root: { status: "failed", ...root }, diagnostics, retryable, cause });
}

/** Brings a command to life: place, policy, environment, confinement, process, input (contract 4.2). */

import process from "node:process";
import { randomId } from "../../base/random_id.ts";
import { ToolError } from "../../base/tool_error.ts";
import { encodeUtf8 } from "../../base/utf8.ts";
import { type ChildHost, LaunchFailure, type TerminalSize } from "../../platform/child.ts";
import { errnoName, SystemError } from "../../platform/errno.ts";
import { Command } from "./command.ts";
import { CANONICAL_LINE_BYTES, checkText, longestLineBytes } from "./command_input.ts";
import type { CommandTable } from "./command_table.ts";
import { spawnFailed } from "./run_child.ts";
import type { CommandSurroundings, CommandText } from "./surroundings.ts";

export interface CommandRequest extends CommandText {
  readonly stdin: string;
  readonly terminal: TerminalSize | null;
  readonly keepStdinOpen: boolean;
}

export interface StartScene {
  readonly host: ChildHost;
  readonly surroundings: CommandSurroundings;
  readonly table: CommandTable;
  readonly streamBudgetBytes: number;
  /** Called as soon as there is a process, before it is known whether its program runs. */
  readonly onSpawned: (command: Command) => void;
  readonly onExit: (command: Command) => void;
}

/** @throws ToolError of the policy, `COMMAND_LIMIT_REACHED`, `TTY_UNSUPPORTED`, `SANDBOX_UNAVAILABLE`, `COMMAND_SPAWN_FAILED` */
export async function startCommand(request: CommandRequest, scene: StartScene): Promise<Command> {
  checkText("cmd", request.cmd);
  checkText("stdin", request.stdin);
  for (const [name, value] of Object.entries(request.env)) checkVariable(name, value);
  if (request.terminal !== null && scene.host.terminalRefusal !== null) {
    throw ttyUnsupported(scene.host.terminalRefusal);
  }
  await scene.surroundings.check(request);
  const place = scene.table.reserve();
  try {
    const id = randomId(COMMAND_ID_BITS);
    const prepared = await scene.surroundings.prepare(request, id);
    const command = new Command(scene.host, {
      id,
      prepared,
      cwd: request.cwd,
      terminal: request.terminal,
      stdin: request.stdin !== "" || request.keepStdinOpen ? "pipe" : "empty",
      streamBudgetBytes: scene.streamBudgetBytes,
      onExit: scene.onExit,
    });
    scene.onSpawned(command);
    await command.child.started;
    feed(command, request);
    place.settle(command);
    return command;
  } catch (fault) {
    throw startFailure(fault, request);
  } finally {
    place.settle(null);
  }
}

/** At least 128, so that an id cannot be guessed (contract 3.9). */
const COMMAND_ID_BITS = 144;

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
  checkText(`env.${name}`, `${name}${value}`);
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

function startFailure(fault: unknown, request: CommandRequest): unknown {
  if (fault instanceof LaunchFailure) {
    const errno = errnoName(fault.errno);
    return new ToolError("SANDBOX_UNAVAILABLE", `Cannot confine the command: step ${fault.step} failed with ${errno}`, {
      details: { step: fault.step, errno, reason: "The command was not run." },
      root: { status: "failed" },
      cause: fault,
    });
  }
  if (!(fault instanceof SystemError)) return fault;
  const failure = spawnFailed(fault);
  const isTooLong = fault.errno === "E2BIG";
  return new ToolError(failure.code, failure.message, {
    details: {
      ...failure.details,
      ...(isTooLong
        ? {
          retry_hint:
            `Command and environment are too long (${request.cmd.length} characters); pass data by stdin or a file.`,
        }
        : {}),
    },
    root: { ...failure.root, status: "failed" },
    retryable: failure.retryable,
    cause: fault,
  });
}

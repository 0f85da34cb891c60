/** What may be written to a command, and what a refusal says. */

import { ToolError } from "../../base/tool_error.ts";
import { utf8Length } from "../../base/utf8.ts";
import type { ExitFacts } from "../../platform/child.ts";
import type { Command } from "./command.ts";
import { endStateOf } from "./command_report.ts";

/** Bytes of one line that the line discipline keeps; it drops the rest without a word (termios(3), canonical mode). */
export const CANONICAL_LINE_BYTES = 4_095;
/** Input that waits for a command that does not read; two of the largest requests. */
const MAX_QUEUED_BYTES = 32 * 1024 * 1024;
/** Characters that a terminal turns into signals or the end of input: ^C, ^D, ^Z, ^\. */
const CONTROL_ONLY = new Set(["\x03", "\x04", "\x1a", "\x1c"]);

/** NUL ends an argument or a variable of execve(2) early, so it can come by input only. @throws ToolError INVALID_ARGUMENT */
export function checkArgument(argument: string, text: string): void {
  if (text.includes("\0")) {
    throw new ToolError("INVALID_ARGUMENT", `Cannot use ${argument}: it holds a NUL character`, {
      details: { argument, retry_hint: "NUL can be sent as input only, by stdin or write_stdin." },
    });
  }
}

/** Whether `chars` can be written now. @throws ToolError with what to do instead */
export function checkInput(command: Command, chars: string): void {
  const isControl = [...chars].every((character) => CONTROL_ONLY.has(character));
  if (command.exit !== null) throw alreadyExited(command, command.exit);
  if (!command.hasTerminal && isControl) throw noTerminal(command.id);
  if (!command.child.stdinOpen) throw stdinClosed(command.id);
  if (command.child.stdinQueuedBytes > MAX_QUEUED_BYTES) throw notReading(command);
  if (command.child.terminalMode()?.canonical && longestLineBytes(chars) > CANONICAL_LINE_BYTES) {
    throw lineTooLong(longestLineBytes(chars));
  }
}

/** Bytes of the longest line of `text`, its LF not counted. */
export function longestLineBytes(text: string): number {
  if (text.length <= CANONICAL_LINE_BYTES / 3) return utf8Length(text);
  // deno-lint-ignore no-control-regex
  return text.split(/[\n\r\x04]/).reduce((longest, line) => Math.max(longest, utf8Length(line)), 0);
}

function alreadyExited(command: Command, exit: ExitFacts): ToolError {
  const state = endStateOf(command, exit);
  return new ToolError("COMMAND_CLOSED", "Cannot write to the command: it has ended", {
    details: {
      reason: "exited",
      command_id: command.id,
      status: state.status,
      exit_code: state.exitCode,
      signal: state.signal,
      operation_outcome: state.outcome,
      retry_hint: "Read what is left with write_stdin and empty chars, or start the command again.",
    },
  });
}

function noTerminal(id: string): ToolError {
  return new ToolError("INVALID_ARGUMENT", "Cannot send a control character: the command has no terminal", {
    details: {
      argument: "chars",
      command_id: id,
      retry_hint:
        "Use kill_command with signal INT or TERM to stop it, write_stdin with close_stdin to end its input, or start it with tty=true.",
      next_action: { tool: "kill_command", arguments: { command_id: id, signal: "INT" } },
    },
  });
}

function stdinClosed(id: string): ToolError {
  return new ToolError("COMMAND_CLOSED", "Cannot write to the command: its input is closed", {
    details: {
      reason: "stdin_closed",
      command_id: id,
      retry_hint:
        "Start the command with keep_stdin_open=true or tty=true, or give all input at once as stdin; kill_command stops it.",
    },
  });
}

function notReading(command: Command): ToolError {
  return new ToolError(
    "COMMAND_CLOSED",
    `Cannot write to the command: ${command.child.stdinQueuedBytes} bytes already wait and it does not read`,
    {
      details: {
        reason: "input_full",
        command_id: command.id,
        retry_hint: "Poll with empty chars until the command has read its input.",
      },
    },
  );
}

function lineTooLong(bytes: number): ToolError {
  return new ToolError(
    "INVALID_ARGUMENT",
    `Cannot send a line of ${bytes} bytes: the terminal keeps ${CANONICAL_LINE_BYTES} bytes of a line and drops the rest`,
    {
      details: {
        argument: "chars",
        retry_hint: "Send shorter lines, or run the command without tty and with keep_stdin_open=true.",
      },
    },
  );
}

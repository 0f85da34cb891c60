/** The commands of one server: how many may run, and how long the finished ones are kept (contract 4.6). */

import { ToolError } from "../../base/tool_error.ts";
import type { Limits } from "../../config/config.ts";
import type { Command } from "./command.ts";

/** The limits that the table keeps. */
export type TableLimits = Pick<
  Limits,
  "maxActiveCommands" | "maxRetainedCommands" | "maxOutputBytesTotal" | "commandTtlS"
>;

/** Drops finished commands by age, by number and by the output they hold. */
export class CommandTable {
  readonly #limits: TableLimits;
  /** Called when a finished command is dropped. */
  readonly #onDrop: (command: Command) => void;
  readonly #commands = new Map<string, Command>();
  #starting = 0;

  constructor(limits: TableLimits, onDrop: (command: Command) => void) {
    this.#limits = limits;
    this.#onDrop = onDrop;
  }

  /** In the order of their starts. */
  all(): Command[] {
    return [...this.#commands.values()];
  }

  /** Those that have not finished. */
  active(): Command[] {
    return this.all().filter(({ finished }) => !finished);
  }

  /** Takes a place for a command that is about to start. @throws ToolError `COMMAND_LIMIT_REACHED` */
  reserve(): { settle(command: Command | null): void } {
    const limit = this.#limits.maxActiveCommands;
    if (this.active().length + this.#starting >= limit) {
      throw new ToolError(
        "COMMAND_LIMIT_REACHED",
        `Cannot start another command: ${limit} are running, which is the limit`,
        {
          details: {
            max_active_commands: limit,
            retry_hint: "Wait for a running command to end or end one with kill_command, then try again.",
          },
        },
      );
    }
    this.#starting++;
    let settled = false;
    return {
      settle: (command) => {
        if (settled) return;
        settled = true;
        this.#starting--;
        if (command !== null) this.#commands.set(command.id, command);
      },
    };
  }

  /** Takes out a command whose program never ran. */
  remove(command: Command): void {
    this.#commands.delete(command.id);
  }

  /** @throws ToolError `COMMAND_NOT_FOUND` */
  get(id: string): Command {
    const command = this.#commands.get(id);
    if (command !== undefined) return command;
    const { maxRetainedCommands, commandTtlS, maxOutputBytesTotal } = this.#limits;
    throw new ToolError(
      "COMMAND_NOT_FOUND",
      `Cannot find command ${JSON.stringify(id.slice(0, 80))}: no such id is kept`,
      {
        details: {
          retry_hint:
            `The id never existed or was dropped: finished commands are kept for ${commandTtlS} s after their end was ` +
            `reported, at most ${maxRetainedCommands} of them with ${maxOutputBytesTotal} bytes of output, and none across ` +
            "a restart. Trying again cannot succeed; run it again with exec_command.",
        },
      },
    );
  }

  /** Drops what the limits no longer cover; never a running command, nor one whose processes live on. */
  prune(nowMs: number): void {
    for (const command of this.#droppable()) {
      if (command.reportedAtMs !== null && nowMs - command.reportedAtMs > this.#limits.commandTtlS * 1000) {
        this.#drop(command);
      }
    }
    let excess = this.#finished().length - this.#limits.maxRetainedCommands;
    for (const command of this.#droppable()) {
      if (excess-- <= 0) break;
      this.#drop(command);
    }
    let bytes = this.all().reduce((sum, { retainedBytes }) => sum + retainedBytes, 0);
    for (const command of this.#droppable()) {
      if (bytes <= this.#limits.maxOutputBytesTotal) break;
      bytes -= command.retainedBytes;
      this.#drop(command);
    }
  }

  /** Oldest end first. */
  #finished(): Command[] {
    return this.all().filter(({ finished }) => finished).sort((a, b) => (a.endedAtMs ?? 0) - (b.endedAtMs ?? 0));
  }

  #droppable(): Command[] {
    return this.#finished().filter((command) => command.leftProcesses === 0 && command.terminations === 0);
  }

  #drop(command: Command): void {
    this.#commands.delete(command.id);
    this.#onDrop(command);
  }
}

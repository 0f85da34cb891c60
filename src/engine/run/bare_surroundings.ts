/** Surroundings without policy and confinement, which say so: for a system that has neither, and for tests of this room. */

import { type Diagnostic, ToolError } from "../../base/tool_error.ts";
import type { LaunchFailure } from "../../platform/child.ts";
import { findProgram } from "./find_program.ts";
import { COMMAND_MARKER } from "./process_tree.ts";
import type { CommandSurroundings, CommandText, Permit, PreparedCommand } from "./surroundings.ts";

/** What commands start with; everything of it is handed on. */
export interface BareOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly shell: string | null;
}

/** Permits everything and reports that nothing is confined. */
export class BareSurroundings implements CommandSurroundings {
  readonly shell: string;
  readonly #environment: Readonly<Record<string, string>>;

  constructor(options: BareOptions) {
    this.#environment = options.environment;
    const name = options.shell ?? "sh";
    this.shell = findProgram(name, options.environment["PATH"] ?? "") ?? "/bin/sh";
  }

  permit(): Permit {
    return { network: "open", use: () => undefined };
  }

  prepare(command: CommandText, { commandId }: { commandId: string }): Promise<PreparedCommand> {
    const terminal = command.hasTerminal ? { TERM: "xterm-256color" } : { TERM: "dumb" };
    return Promise.resolve({
      launch: {
        path: this.shell,
        argv: [this.shell, "-c", command.cmd],
        inherit: [],
        statusRead: null,
        release: () => undefined,
      },
      env: { ...this.#environment, ...terminal, ...command.env, [COMMAND_MARKER]: commandId },
      sandbox: {
        filesystem: "unconfined",
        attributes: "unconfined",
        network: "open",
        signals: "unscoped",
        abi: null,
        reason: "no confinement in this run",
      },
      warnings: ["The command is not confined: its files and network are those of the server."],
    });
  }

  diagnose(): readonly Diagnostic[] {
    return [];
  }

  recordPath(): null {
    return null;
  }

  explainLaunch(failure: LaunchFailure): ToolError {
    return new ToolError("COMMAND_SPAWN_FAILED", `Cannot start ${this.shell}: ${failure.message}`, { cause: failure });
  }
}

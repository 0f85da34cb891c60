/** What a subcommand of the command line is. */

import type { SelfStart } from "../config/config.ts";
import type { Places } from "../config/resolve_config.ts";
import type { Environment } from "../config/setting.ts";

/** What a subcommand gets from `main.ts`, so that it needs nothing global. */
export interface CliScene {
  /** Arguments behind the name of the subcommand. */
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly currentDirectory: string;
  readonly self: SelfStart;
  readonly places: Places;
  /** Writes to standard output or standard error; resolves when it was taken. */
  readonly out: (text: string) => Promise<void>;
  readonly err: (text: string) => Promise<void>;
  /** Whole standard input, for `-`. */
  readonly readInput: () => Promise<string>;
  /** Runs `end` when the process is asked to end; `end` resolves before the process goes. */
  readonly onSignal: (end: () => Promise<void>) => void;
}

/** A subcommand that was loaded. */
export interface CliCommand {
  readonly name: string;
  /** How it is called, for the help. */
  readonly usage: string;
  /** One line for the help. */
  readonly about: string;
  /** Returns the exit code (contract 10.3). */
  run(scene: CliScene): Promise<number>;
}

/** What a flag is: one unit that declares its names, its value, its environment twin and its line in the help. */

import type { RawConfig } from "../config/raw_config.ts";

/** Headings of the help, which also tell `vise setup` what belongs into an entry. */
export type FlagCategory = "Workspace" | "Transport" | "Permissions" | "Commands" | "Limits" | "HTTP" | "Results";

/** A flag of `vise serve`, which the other subcommands take as far as it concerns them. */
export interface Flag {
  /** Long name without dashes. */
  readonly name: string;
  readonly category: FlagCategory;
  /** How the value is shown in the help; null: the flag takes none. */
  readonly value: string | null;
  /** The value may be left out (`--http`). */
  readonly valueOptional?: boolean;
  /** Environment variable without its prefix; null: none. */
  readonly env: string | null;
  /** May be given several times; the environment twin is a path list. */
  readonly repeatable?: boolean;
  /** Default as the help shows it. */
  readonly fallback: string;
  /** One line for the help. */
  readonly about: string;
  /** Allowed values, for the help, completions and the refusal. */
  readonly choices?: readonly string[];
  /** Writes the value into the raw configuration. @throws ConfigError */
  apply(raw: RawConfig, value: string): void;
}

/** Flags and environment of one start → the configuration. */

import type { Config } from "../config/config.ts";
import { resolveConfig } from "../config/resolve_config.ts";
import { ConfigError } from "../config/setting.ts";
import type { CliScene } from "./command.ts";
import { readFlags } from "./read_flags.ts";

/** The configuration of a subcommand that takes nothing but flags. @throws ConfigError */
export function loadConfig(scene: CliScene): Config {
  const { raw, rest } = readFlags(scene.args, scene.environment);
  const [stray] = rest;
  if (stray !== undefined) throw new ConfigError(`unexpected argument ${stray}; see vise --help`);
  return resolveConfig(raw, scene);
}

/** Command line and environment → raw configuration. A flag wins over its variable (contract 10.1). */

import { nearestName } from "../base/nearest_name.ts";
import { emptyRawConfig, type RawConfig } from "../config/raw_config.ts";
import { ConfigError, type Environment, environmentValue, isTruthy } from "../config/setting.ts";
import type { Flag } from "./flag.ts";
import { ALL_FLAGS } from "./flags/all_flags.ts";

/** A command line that was understood. */
export interface ReadFlags {
  readonly raw: RawConfig;
  /** Arguments that are no flags, in order. */
  readonly rest: readonly string[];
  /** The flags as typed, in order. */
  readonly uses: readonly FlagUse[];
}

/** A flag as it was typed. */
export interface FlagUse {
  readonly flag: Flag;
  /** Empty for a flag without a value. */
  readonly value: string;
}

/**
 * Reads the flags, then the variables of those that were not typed.
 *
 * @throws ConfigError for an unknown flag or a wrong value
 */
export function readFlags(args: readonly string[], environment: Environment): ReadFlags {
  const raw = emptyRawConfig();
  const typed = new Set<string>();
  const rest: string[] = [];
  const pending = [...args];
  const uses: FlagUse[] = [];
  for (let arg = pending.shift(); arg !== undefined; arg = pending.shift()) {
    if (arg === "--") {
      rest.push(...pending.splice(0));
    } else if (arg.startsWith("--")) {
      const use = readFlag(arg, pending);
      typed.add(use.flag.name);
      uses.push(use);
    } else if (arg.startsWith("-") && arg !== "-") {
      throw new ConfigError(`unknown flag ${arg}; see vise --help`);
    } else {
      rest.push(arg);
    }
  }
  applyEnvironment(raw, environment, typed);
  for (const { flag, value } of uses) flag.apply(raw, value);
  return { raw, rest, uses };
}

function readFlag(arg: string, pending: string[]): FlagUse {
  const equals = arg.indexOf("=");
  const name = equals < 0 ? arg.slice(2) : arg.slice(2, equals);
  const flag = ALL_FLAGS.find((candidate) => candidate.name === name);
  if (flag === undefined) {
    const nearest = nearestName(name, ALL_FLAGS.map((candidate) => candidate.name));
    throw new ConfigError(
      `unknown flag --${name}${nearest === null ? "" : `; did you mean --${nearest}?`} (see vise --help)`,
    );
  }
  if (equals >= 0) {
    if (flag.value === null) throw new ConfigError(`--${name} takes no value`);
    return { flag, value: arg.slice(equals + 1) };
  }
  if (flag.value === null) return { flag, value: "" };
  const next = pending[0];
  if (flag.valueOptional) {
    if (next !== undefined && looksLikeValue(flag, next)) pending.shift();
    else return { flag, value: "" };
    return { flag, value: next };
  }
  if (next === undefined || next.startsWith("--")) {
    throw new ConfigError(`--${name} needs a value: --${name} ${flag.value}`);
  }
  pending.shift();
  return { flag, value: next };
}

/** An optional value is taken only when it can be one, so that `--http --port 1` and `--http serve` stay unambiguous. */
function looksLikeValue(flag: Flag, text: string): boolean {
  if (flag.choices !== undefined) return flag.choices.includes(text);
  return /^(?:\[[^\]]*\]|[^:[\]\s-][^:[\]\s]*)?:\d+$/.test(text);
}

function applyEnvironment(raw: RawConfig, environment: Environment, typed: ReadonlySet<string>): void {
  for (const flag of ALL_FLAGS) {
    if (flag.env === null || typed.has(flag.name)) continue;
    const value = environmentValue(environment, flag.env);
    if (value === undefined) continue;
    if (flag.value === null) {
      if (isTruthy(value)) flag.apply(raw, "");
    } else if (flag.repeatable === true) {
      for (const part of value.split(":")) if (part !== "") flag.apply(raw, part);
    } else {
      applyVariable(flag, { raw, value, name: flag.env });
    }
  }
}

function applyVariable(flag: Flag, { raw, value, name }: { raw: RawConfig; value: string; name: string }): void {
  try {
    flag.apply(raw, value);
  } catch (fault) {
    // A bad port in the environment is often meant for another program and falls back to the default (contract 10.1).
    if (name === "PORT") return;
    if (fault instanceof ConfigError) throw new ConfigError(`${fault.message} (from VISE_${name})`);
    throw fault;
  }
}
